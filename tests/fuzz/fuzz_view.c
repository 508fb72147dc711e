/* Looks at tensors through any view: planes have the elements of their axes, and cells what one look at each element gives. */
#include "backend.h"
#include "check.h"
#include "planes.h"

#include <float.h>

enum { MAX_CELLS = 24 };

/* What a reduction is asked for. */
typedef struct question {
    gp_agg agg;
    gp_nan nan;
    unsigned want;
    gp_axis rows, cols;
} question;

/* ---- geometry ------------------------------------------------------------------------------------------------------------- */

/* The bytes of the element at (row, col) of a plane, at index 0 of what is hidden. */
static const char *address(const gp_plane *plane, int64_t row, int64_t col)
{
    return (const char *)plane->data + row * plane->row_stride_bytes + col * plane->col_stride_bytes;
}

static const uint8_t *mask_address(const gp_plane *plane, int64_t row, int64_t col)
{
    return plane->mask ? plane->mask + row * plane->mask_row_stride_bytes + col * plane->mask_col_stride_bytes : NULL;
}

/* A part and the transposed plane have the same elements. */
static void check_parts(gp_input *input, const gp_plane *plane)
{
    int64_t row0 = input_between(input, 0, plane->n_rows), row1 = input_between(input, row0, plane->n_rows);
    int64_t col0 = input_between(input, 0, plane->n_cols), col1 = input_between(input, col0, plane->n_cols);
    gp_plane part = gp_plane_crop(plane, row0, row1, col0, col1), turned = gp_plane_transpose(plane);
    bool is_empty = row0 == row1 || col0 == col1;
    CHECK(part.n_rows == (is_empty ? 0 : row1 - row0) && part.n_cols == (is_empty ? 0 : col1 - col0));
    CHECK(turned.n_rows == plane->n_cols && turned.n_cols == plane->n_rows);
    for (int64_t row = row0; row < row1 && !is_empty; row++)
        for (int64_t col = col0; col < col1; col++) {
            CHECK(address(&part, row - row0, col - col0) == address(plane, row, col));
            CHECK(mask_address(&part, row - row0, col - col0) == mask_address(plane, row, col));
            CHECK(address(&turned, col, row) == address(plane, row, col));
            CHECK(mask_address(&turned, col, row) == mask_address(plane, row, col));
        }
}

/* Elements as they are stored, of planes that nothing is computed for. */
static void check_gather(const gp_scene *scene)
{
    const gp_plane *plane = &scene->plane;
    int item_bytes = gp_dtype_size_bytes(plane->dtype);
    char *out = malloc((size_t)(plane->n_rows * plane->n_cols * item_bytes + 1));
    gp_error error = {0};
    CHECK(out != NULL && gp_cpu_backend.gather(plane, out, &error) == GP_OK);
    for (int64_t row = 0; row < plane->n_rows; row++)
        for (int64_t col = 0; col < plane->n_cols; col++) {
            char *item = out + (row * plane->n_cols + col) * item_bytes;
            if (plane->is_byteswapped)
                swap_element(item, plane->dtype);
            CHECK(memcmp(item, address(plane, row, col) + plane->channel * plane->channel_stride_bytes, (size_t)item_bytes) == 0);
        }
    free(out);
}

/* ---- cells ---------------------------------------------------------------------------------------------------------------- */

/* Sums over the elements that a cell touches, each with its weight. */
typedef struct cell_sums {
    unsigned has;
    long double weight, sum, scale;
    double min, max, absmax, n_owned;
} cell_sums;

static double weight_of(const gp_span *span, int64_t j)
{
    return j == span->touched_begin ? span->w_first : j == span->touched_end - 1 ? span->w_last : 1.0;
}

static cell_sums sums_of(const gp_scene *scene, const gp_span *rows, const gp_span *cols)
{
    cell_sums s = {.min = (double)INFINITY, .max = -(double)INFINITY};
    bool is_first = true;
    for (int64_t row = rows->touched_begin; row < rows->touched_end; row++)
        for (int64_t col = cols->touched_begin; col < cols->touched_end; col++) {
            double x = scene->values[row * scene->plane.n_cols + col];
            long double w = (long double)weight_of(rows, row) * weight_of(cols, col);
            s.has |= gp_class_of(x);
            if (!isfinite(x))
                continue;
            s.weight += w, s.sum += w * x, s.scale += w * scene->scales[row * scene->plane.n_cols + col];
            s.min = x < s.min ? x : s.min, s.max = x > s.max ? x : s.max;
            bool is_larger = is_first || fabs(x) > fabs(s.absmax) || (fabs(x) == fabs(s.absmax) && x > s.absmax);
            s.absmax = is_larger ? x : s.absmax, is_first = false;
            s.n_owned += row >= rows->owned_begin && row < rows->owned_end && col >= cols->owned_begin && col < cols->owned_end;
        }
    return s;
}

