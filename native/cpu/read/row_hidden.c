/* Reduces the hidden axes of a plane for one row of elements at a time: stage after stage, each over all its axes jointly. */
#include "row_hidden.h"

#include "../../core/base/threads.h"
#include "../../core/tensor/element.h"
#include "../simd/hidden_loops.h"
#include "hidden_slices.h"
#include "row_hidden_finite.h"
#include "row_load.h"

/* The columns of one stage, and the elements of a slice; for angles `sum` and `sum2` are the parts of a vector. */
typedef struct stage_sums {
    double *inner;
    gp_hidden_columns columns;
} stage_sums;

static stage_sums sums_in(double *scratch, int64_t n)
{
    gp_hidden_columns columns = {scratch + n, scratch + 2 * n, scratch + 3 * n, scratch + 4 * n, (uint64_t *)(scratch + 5 * n)};
    return (stage_sums){scratch, columns};
}

static void begin_sums(const gp_hidden_columns *c, double start, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        c->count[i] = 0, c->first[i] = 0, c->sum[i] = start, c->sum2[i] = 0, c->has[i] = 0;
}

/* inner holds the real parts of directions and first the imaginary ones. */
static void add_directions(const stage_sums *s, int64_t n)
{
    const gp_hidden_columns *c = &s->columns;
    for (int64_t i = 0; i < n; i++) {
        unsigned class = gp_class_of(s->inner[i]);
        c->has[i] |= class;
        if (class == GP_HAS_FINITE)
            c->sum[i] += s->inner[i], c->sum2[i] += c->first[i];
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
        gp_hidden_loops_here()->add[op](s->inner, n, &s->columns);
        return;
    }
    if (stage == 0) {
        gp_row_reader_load_values(rows, GP_COMPONENT_UNIT_RE, data, mask, n, s->inner);
        gp_row_reader_load_values(rows, GP_COMPONENT_UNIT_IM, data, mask, n, s->columns.first);
    } else {
        load_stage(rows, stage - 1, data, mask, n, s->inner, had_nan, scratch);
        for (int64_t i = 0; i < n; i++) {
            double angle = s->inner[i];
            s->columns.first[i] = gp_has_no_direction(angle) ? 0.0 : sin(angle);
            if (gp_class_of(angle) == GP_HAS_FINITE)
                s->inner[i] = gp_has_no_direction(angle) ? 0.0 : cos(angle);
        }
    }
    add_directions(s, n);
}

/* What the sums come to, or marks; see gp_row_reader_load_hidden. The scales that some need: what is beyond float64 is gp_empty_cell. */
static unsigned finish_stage(const gp_row_reader *rows, int stage, const gp_hidden_columns *c, int64_t n, double *out,
                             double *had_nan)
{
    gp_hidden_op op = gp_hidden_op_of(&rows->plane, stage);
    gp_nan nan = had_nan != NULL ? GP_NAN_INFINITE : rows->hidden_nan;
    bool is_direction = op == GP_HIDDEN_MEAN && gp_is_angle(&rows->plane);
    double n_repeats = rows->plane.stage_repeats[stage];
    unsigned all_need = 0;
    for (int64_t i = 0; i < n; i++) {
        unsigned has = (unsigned)c->has[i];
        bool is_marked = gp_is_marked(has, nan);
        double value = gp_hidden_value(op, is_direction, n_repeats, c->count[i], c->sum[i], c->sum2[i]);
        unsigned needs = is_marked || is_direction ? 0 : gp_hidden_needs(op, value, c->first[i], c->sum[i], c->sum2[i]);
        needs = rows->plane.scale == 0 ? needs : 0;
        out[i] = is_marked                ? gp_mark_of(has, nan)
                 : needs == GP_NEEDS_DOWN ? gp_empty_cell()
                 : is_direction           ? value
                                          : gp_held(value);
        all_need |= needs;
    }
    for (int64_t i = 0; i < n && had_nan != NULL; i++)
        if (c->has[i] != GP_HAS_FINITE && gp_is_marked_nan((unsigned)c->has[i], rows->hidden_nan))
            had_nan[i] = 1;
    return all_need;
}

/* Fills in what was beyond float64, or too small for squares, from scaled elements; what is beyond by itself is the largest number. Columns
 * of large equal elements keep their zero: scaled up for the sake of others, these leave the range. */
static void refill_stage(const gp_row_reader *rows, int stage, double scale, const char *data, const uint8_t *mask, int64_t n,
                         double *out, double *had_nan, double *scratch)
{
    double *refilled = scratch + (int64_t)(stage + 1) * GP_HIDDEN_VALUES_PER_STAGE * n;
    gp_row_reader scaled = *rows;
    scaled.plane.scale = scale;
    load_stage(&scaled, stage, data, mask, n, refilled, had_nan, scratch);
    for (int64_t i = 0; i < n; i++) {
        double back = refilled[i] / scale;
        bool is_small = fabs(out[i]) < GP_LEAST_SPREAD && fabs(back) < GP_LEAST_SPREAD;
        out[i] = (scale < 1 ? gp_is_empty_cell(out[i]) : is_small) ? gp_held(back) : out[i];
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
    if (stage == 0 && gp_row_reader_load_finite(rows, data, mask, n, out, scratch))
        return;
    stage_sums s = sums_in(scratch, n);
    begin_sums(&s.columns, gp_hidden_start(gp_hidden_op_of(plane, stage)), n);
    int64_t n_until_look = GP_HIDDEN_POLL_ELEMS;
    gp_hidden_slice slice = {.data = data, .mask = mask};
    do {
        add_slice(rows, stage, slice.data, slice.mask, n, &s, had_nan, scratch + GP_HIDDEN_VALUES_PER_STAGE * n);
        n_until_look -= n;
        if (n_until_look <= 0 && gp_threads_is_stopped())
            break;
        n_until_look = n_until_look <= 0 ? GP_HIDDEN_POLL_ELEMS : n_until_look;
    } while (gp_hidden_slice_step(plane, stage, &slice));
    unsigned needs = finish_stage(rows, stage, &s.columns, n, out, had_nan);
    if (needs & GP_NEEDS_DOWN)
        refill_stage(rows, stage, GP_SCALE_DOWN, data, mask, n, out, had_nan, scratch);
    if (needs & GP_NEEDS_UP)
        refill_stage(rows, stage, GP_SCALE_UP, data, mask, n, out, had_nan, scratch);
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
