/* Reduces hidden axes where all elements are finite: whole slices are added to columns, by the loops of their dtype. */
#include "row_hidden_finite.h"

#include "../../core/base/threads.h"
#include "../../core/tensor/element.h"
#include "../simd/loops.h"
#include "hidden_slices.h"

/* The columns of one stage, in its scratch. */
typedef struct finite_stage {
    const gp_row_reader *rows;
    const gp_loops *loops;
    gp_hidden_op op;
    int64_t n, n_slices;
    char *packed; /* room for slices that are not read in place: 2 * n float64 */
    double *shift, *first, *second;
} finite_stage;

static bool is_supported(const gp_row_reader *rows, gp_hidden_op op)
{
    const gp_plane *plane = &rows->plane;
    bool is_plain = rows->stored.way != GP_ROWS_VALUES && plane->mask == NULL && plane->scale == 0 && !gp_is_angle(plane);
    return is_plain && op != GP_HIDDEN_NORM;
}

static bool is_extreme(gp_hidden_op op) { return op == GP_HIDDEN_MAX || op == GP_HIDDEN_MIN; }

static int most_slices(const finite_stage *s)
{
    const gp_stored_rows *stored = &s->rows->stored;
    int n_packed = 2 * (int)sizeof(double) / stored->item_bytes;
    return stored->way == GP_ROWS_IN_PLACE || n_packed > GP_MAX_CELL_ROWS ? GP_MAX_CELL_ROWS : n_packed;
}

/* Adds slices to the columns; false if an element is known not to be finite. */
static bool add_slices(finite_stage *s, const void *const *slices, int n_slices)
{
    bool is_first = s->n_slices == 0;
    s->n_slices += n_slices;
    if (is_extreme(s->op))
        return s->loops->extremes(slices, n_slices, s->n, s->op == GP_HIDDEN_MIN ? s->first : NULL,
                                  s->op == GP_HIDDEN_MAX ? s->first : NULL, is_first);
    if (s->op != GP_HIDDEN_STD) {
        s->loops->sum_in_order(slices, n_slices, s->n, s->first);
        return true;
    }
    if (is_first)
        s->loops->values(slices[0], s->n, s->shift);
    s->loops->moments_in_order(slices, n_slices, s->n, s->shift, s->first, s->second);
    return true;
}

static bool add_all(finite_stage *s, const char *data)
{
    const gp_stored_rows *stored = &s->rows->stored;
    gp_hidden_slice slice = {.data = data + stored->offset_bytes};
    bool is_finite = true, has_more = true;
    int n_most = most_slices(s);
    for (int64_t n_until_look = GP_HIDDEN_POLL_ELEMS; has_more && is_finite;) {
        const void *slices[GP_MAX_CELL_ROWS];
        int n_slices = 0;
        for (; has_more && n_slices < n_most; has_more = gp_hidden_slice_step(&s->rows->plane, 0, &slice), n_slices++)
            slices[n_slices] = gp_row_reader_load_stored(s->rows, stored, slice.data, s->n,
                                                         s->packed + n_slices * s->n * stored->item_bytes);
        is_finite = add_slices(s, slices, n_slices);
        n_until_look -= n_slices * s->n;
        if (n_until_look <= 0 && gp_threads_is_stopped())
            break;
        n_until_look = n_until_look <= 0 ? GP_HIDDEN_POLL_ELEMS : n_until_look;
    }
    return is_finite;
}

/* Means or sums; false if one is not finite, as a column had an element that is not, or its sum is beyond float64. */
static bool finish_sums(const finite_stage *s, double *restrict out)
{
    double count = s->op == GP_HIDDEN_MEAN ? (double)s->n_slices : 1.0, odd = 0;
    double n_repeats = s->op == GP_HIDDEN_SUM ? s->rows->plane.stage_repeats[0] : 1.0;
    for (int64_t i = 0; i < s->n; i++) {
        out[i] = s->first[i] / count * n_repeats;
        odd += out[i] - out[i]; /* 0, or NaN for what is not finite */
    }
    return odd == 0;
}

static bool finish_spreads(const finite_stage *s, double *restrict out)
{
    unsigned needs = 0;
    for (int64_t i = 0; i < s->n; i++) {
        double value = gp_hidden_value(GP_HIDDEN_STD, false, 1.0, (double)s->n_slices, s->first[i], s->second[i]);
        needs |= gp_hidden_needs(GP_HIDDEN_STD, value, s->shift[i], s->first[i], s->second[i]);
        out[i] = value;
    }
    return needs == 0;
}

bool gp_row_reader_load_finite(const gp_row_reader *rows, const char *data, const uint8_t *mask, int64_t n, double *out,
                               double *scratch)
{
    finite_stage s = {.rows = rows, .loops = gp_loops_for(rows->stored.dtype), .op = gp_hidden_op_of(&rows->plane, 0), .n = n};
    s.packed = (char *)scratch, s.shift = scratch + 2 * n, s.first = scratch + 3 * n, s.second = scratch + 4 * n;
    if (mask != NULL || !is_supported(rows, s.op))
        return false;
    memset(s.first, 0, 2 * (size_t)n * sizeof *s.first);
    if (!add_all(&s, data))
        return false;
    if (is_extreme(s.op)) {
        gp_loops_for(s.loops->extremes_dtype)->values(s.first, n, out);
        return true;
    }
    return s.op == GP_HIDDEN_STD ? finish_spreads(&s, out) : finish_sums(&s, out);
}
