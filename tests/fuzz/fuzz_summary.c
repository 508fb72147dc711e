/* Summaries, finds, histograms and percentiles of any plane and of the slices of any tensor, against one look at each element. */
#include "backend.h"
#include "check.h"
#include "planes.h"

enum { MAX_BINS = 40, MAX_PERCENTS = 4, MAX_SLICES = 1 << 16 };

/* Elements in order, and how exactly a summary of them has to be theirs. */
typedef struct elements {
    double *x;
    int64_t n;
    double scale; /* of the largest: what was computed has an error of some part of it */
    bool is_exact; /* the values are those of the elements */
    bool is_64_bit; /* integers that float64 does not tell apart */
    bool is_overflown; /* sums may be infinite */
} elements;

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static bool is_wide(gp_dtype dtype) { return dtype == GP_I64 || dtype == GP_U64; }

/* ---- summaries ------------------------------------------------------------------------------------------------------------ */

/* Squares of numbers this small are subnormal, and good to a few of the smallest numbers that there are. */
static const double SUBNORMAL = 1e-320;

static void check_summary(const elements *e, double smallest, const gp_summary *got)
{
    gp_summary want = gp_summary_none();
    long double sum = 0, squares = 0, m2 = 0;
    double size = 0;
    int64_t n_finite = 0;
    for (int64_t i = 0; i < e->n; i++) {
        double x = e->x[i];
        want.n_nan += gp_class_of(x) == GP_HAS_NAN, want.n_masked += gp_is_masked_value(x), want.n_pos_inf += isinf(x) && x > 0,
            want.n_neg_inf += isinf(x) && x < 0;
        want.first_nan = gp_class_of(x) == GP_HAS_NAN && want.first_nan < 0 ? i : want.first_nan;
        if (!isfinite(x))
            continue;
        n_finite++, sum += x, squares += (long double)x * x, size = fmax(size, fabs(x));
        want.n_neg += x < 0, want.n_zero += x == 0, want.n_pos += x > 0, want.n_subnormal += x != 0 && fabs(x) < smallest;
        want.argmin = want.argmin < 0 || x < e->x[want.argmin] ? i : want.argmin;
        want.argmax = want.argmax < 0 || x > e->x[want.argmax] ? i : want.argmax;
    }
    for (int64_t i = 0; i < e->n; i++)
        m2 += isfinite(e->x[i]) ? (e->x[i] - sum / n_finite) * (e->x[i] - sum / n_finite) : 0;
    if (e->is_exact) {
        CHECK(got->n_nan == want.n_nan && got->n_pos_inf == want.n_pos_inf && got->n_neg_inf == want.n_neg_inf);
        CHECK(got->n_masked == want.n_masked);
        CHECK(got->n_neg == want.n_neg && got->n_zero == want.n_zero && got->n_pos == want.n_pos);
        CHECK(got->first_nan == want.first_nan && got->n_subnormal == want.n_subnormal);
        CHECK(is_as_good_as(got->min, n_finite ? e->x[want.argmin] : (double)NAN, 0) && (got->min != 0 || !signbit(got->min)));
        CHECK(is_as_good_as(got->max, n_finite ? e->x[want.argmax] : (double)NAN, 0) && (got->max != 0 || !signbit(got->max)));
        CHECK(e->is_64_bit || (got->argmin == want.argmin && got->argmax == want.argmax));
    }
    if (e->is_overflown)
        return;
    double part = e->is_exact ? 1e-12 : 1e-6;
    CHECK(is_as_good_as(got->mean, n_finite ? (double)(sum / n_finite) : (double)NAN, part * e->scale));
    CHECK(is_as_good_as(got->m2, (double)m2, 1e-9 * (double)m2 + part * size * e->scale * (double)e->n + SUBNORMAL));
    CHECK(is_as_good_as(got->sum_of_squares, (double)squares,
                        1e-9 * (double)squares + part * size * e->scale * (double)e->n + SUBNORMAL));
}

/* ---- histograms ------------------------------------------------------------------------------------------------------------ */

/* Edges that rise strictly, some of them elements; how many bins they make. */
static int64_t read_edges(gp_input *input, const elements *e, double *edges)
{
    int64_t n = input_between(input, 2, MAX_BINS + 1), n_edges = 0;
    for (int64_t i = 0; i < n; i++) {
        double x = input_one_in(input, 2) && e->n > 0 ? e->x[input_between(input, 0, e->n - 1)] : input_double(input, 100);
        edges[n_edges] = x;
        n_edges += isfinite(x) ? 1 : 0;
    }
    qsort(edges, (size_t)n_edges, sizeof *edges, compare);
    int64_t n_distinct = n_edges > 0 ? 1 : 0;
    for (int64_t i = 1; i < n_edges; i++)
        if (edges[i] != edges[n_distinct - 1])
            edges[n_distinct++] = edges[i];
    return n_distinct - 1;
}

