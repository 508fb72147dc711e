/* The operations of a backend, one after the other, each of which must succeed. */
#include "draws.h"

#include "check.h"

#define MUST(expression)                                                                                                         \
    do {                                                                                                                         \
        gp_error failure = {0};                                                                                                  \
        if ((expression) != GP_OK) {                                                                                             \
            fprintf(stderr, "%s\n", failure.message);                                                                            \
            CHECK(!#expression);                                                                                                 \
        }                                                                                                                        \
    } while (0)

gp_plane draw_plane(const gp_tensor *tensor)
{
    gp_axis_use uses[2] = {{GP_ROLE_ROWS, 0, 1, tensor->shape[0], 0}, {GP_ROLE_COLS, 0, 1, tensor->shape[1], 0}};
    gp_plane plane = {0};
    MUST(gp_plane_from(tensor, uses, 0, NULL, GP_COMPONENT_VALUE, &plane, &failure));
    return plane;
}

gp_cells draw_cells(const gp_backend *backend, const gp_plane *plane, gp_agg agg)
{
    gp_axis rows = {0}, cols = {0};
    gp_cells cells = {0};
    gp_limits_state limits, limits_without_nan, limits_of_cells;
    gp_cells without_nan = {0};
    gp_cell_state states[DRAW_ROWS * DRAW_COLS];
    gp_reduce_options options = {.agg = agg, .nan = GP_NAN_SKIP, .want = GP_WANT_RANGE};
    MUST(gp_axis_fit(plane->n_rows, 0, (double)plane->n_rows, DRAW_ROWS, GP_TIE_UP, GP_REGIME_BY_WIDTH, &rows, &failure));
    MUST(gp_axis_fit(plane->n_cols, 0, (double)plane->n_cols, DRAW_COLS, GP_TIE_UP, GP_REGIME_BY_WIDTH, &cols, &failure));
    MUST(backend->cells_alloc(DRAW_ROWS, DRAW_COLS, plane->device, &cells, &failure));
    MUST(backend->cells_alloc(DRAW_ROWS, DRAW_COLS, plane->device, &without_nan, &failure));
    options.without_nan = &without_nan, options.limits_without_nan = &limits_without_nan;
    options.limits_of_cells = &limits_of_cells;
    uint8_t rgba[4 * DRAW_ROWS * DRAW_COLS], table[4 * (2 + 3)] = {0};
    gp_style style = {
        .norm = GP_NORM_LINEAR, .vmin = (double)NAN, .vmax = (double)NAN, .table = table, .n_colors = 2, .alpha = 1};
    gp_limits_search search = {
        .origin = GP_ORIGIN_EITHER, .least_part = 0.25, .center = (double)NAN, .given = {(double)NAN, (double)NAN}};
    gp_pixels pixels = {rgba, DRAW_ROWS, DRAW_COLS};
    gp_shading shading = {.style = &style, .search = &search, .out = &pixels};
    options.shading = &shading;
    MUST(backend->reduce(plane, &rows, &cols, &options, &cells, &limits, &failure));
    MUST(backend->fill_without_nan(&cells, &without_nan, &failure));
    MUST(backend->reduce_states(plane, &rows, &cols, &options, states, &limits, &failure));
    backend->cells_free(&without_nan);
    gp_axis_free(&rows);
    gp_axis_free(&cols);
    return cells;
}

void draw_shade(const gp_backend *backend, const gp_cells *cells, draw_results *out)
{
    uint8_t table[(256 + 3) * 4];
    for (int i = 0; i < (int)sizeof table; i++)
        table[i] = (uint8_t)(i * 7 + i / 4);
    gp_style style = {.norm = GP_NORM_LINEAR, .vmin = -2, .vmax = 2, .table = table, .n_colors = 256, .alpha = 1};
    gp_rgb_style rgb_style = {.scale = {0.25, 0.25, 0.25, 1}, .offset = {0.5, 0.5, 0.5, 0}, .alpha = 1};
    gp_pixels pixels = {out->rgba, DRAW_ROWS, DRAW_COLS}, rgb_pixels = {out->rgb, DRAW_ROWS, DRAW_COLS};
    gp_cells channels[3] = {*cells, *cells, *cells};
    double range[2];
    MUST(backend->shade(cells, &style, &pixels, &failure));
    MUST(backend->shade_rgb(channels, 3, &rgb_style, &rgb_pixels, range, &failure));
    MUST(backend->cells_copy_out(cells, out->cells, &failure));
}

/* Two weights of each cell along an axis, in arrays that hold so many. */
static gp_taps taps_of(int64_t n_from, int64_t n_cells, int64_t *first, int64_t *touched, double *weights)
{
    for (int64_t i = 0; i < n_cells; i++) {
        first[i] = i * (n_from - 1) / n_cells;
        touched[2 * i] = first[i], touched[2 * i + 1] = first[i] + 2;
        weights[2 * i] = 0.75, weights[2 * i + 1] = 0.25;
    }
    return (gp_taps){first, touched, weights, n_cells, 2};
}

void draw_cells_of_cells(const gp_backend *backend, const gp_cells *cells, draw_results *out)
{
    int64_t first[2][FILTERED_COLS], touched[2][2 * FILTERED_COLS];
    double weights[2][2 * FILTERED_COLS];
    gp_taps rows = taps_of(cells->n_rows, FILTERED_ROWS, first[0], touched[0], weights[0]);
    gp_taps cols = taps_of(cells->n_cols, FILTERED_COLS, first[1], touched[1], weights[1]);
    gp_cells angles = {0}, filtered = {0};
    MUST(backend->cells_alloc(FILTERED_ROWS, FILTERED_COLS, cells->device, &angles, &failure));
    MUST(backend->cells_alloc(FILTERED_ROWS, FILTERED_COLS, cells->device, &filtered, &failure));
    MUST(backend->filter(cells, &rows, &cols, GP_NAN_SKIP, &filtered, &failure));
    MUST(backend->angle(&filtered, &filtered, &angles, &failure));
    MUST(backend->cells_copy_out(&angles, out->angles, &failure));
    MUST(backend->cells_copy_out(&filtered, out->filtered, &failure));
    backend->cells_free(&angles);
    backend->cells_free(&filtered);
}

/* Elements as both coordinates of points, counted. */
static void bin_points(const gp_backend *backend, const gp_plane *plane, draw_results *out)
{
    gp_point_options options = {.x = {.first = -2, .last = 2, .n_cells = DRAW_COLS},
                                .y = {.first = -1, .last = 3, .n_cells = DRAW_ROWS},
                                .agg = GP_AGG_COUNT};
    gp_cells cells = {0};
    MUST(backend->cells_alloc(DRAW_ROWS, DRAW_COLS, plane->device, &cells, &failure));
    MUST(backend->bin_points(plane, plane, NULL, &options, &cells, &out->n_outside, &failure));
    MUST(backend->cells_copy_out(&cells, out->points, &failure));
    backend->cells_free(&cells);
}

/* Rows as lines over positions, and over themselves in no order. */
static void bin_lines(const gp_backend *backend, const gp_plane *plane, draw_results *out)
{
    gp_line_options options = {
        .x = {.first = 0, .last = (double)plane->n_cols, .n_cells = DRAW_COLS, .low = -1e308, .high = 1e308},
        .y = {.first = -1, .last = 3, .n_cells = DRAW_ROWS, .low = -1e308, .high = 1e308},
        .is_normalized = true};
    gp_lines lines[2] = {{.y = plane, .order = GP_LINE_SORTED}, {.x = plane, .y = plane}};
    gp_cells cells = {0};
    MUST(backend->cells_alloc(DRAW_ROWS, DRAW_COLS, plane->device, &cells, &failure));
    MUST(backend->bin_lines(lines, 2, &options, &cells, &failure));
    MUST(backend->cells_copy_out(&cells, out->lines, &failure));
    backend->cells_free(&cells);
}

/* The rows that each row of elements fills as a line over positions. */
static void find_line_rows(const gp_plane *plane, draw_results *out)
{
    gp_line_options options = {
        .x = {.first = 0, .last = (double)plane->n_cols, .n_cells = DRAW_COLS, .low = -1e308, .high = 1e308},
        .y = {.first = -1, .last = 3, .n_cells = DRAW_ROWS, .low = -1e308, .high = 1e308},
        .has_outside = true};
    gp_lines lines = {.y = plane, .order = GP_LINE_SORTED};
    gp_line_box box = {0, plane->n_rows < DRAW_SLICES ? plane->n_rows : DRAW_SLICES, 0, DRAW_COLS};
    MUST(gp_cpu_line_rows(&lines, 1, &options, box, out->line_rows, &failure));
}

/* Elements less their neighbors, of some of one row. */
static void subtract(const gp_backend *backend, const gp_plane *plane, draw_results *out)
{
    int64_t n = plane->n_cols - 1 < DRAW_COLS ? plane->n_cols - 1 : DRAW_COLS;
    gp_plane left = gp_plane_crop(plane, 0, 1, 0, n), right = gp_plane_crop(plane, 0, 1, 1, n + 1);
    gp_cells cells = {0};
    MUST(backend->cells_alloc(1, n, plane->device, &cells, &failure));
    MUST(backend->subtract(&left, &right, &cells, &failure));
    MUST(backend->cells_copy_out(&cells, out->differences, &failure));
    backend->cells_free(&cells);
}

void draw_elements_into_cells(const gp_backend *backend, const gp_plane *plane, draw_results *out)
{
    bin_points(backend, plane, out);
    bin_lines(backend, plane, out);
    if (backend == &gp_cpu_backend)
        find_line_rows(plane, out);
    subtract(backend, plane, out);
}

/* All elements beside their neighbors. */
static void compare(const gp_backend *backend, const gp_plane *plane, draw_results *out)
{
    gp_plane left = gp_plane_crop(plane, 0, plane->n_rows, 0, plane->n_cols - 1);
    gp_plane right = gp_plane_crop(plane, 0, plane->n_rows, 1, plane->n_cols);
    gp_compared compared = {&left, &right, 1e-3, 1e-6};
    MUST(backend->compare(&compared, &out->comparison, &failure));
}

void draw_facts(const gp_backend *backend, const gp_plane *plane, bool with_percentiles, draw_results *out)
{
    static const double percents[DRAW_PERCENTS] = {1, 50, 99};
    double edges[DRAW_BINS + 1];
    int64_t n_found;
    gp_limits_state state;
    gp_summary_state summary;
    for (int i = 0; i <= DRAW_BINS; i++)
        edges[i] = -3 + 6.0 * i / DRAW_BINS;
    MUST(backend->limits(plane, GP_WANT_RANGE | GP_WANT_POSITIVE | GP_WANT_COUNTS, &state, &failure));
    MUST(backend->summarize(plane, &summary, &failure));
    MUST(backend->histogram(plane, edges, DRAW_BINS, NULL, out->counts, &failure));
    gp_joint joint = {.sides = {{plane, edges, DRAW_BINS, NULL}}, .n_sides = 1, .weights = plane};
    MUST(backend->histogram_joint(&joint, NULL, out->sums, &out->n_counted, &failure));
    compare(backend, plane, out);
    MUST(backend->find(plane, GP_HAS_NAN, 0, false, &out->found, &failure));
    MUST(backend->collect(plane, edges, edges + DRAW_BINS, 1, 0, NULL, &n_found, &failure));
    out->has_collected = n_found > 0;
    if (with_percentiles)
        MUST(backend->percentiles(plane, percents, DRAW_PERCENTS, false, out->percentiles, &failure));
    gp_limits limits = gp_limits_state_finish(&state);
    out->limits[0] = limits.min, out->limits[1] = limits.max, out->limits[2] = limits.min_positive;
    out->moments[0] = summary.moments.mean, out->moments[1] = summary.moments.m2;
    out->n_finite = limits.n_finite;
}

void draw_series(const gp_backend *backend, const gp_plane *plane, draw_results *out)
{
    gp_plane series = gp_plane_crop(plane, 0, 1, 0, plane->n_cols), first = gp_plane_crop(plane, 0, 1, 0, 1);
    int64_t bounds[DRAW_COLS + 1];
    unsigned ways = 0;
    for (int k = 0; k <= DRAW_COLS; k++)
        bounds[k] = plane->n_cols * k / DRAW_COLS;
    MUST(backend->m4(&series, bounds, DRAW_COLS, out->m4, &failure));
    MUST(backend->take(&series, bounds, DRAW_COLS, out->samples, &failure));
    MUST(backend->search_sorted(&first, out->samples, DRAW_COLS, out->places, &failure));
    MUST(backend->find_ways(&series, &ways, &failure));
    out->ways = ways;
}

void draw_slices(const gp_backend *backend, const gp_tensor *tensor, bool with_percentiles, draw_results *out)
{
    static const double percents[DRAW_PERCENTS] = {5, 50, 95};
    double edges[DRAW_SLICES * (DRAW_SLICE_BINS + 1)];
    gp_slice_use uses[2] = {{0, 1, tensor->shape[0], true}, {0, 1, tensor->shape[1], false}};
    gp_summary summaries[DRAW_SLICES];
    gp_slices slices = {0};
    MUST(gp_slices_from(tensor, uses, GP_COMPONENT_VALUE, &slices, &failure));
    CHECK(slices.n_slices <= DRAW_SLICES);
    for (int i = 0; i < DRAW_SLICES * (DRAW_SLICE_BINS + 1); i++)
        edges[i] = i % (DRAW_SLICE_BINS + 1) - 2.0;
    MUST(backend->summarize_slices(&slices, summaries, &failure));
    MUST(backend->histogram_slices(&slices, edges, DRAW_SLICE_BINS, NULL, out->slice_counts, &failure));
    if (with_percentiles)
        MUST(backend->percentiles_slices(&slices, percents, DRAW_PERCENTS, out->slice_percentiles, &failure));
    for (int64_t i = 0; i < slices.n_slices; i++)
        out->slice_facts[2 * i] = summaries[i].mean, out->slice_facts[2 * i + 1] = summaries[i].max;
}

void draw_elements(const gp_backend *backend, const gp_plane *plane, void *out) { MUST(backend->gather(plane, out, &failure)); }

void draw_array(const gp_backend *backend, const gp_tensor *tensor, float *out)
{
    gp_target target = {.data = out, .dtype = GP_F32, .strides_bytes = {sizeof *out, tensor->shape[0] * (int64_t)sizeof *out}};
    gp_conversion plan;
    MUST(gp_conversion_plan(tensor, &target, &plan, &failure));
    MUST(backend->convert(&plan, NULL, &failure));
}