static long double variance_of(const gp_scene *scene, const gp_span *rows, const gp_span *cols, const cell_sums *s)
{
    long double mean = s->sum / s->weight, squares = 0;
    for (int64_t row = rows->touched_begin; row < rows->touched_end; row++)
        for (int64_t col = cols->touched_begin; col < cols->touched_end; col++) {
            double x = scene->values[row * scene->plane.n_cols + col];
            if (isfinite(x))
                squares += (long double)weight_of(rows, row) * weight_of(cols, col) * (x - mean) * (x - mean);
        }
    return squares / s->weight;
}

static bool is_computed(gp_agg agg)
{
    return gp_agg_kind(agg) == GP_STATE_MOMENTS || (gp_agg_kind(agg) == GP_STATE_SUM && agg != GP_AGG_COUNT);
}

static double aggregate(const gp_scene *scene, const question *q, const gp_span *rows, const gp_span *cols, const cell_sums *s)
{
    switch (q->agg) {
    case GP_AGG_MEAN: return (double)(s->sum / s->weight);
    case GP_AGG_MAX: return s->max;
    case GP_AGG_MIN: return s->min;
    case GP_AGG_ABSMAX: return s->absmax;
    case GP_AGG_RANGE: return fmin(s->max - s->min, DBL_MAX);
    case GP_AGG_STD: return (double)sqrtl(variance_of(scene, rows, cols, s)); /* squares of float64 may be below its range */
    case GP_AGG_VAR: return (double)variance_of(scene, rows, cols, s);
    case GP_AGG_SUM: return (double)s->sum;
    case GP_AGG_COUNT: return s->n_owned;
    default: return s->max; /* one element */
    }
}

/* How far a cell may lie from the sums: rounding of what is computed, and of 64-bit integers that are subtracted here as float64. */
static double tolerance_of(const gp_scene *scene, gp_agg agg, double want, const cell_sums *s)
{
    double magnitude = (double)(s->scale / (s->weight < 1 ? s->weight : 1));
    double largest = fmax(fabs(s->max), fabs(s->min));
    if (is_computed(agg) || (!scene->is_exact && agg != GP_AGG_COUNT))
        return 1e-6 * fabs(want) + 1e-300 +
               (agg == GP_AGG_VAR ? 1e-10 * magnitude * magnitude : (agg == GP_AGG_STD ? 1e-7 : 1e-10) * magnitude);
    return agg == GP_AGG_RANGE && largest >= 0x1p53 ? largest * 0x1p-51 : 0;
}

static void check_cell(const gp_scene *scene, const question *q, int64_t row, int64_t col, double got)
{
    const gp_span *rows = &q->rows.spans[q->rows.is_reversed ? q->rows.n_cells - 1 - row : row];
    const gp_span *cols = &q->cols.spans[q->cols.is_reversed ? q->cols.n_cells - 1 - col : col];
    bool is_empty = rows->touched_begin == rows->touched_end || cols->touched_begin == cols->touched_end;
    CHECK(gp_is_empty_cell(got) == is_empty);
    if (is_empty)
        return;
    cell_sums s = sums_of(scene, rows, cols);
    if (scene->is_overflown && (is_computed(q->agg) || !scene->is_exact))
        return;
    if (gp_is_marked(s.has, q->nan)) {
        CHECK(is_as_good_as(got, gp_mark_of(s.has, q->nan), 0));
        return;
    }
    double want = aggregate(scene, q, rows, cols, &s), tolerance = tolerance_of(scene, q->agg, want, &s);
    bool is_either_sign = q->agg == GP_AGG_ABSMAX && !scene->is_exact;
    CHECK(is_as_good_as(is_either_sign ? fabs(got) : got, is_either_sign ? fabs(want) : want, tolerance));
    CHECK(got != 0 || !signbit(got));
}

/* ---- facts found on the way ------------------------------------------------------------------------------------------------ */

