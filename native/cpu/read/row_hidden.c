/* Reduces the hidden axes of a plane for one row of elements at a time: stage after stage, each over all its axes jointly. */
#include "row_reader.h"

#include "../../core/tensor/element.h"
#include "../../core/base/threads.h"

/* So many elements are reduced between two looks at whether the run was stopped. */
#define POLL_ELEMS 4096

/* Column accumulators of one stage. Deviations are from the first finite value of each column, so that the variance does
 * not drown in the mean; of a norm `sum2` are magnitudes; for angles `sum` and `sum2` are the parts of a vector. */
typedef struct stage_sums {
    double *inner, *count, *first, *sum, *sum2, *has;
} stage_sums;

static stage_sums sums_in(double *scratch, int64_t n)
{
    return (stage_sums){scratch, scratch + n, scratch + 2 * n, scratch + 3 * n, scratch + 4 * n, scratch + 5 * n};
}

static void add_row(gp_hidden_op op, const stage_sums *s, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        double x = s->inner[i];
        unsigned class = gp_class_of(x), has = (unsigned)s->has[i];
        s->has[i] = (double)(has | class);
        if (class != GP_HAS_FINITE)
            continue;
        s->count[i] += 1.0;
        switch (op) {
        case GP_HIDDEN_MAX: s->sum[i] = x > s->sum[i] ? x : s->sum[i]; break;
        case GP_HIDDEN_MIN: s->sum[i] = x < s->sum[i] ? x : s->sum[i]; break;
        case GP_HIDDEN_NORM: s->sum[i] += x * x, s->sum2[i] += fabs(x); break;
        case GP_HIDDEN_STD:
            if (s->count[i] == 1.0)
                s->first[i] = x;
            s->sum[i] += x - s->first[i];
            s->sum2[i] += (x - s->first[i]) * (x - s->first[i]);
            break;
        default: s->sum[i] += x; break;
        }
    }
}

/* inner holds the real parts of directions and first the imaginary ones. */
static void add_directions(const stage_sums *s, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        unsigned class = gp_class_of(s->inner[i]);
        s->has[i] = (double)((unsigned)s->has[i] | class);
        if (class == GP_HAS_FINITE)
            s->sum[i] += s->inner[i], s->sum2[i] += s->first[i];
    }
}

static void load_stage(const gp_row_reader *rows, int stage, const char *data, const uint8_t *mask, int64_t n, double *out,
                       double *had_nan, double *scratch);

/* One more slice of the stage's axes. */
static void add_slice(const gp_row_reader *rows, int stage, const char *data, const uint8_t *mask, int64_t n, const stage_sums *s,
                      double *had_nan, double *scratch)
{
    gp_hidden_op op = gp_hidden_op_of(&rows->plane, stage);
    if (op != GP_HIDDEN_MEAN || !gp_is_angle(&rows->plane)) {
        load_stage(rows, stage - 1, data, mask, n, s->inner, had_nan, scratch);
        add_row(op, s, n);
        return;
    }
    if (stage == 0) {
        gp_row_reader_load_values(rows, GP_COMPONENT_UNIT_RE, data, mask, n, s->inner);
        gp_row_reader_load_values(rows, GP_COMPONENT_UNIT_IM, data, mask, n, s->first);
    } else {
        load_stage(rows, stage - 1, data, mask, n, s->inner, had_nan, scratch);
        for (int64_t i = 0; i < n; i++) {
            double angle = s->inner[i];
            s->first[i] = gp_has_no_direction(angle) ? 0.0 : sin(angle);
            if (gp_class_of(angle) == GP_HAS_FINITE)
                s->inner[i] = gp_has_no_direction(angle) ? 0.0 : cos(angle);
        }
    }
    add_directions(s, n);
}

/* Steps an index over the axes of one stage and moves the addresses along; false after the last. */
static bool step(const gp_plane *plane, int stage, int64_t *index, const char **data, const uint8_t **mask)
{
    for (int i = plane->n_hidden - 1; i >= 0; i--) {
        const gp_hidden_axis *axis = &plane->hidden[i];
        if (axis->stage != stage)
            continue;
        bool is_inside = ++index[i] < axis->size;
        int64_t n_steps = is_inside ? 1 : 1 - axis->size;
        *data += n_steps * axis->stride_bytes;
        if (*mask != NULL)
            *mask += n_steps * axis->mask_stride_bytes;
        if (is_inside)
            return true;
        index[i] = 0;
    }
    return false;
}