static void check_counts(const elements *e, const double *edges, int64_t n_bins, const int64_t *got)
{
    int64_t want[MAX_BINS] = {0};
    for (int64_t i = 0; i < e->n; i++)
        for (int64_t bin = 0; bin < n_bins; bin++)
            want[bin] += edges[bin] <= e->x[i] && (bin == n_bins - 1 ? e->x[i] <= edges[bin + 1] : e->x[i] < edges[bin + 1]);
    CHECK(!e->is_exact || memcmp(got, want, (size_t)n_bins * sizeof *want) == 0);
}

/* ---- percentiles ----------------------------------------------------------------------------------------------------------- */

/* Each element is there n_repeats times. */
static double percentile_of(const double *sorted, int64_t n, int64_t n_repeats, double percent)
{
    double at = percent / 100 * (double)(n * n_repeats - 1), low = floor(at);
    int64_t below = (int64_t)low, above = below + 1 < n * n_repeats ? below + 1 : below;
    double a = n > 0 ? sorted[below / n_repeats] : (double)NAN, b = n > 0 ? sorted[above / n_repeats] : (double)NAN;
    return a + (b - a) * (at - low);
}

static void check_percentiles(const elements *e, int64_t n_repeats, const double *percents, bool is_positive_only,
                              const double *got)
{
    double *sorted = malloc((size_t)(e->n + 1) * sizeof *sorted);
    int64_t n = 0;
    CHECK(sorted != NULL);
    for (int64_t i = 0; i < e->n; i++)
        if (isfinite(e->x[i]) && (!is_positive_only || e->x[i] > 0))
            sorted[n++] = e->x[i];
    qsort(sorted, (size_t)n, sizeof *sorted, compare);
    for (int k = 0; k < MAX_PERCENTS && !e->is_overflown && (e->is_exact || !is_positive_only); k++)
        CHECK(is_as_good_as(got[k], percentile_of(sorted, n, n_repeats, percents[k]), (e->is_exact ? 1e-12 : 1e-6) * e->scale));
    free(sorted);
}

static void read_percents(gp_input *input, double *percents)
{
    for (int k = 0; k < MAX_PERCENTS; k++)
        percents[k] = (double)input_between(input, 0, 200) / 2;
}

/* ---- planes ---------------------------------------------------------------------------------------------------------------- */

static elements elements_of(const gp_scene *scene)
{
    elements e = {.x = scene->values,
                  .n = scene->plane.n_rows * scene->plane.n_cols,
                  .is_exact = scene->is_exact,
                  .is_64_bit = is_wide(scene->tensor.dtype),
                  .is_overflown = scene->is_overflown};
    for (int64_t i = 0; i < e.n; i++)
        e.scale = fmax(e.scale, scene->scales[i]);
    return e;
}

static void check_find(gp_input *input, const elements *e, const gp_plane *plane)
{
    unsigned kinds = (unsigned)input_between(input, 1, 31);
    bool is_backwards = input_one_in(input, 2);
    int64_t start = input_between(input, is_backwards ? -1 : 0, is_backwards ? e->n - 1 : e->n), want = start, got = -2;
    gp_error error = {0};
    while (want >= 0 && want < e->n && !(gp_class_of(e->x[want]) & kinds))
        want += is_backwards ? -1 : 1;
    CHECK(gp_cpu_backend.find(plane, kinds, start, is_backwards, &got, &error) == GP_OK);
    CHECK(!e->is_exact || got == (want < e->n ? want : -1));
}

static void check_plane(gp_input *input, const gp_scene *scene)
{
    elements e = elements_of(scene);
    double edges[MAX_BINS + 1], percents[MAX_PERCENTS], got[MAX_PERCENTS];
    int64_t counts[MAX_BINS];
    gp_summary_state state;
    gp_error error = {0};
    CHECK(gp_cpu_backend.summarize(&scene->plane, &state, &error) == GP_OK);
    gp_summary summary = gp_summary_state_finish(&state, gp_plane_summary_order(&scene->plane));
    check_summary(&e, scene->is_exact ? gp_smallest_normal(scene->tensor.dtype) : 0, &summary);
    check_find(input, &e, &scene->plane);
    int64_t n_bins = read_edges(input, &e, edges);
    if (n_bins > 0) {
        CHECK(gp_cpu_backend.histogram(&scene->plane, edges, n_bins, NULL, counts, &error) == GP_OK);
        check_counts(&e, edges, n_bins, counts);
    }
    bool is_positive_only = input_one_in(input, 4);
    read_percents(input, percents);
    CHECK(gp_cpu_backend.percentiles(&scene->plane, percents, MAX_PERCENTS, is_positive_only, got, &error) == GP_OK);
    check_percentiles(&e, gp_plane_repeats(&scene->plane), percents, is_positive_only, got);
}