static void check_limits(const gp_scene *scene, unsigned want, const gp_limits *got)
{
    double low = (double)INFINITY, high = -(double)INFINITY, positive = (double)INFINITY, scale = 0;
    int64_t n_finite = 0, n_nan = 0, n_pos_inf = 0, n_neg_inf = 0, n_masked = 0;
    unsigned has = 0;
    for (int64_t i = 0; i < scene->plane.n_rows * scene->plane.n_cols; i++) {
        double x = scene->values[i];
        has |= gp_class_of(x);
        n_finite += isfinite(x), n_nan += gp_class_of(x) == GP_HAS_NAN, n_masked += gp_is_masked_value(x),
            n_pos_inf += isinf(x) && x > 0, n_neg_inf += isinf(x) && x < 0;
        scale = fmax(scale, scene->scales[i]);
        if (isfinite(x))
            low = fmin(low, x), high = fmax(high, x), positive = x > 0 ? fmin(positive, x) : positive;
    }
    if (scene->is_overflown && !scene->is_exact)
        return;
    double tolerance = scene->is_exact ? 0 : 1e-6 * scale;
    if (want & GP_WANT_RANGE)
        CHECK(got->has == has && is_as_good_as(got->min, n_finite ? low : (double)NAN, tolerance) &&
              is_as_good_as(got->max, n_finite ? high : (double)NAN, tolerance));
    if ((want & GP_WANT_POSITIVE) && scene->is_exact)
        CHECK(is_as_good_as(got->min_positive, isfinite(positive) ? positive : (double)NAN, 0));
    if (want & GP_WANT_COUNTS)
        CHECK(got->n_finite == n_finite && got->n_nan == n_nan && got->n_pos_inf == n_pos_inf && got->n_neg_inf == n_neg_inf &&
              got->n_masked == n_masked);
}

static void check_reduction(gp_input *input, const gp_scene *scene)
{
    /* hidden axes are reduced by the same option as cells are */
    question q = {.agg = (gp_agg)input_between(input, 0, GP_N_AGGS - 1),
                  .nan = scene->plane.hidden_nan,
                  .want = input_one_in(input, 2) ? (unsigned)input_between(input, 0, 7) : 0};
    gp_regime regime = q.agg == GP_AGG_NEAREST ? GP_REGIME_NEAREST : GP_REGIME_BY_WIDTH;
    gp_tie tie = (gp_tie)input_between(input, GP_TIE_UP, GP_TIE_DOWN);
    gp_reduce_options options = {.agg = q.agg, .nan = q.nan, .want = q.want};
    gp_limits_state state = gp_limits_state_none();
    gp_error error = {0};
    const gp_plane *plane = &scene->plane;
    int64_t n_rows = input_between(input, 1, MAX_CELLS), n_cols = input_between(input, 1, MAX_CELLS);
    bool is_whole = input_one_in(input, 2);
    double row0 = 0, row1 = (double)plane->n_rows, col0 = 0, col1 = (double)plane->n_cols;
    if (!is_whole) {
        row0 = input_double(input, plane->n_rows), row1 = input_double(input, plane->n_rows);
        col0 = input_double(input, plane->n_cols), col1 = input_double(input, plane->n_cols);
    }
    double *cells = malloc((size_t)(n_rows * n_cols) * sizeof *cells); /* of just this size */
    CHECK(cells != NULL);
    if (gp_axis_fit(plane->n_rows, row0, row1, n_rows, tie, regime, &q.rows, &error) == GP_OK &&
        gp_axis_fit(plane->n_cols, col0, col1, n_cols, tie, regime, &q.cols, &error) == GP_OK) {
        gp_cells out = {cells, n_rows, n_cols, {GP_DL_CPU, 0}};
        CHECK(gp_cpu_backend.reduce(plane, &q.rows, &q.cols, &options, &out, q.want ? &state : NULL, &error) == GP_OK);
        for (int64_t i = 0; i < n_rows * n_cols; i++)
            check_cell(scene, &q, i / n_cols, i % n_cols, cells[i]);
        gp_limits limits = gp_limits_state_finish(&state);
        check_limits(scene, q.want, &limits);
    }
    gp_axis_free(&q.rows);
    gp_axis_free(&q.cols);
    free(cells);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n_bytes)
{
    gp_input input = {data, n_bytes};
    gp_scene scene;
    if (!input_scene(&input, &scene))
        return 0;
    check_parts(&input, &scene.plane);
    if (scene.plane.n_hidden == 0 && scene.plane.n_stages == 0)
        check_gather(&scene);
    check_reduction(&input, &scene);
    scene_free(&scene);
    return 0;
}