/* What the sums come to, or marks; see gp_row_reader_load_hidden. The scales that some need: what is beyond float64 is gp_empty_cell. */
static unsigned finish_stage(const gp_row_reader *rows, int stage, const stage_sums *s, int64_t n, double *out, double *had_nan)
{
    gp_hidden_op op = gp_hidden_op_of(&rows->plane, stage);
    gp_nan nan = had_nan != NULL ? GP_NAN_INFINITE : rows->hidden_nan;
    bool is_direction = op == GP_HIDDEN_MEAN && gp_is_angle(&rows->plane);
    double n_repeats = rows->plane.stage_repeats[stage];
    unsigned all_need = 0;
    for (int64_t i = 0; i < n; i++) {
        unsigned has = (unsigned)s->has[i];
        bool is_marked = gp_is_marked(has, nan);
        double value = gp_hidden_value(op, is_direction, n_repeats, s->count[i], s->sum[i], s->sum2[i]);
        unsigned needs = is_marked || is_direction ? 0 : gp_hidden_needs(op, value, s->first[i], s->sum[i], s->sum2[i]);
        needs = rows->plane.scale == 0 ? needs : 0;
        out[i] = is_marked                ? gp_mark_of(has, nan)
                 : needs == GP_NEEDS_DOWN ? gp_empty_cell()
                 : is_direction           ? value
                                          : gp_held(value);
        all_need |= needs;
    }
    for (int64_t i = 0; i < n && had_nan != NULL; i++)
        if (s->has[i] != GP_HAS_FINITE && gp_is_marked_nan((unsigned)s->has[i], rows->hidden_nan))
            had_nan[i] = 1;
    return all_need;
}

/* Fills in what was beyond float64, or too small for squares, from scaled elements; what is beyond by itself is the largest number. */
static void refill_stage(const gp_row_reader *rows, int stage, double scale, const char *data, const uint8_t *mask, int64_t n,
                         double *out, double *had_nan, double *scratch)
{
    double *refilled = scratch + (int64_t)(stage + 1) * GP_HIDDEN_VALUES_PER_STAGE * n;
    gp_row_reader scaled = *rows;
    scaled.plane.scale = scale;
    load_stage(&scaled, stage, data, mask, n, refilled, had_nan, scratch);
    for (int64_t i = 0; i < n; i++) {
        bool is_taken = scale < 1 ? gp_is_empty_cell(out[i]) : fabs(out[i]) < GP_LEAST_SPREAD;
        out[i] = is_taken ? gp_held(refilled[i] / scale) : out[i];
    }
}

/* The result of stages 0..stage; stage -1 is the elements themselves. */
static void load_stage(const gp_row_reader *rows, int stage, const char *data, const uint8_t *mask, int64_t n, double *out,
                       double *had_nan, double *scratch)
{
    const gp_plane *plane = &rows->plane;
    if (stage < 0) {
        gp_row_reader_load_values(rows, gp_is_angle(plane) ? GP_COMPONENT_PHASE : plane->component, data, mask, n, out);
        return;
    }
    int64_t index[GP_MAX_NDIM] = {0};
    const double start = gp_hidden_start(gp_hidden_op_of(plane, stage));
    stage_sums s = sums_in(scratch, n);
    for (int64_t i = 0; i < n; i++)
        s.count[i] = 0, s.first[i] = 0, s.sum[i] = start, s.sum2[i] = 0, s.has[i] = 0;
    int64_t n_until_look = POLL_ELEMS;
    const char *first = data;
    const uint8_t *first_mask = mask;
    do {
        add_slice(rows, stage, data, mask, n, &s, had_nan, scratch + GP_HIDDEN_VALUES_PER_STAGE * n);
        n_until_look -= n;
        if (n_until_look <= 0 && gp_threads_is_stopped())
            break;
        n_until_look = n_until_look <= 0 ? POLL_ELEMS : n_until_look;
    } while (step(plane, stage, index, &data, &mask));
    unsigned needs = finish_stage(rows, stage, &s, n, out, had_nan);
    if (needs & GP_NEEDS_DOWN)
        refill_stage(rows, stage, GP_SCALE_DOWN, first, first_mask, n, out, had_nan, scratch);
    if (needs & GP_NEEDS_UP)
        refill_stage(rows, stage, GP_SCALE_UP, first, first_mask, n, out, had_nan, scratch);
}

void gp_row_reader_load_hidden(const gp_row_reader *rows, const char *data, const uint8_t *mask, int64_t n, double *out,
                               double *had_nan, double *scratch)
{
    gp_component component = rows->plane.component;
    load_stage(rows, rows->plane.n_stages - 1, data, mask, n, out, had_nan, scratch);
    if (component != GP_COMPONENT_UNIT_RE && component != GP_COMPONENT_UNIT_IM)
        return;
    for (int64_t i = 0; i < n; i++) {
        if (gp_has_no_direction(out[i]))
            out[i] = 0.0;
        else if (gp_class_of(out[i]) == GP_HAS_FINITE)
            out[i] = component == GP_COMPONENT_UNIT_RE ? cos(out[i]) : sin(out[i]);
    }
}