/* ---- slices ---------------------------------------------------------------------------------------------------------------- */

/* The index of element `at` of slice `number`: both count in row-major order over their own axes. */
static void slice_index(const gp_scene *scene, const gp_slice_use *uses, int64_t number, int64_t at, int64_t *index)
{
    for (int i = scene->tensor.n_dims - 1; i >= 0; i--) {
        int64_t *rest = uses[i].is_between ? &number : &at;
        index[i] = uses[i].start + *rest % uses[i].size * uses[i].step;
        *rest /= uses[i].size;
    }
}

static elements elements_of_slice(const gp_scene *scene, const gp_slice_use *uses, int64_t number, int64_t n, double *x)
{
    elements e = {.x = x, .n = n, .is_64_bit = is_wide(scene->tensor.dtype)};
    e.is_exact = scene->component == GP_COMPONENT_VALUE || scene->component == GP_COMPONENT_RE ||
                 scene->component == GP_COMPONENT_IM;
    for (int64_t i = 0; i < n; i++) {
        int64_t index[MAX_LAYOUT_DIMS] = {0};
        double scale;
        slice_index(scene, uses, number, i, index);
        x[i] = scene_value(scene, index, &scale);
        e.scale = fmax(e.scale, scale);
    }
    e.is_overflown = e.scale > 1e100;
    return e;
}

static void check_slices(const gp_scene *scene, const gp_slice_use *uses, const gp_slices *slices, const double *edges,
                         int64_t n_bins, const double *percents)
{
    int64_t n = slices->n_slices;
    if (n > MAX_SLICES || slices->n_elems > MAX_SLICES) /* of no elements in all */
        return;
    gp_summary *summaries = malloc((size_t)(n + 1) * sizeof *summaries);
    double *all_edges = malloc((size_t)(n * (n_bins + 1) + 1) * sizeof *all_edges);
    double *got = malloc((size_t)(n * MAX_PERCENTS + 1) * sizeof *got);
    int64_t *counts = malloc((size_t)(n * n_bins + 1) * sizeof *counts);
    double *x = malloc((size_t)(slices->n_elems + 1) * sizeof *x);
    gp_error error = {0};
    CHECK(summaries != NULL && all_edges != NULL && got != NULL && counts != NULL && x != NULL);
    for (int64_t i = 0; i < n; i++)
        memcpy(all_edges + i * (n_bins + 1), edges, (size_t)(n_bins + 1) * sizeof *edges);
    CHECK(gp_cpu_backend.summarize_slices(slices, summaries, &error) == GP_OK);
    CHECK(gp_cpu_backend.histogram_slices(slices, all_edges, n_bins, NULL, counts, &error) == GP_OK);
    CHECK(gp_cpu_backend.percentiles_slices(slices, percents, MAX_PERCENTS, got, &error) == GP_OK);
    for (int64_t i = 0; i < n; i++) {
        elements e = elements_of_slice(scene, uses, i, slices->n_elems, x);
        check_summary(&e, e.is_exact ? gp_smallest_normal(scene->tensor.dtype) : 0, &summaries[i]);
        check_counts(&e, edges, n_bins, counts + i * n_bins);
        check_percentiles(&e, 1, percents, false, got + i * MAX_PERCENTS);
    }
    free(summaries);
    free(all_edges);
    free(got);
    free(counts);
    free(x);
}

static void check_tensor(gp_input *input)
{
    gp_scene scene = {0};
    gp_slice_use uses[MAX_LAYOUT_DIMS];
    gp_slices slices;
    gp_error error = {0};
    double edges[MAX_BINS + 1], percents[MAX_PERCENTS];
    elements none = {0};
    input_tensor(input, &scene);
    for (int i = 0; i < scene.tensor.n_dims; i++) {
        gp_axis_use use = {0};
        input_range(input, scene.tensor.shape[i], &use);
        uses[i] = (gp_slice_use){use.start, use.step, use.size, input_one_in(input, 2)};
    }
    scene.component = GP_COMPONENT_VALUE;
    if (gp_dtype_is_complex(scene.tensor.dtype))
        scene.component = (gp_component)input_between(input, GP_COMPONENT_ABS, GP_COMPONENT_IM);
    CHECK(gp_slices_from(&scene.tensor, uses, scene.component, &slices, &error) == GP_OK);
    int64_t n_bins = read_edges(input, &none, edges);
    read_percents(input, percents);
    if (n_bins > 0)
        check_slices(&scene, uses, &slices, edges, n_bins, percents);
    scene_free(&scene);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n_bytes)
{
    gp_input input = {data, n_bytes};
    gp_scene scene;
    if (input_one_in(&input, 2)) {
        check_tensor(&input);
    } else if (input_scene(&input, &scene)) {
        check_plane(&input, &scene);
        scene_free(&scene);
    }
    return 0;
}
