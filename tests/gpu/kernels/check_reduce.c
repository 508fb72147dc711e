/* Elements to cells and their pixels: every kind of plane over every shape, aggregation and NaN policy, and the same bits twice. */
#include "checks.h"

#include "../../../native/core/tensor/dlpack_abi.h"

#include <stdlib.h>
#include <string.h>

/* A plane, the part of it that is looked at (in elements), and on how many cells. */
typedef struct shape {
    const char *name;
    int64_t n_rows, n_cols;
    double row0, row1, col0, col1; /* shares of the plane: 0..1 is all of it */
    int64_t cell_rows, cell_cols;
    bool is_typical;
} shape;

static const shape shapes[] = {
    {"wide cells", 24, 4100, 0, 1, 0, 1, 8, 10, true},
    {"narrow cells", 90, 120, 0, 1, 0, 1, 30, 35, true},
    {"tall", 4000, 3, 0, 1, 0, 1, 20, 3, false},
    {"thin", 3, 4000, 0, 1, 0, 1, 3, 20, false},
    {"one cell", 123, 211, 0, 1, 0, 1, 1, 1, true},
    {"magnified", 7, 9, 0, 1, 0, 1, 20, 31, false},
    {"fractions", 101, 87, 0.013, 0.907, 0.1, 0.95, 17, 23, true},
    {"outside, reversed", 64, 64, 1.3, -0.2, -0.5, 1.1, 13, 11, false},
    {"rows magnified", 5, 900, 0, 1, 0, 1, 11, 40, false},
    {"columns magnified", 900, 5, 0, 1, 0, 1, 40, 11, false},
    {"huge cells", 40, 8200, 0, 1, 0, 1, 1, 2, true},
    {"one element", 1, 1, 0, 1, 0, 1, 1, 1, false},
    {"one row of long cells", 1, 9001, 0, 1, 0, 1, 1, 4, true},
    {"rows of one block", 1000, 61, 0, 1, 0, 1, 353, 7, false}, /* a block takes several of them */
};
enum { N_SHAPES = (int)(sizeof shapes / sizeof *shapes) };

static bool is_exact(gp_agg agg)
{
    gp_state_kind kind = gp_agg_kind(agg);
    return kind == GP_STATE_EXTREMES || kind == GP_STATE_ELEMENT || gp_agg_is(agg, GP_AGG_OWNED);
}

bool is_same_value(double got, double want)
{
    if (gp_is_empty_cell(got) || gp_is_empty_cell(want))
        return gp_is_empty_cell(got) && gp_is_empty_cell(want);
    if (want != want || got != got)
        return want != want && got != got;
    return got == want && !(got == 0 && signbit(got));
}

/* ---- two backends on one sample ------------------------------------------------------------------------------------ */

typedef struct geometry {
    gp_axis rows, cols;
} geometry;

static gp_status fit(const shape *of, int64_t scale, gp_agg agg, geometry *out, gp_error *error)
{
    gp_regime regime = agg == GP_AGG_NEAREST ? GP_REGIME_NEAREST : GP_REGIME_BY_WIDTH;
    int64_t n_rows = of->n_rows * scale, n_cols = of->n_cols * scale;
    double rows = (double)n_rows, cols = (double)n_cols;
    *out = (geometry){0};
    GP_TRY(gp_axis_fit(n_rows, of->row0 * rows, of->row1 * rows, of->cell_rows, GP_TIE_UP, regime, &out->rows, error));
    return gp_axis_fit(n_cols, of->col0 * cols, of->col1 * cols, of->cell_cols, GP_TIE_UP, regime, &out->cols, error);
}

static void geometry_free(geometry *g)
{
    gp_axis_free(&g->rows);
    gp_axis_free(&g->cols);
}

/* Cells, and where they are wanted the same without NaN. */
static gp_status reduce_to(const gp_backend *backend, const gp_plane *plane, const geometry *g, const gp_reduce_options *options,
                           gp_cells *cells, gp_cells *without_nan, gp_limits_state *limits, gp_error *error)
{
    gp_reduce_options all = *options;
    all.without_nan = without_nan;
    GP_TRY(backend->reduce(plane, &g->rows, &g->cols, &all, cells, options->want ? limits : NULL, error));
    return without_nan != NULL ? backend->fill_without_nan(cells, without_nan, error) : GP_OK;
}

static gp_status reduce_host(const gp_plane *plane, const geometry *g, const gp_reduce_options *options, double *out,
                             double *without_nan, gp_limits_state *limits, gp_error *error)
{
    gp_cells cells = {out, g->rows.n_cells, g->cols.n_cells, {GP_DL_CPU, 0}}, others = cells;
    others.data = without_nan;
    return reduce_to(&gp_cpu_backend, plane, g, options, &cells, without_nan != NULL ? &others : NULL, limits, error);
}

/* ---- pixels of the cells, whose limits are found with them ------------------------------------------------------------- */

enum { N_COLORS = 20 };

/* A style without limits, the pixels that come with cells and those of shading the cells afterwards. */
typedef struct colors {
    gp_limits_search search;
    gp_style style;
    gp_shading shading;
    gp_pixels pixels, again;
    uint8_t table[4 * (N_COLORS + 3)];
} colors;

/* `memory` is for the bytes of two pictures of the geometry. */
static void colors_init(colors *c, uint64_t seed, const geometry *g, uint8_t *memory)
{
    int64_t n_rows = g->rows.n_cells, n_cols = g->cols.n_cells;
    gp_limits_origin origin = (gp_limits_origin)(seed % GP_N_ORIGINS);
    *c = (colors){.pixels = {memory, n_rows, n_cols}, .again = {memory + 4 * n_rows * n_cols, n_rows, n_cols}};
    for (int i = 0; i < (int)sizeof c->table; i++)
        c->table[i] = (uint8_t)(i * 7 + i / 4);
    c->search = (gp_limits_search){
        .origin = origin, .least_part = 0.5, .center = seed % 2 ? 0.25 : (double)NAN, .given = {(double)NAN, (double)NAN}};
    c->style = (gp_style){.norm = seed % 5 ? GP_NORM_LINEAR : GP_NORM_POWER,
                          .params = {0.5},
                          .vmin = (double)NAN,
                          .vmax = (double)NAN,
                          .table = c->table,
                          .n_colors = N_COLORS,
                          .nan_rgba = {1, 2, 3, 255},
                          .alpha = 1};
    c->shading = (gp_shading){.style = &c->style, .search = &c->search, .out = &c->pixels};
}

/* The cells once more, with the limits that were found. */
static gp_status shade_again(colors *c, const gp_cells *cells, gp_error *error)
{
    gp_style style = c->style;
    style.vmin = c->shading.limits.low, style.vmax = c->shading.limits.high;
    return gp_cuda_backend.shade(cells, &style, &c->again, error);
}

/* elements: NULL, or limits that were asked for. */
static void compare_colors(tally *all, const colors *c, const gp_limits_state *elements, const gp_limits_state *cells)
{
    bool is_possible = elements != NULL || c->search.origin == GP_ORIGIN_CELLS;
    gp_ends got = c->shading.limits, none = {(double)NAN, (double)NAN}, want;
    gp_scale scale = gp_scale_from(&c->style);
    if (c->shading.is_made != is_possible)
        tally_fail(all, "pixels are%s made, whose limits can%s be found", is_possible ? " not" : "", is_possible ? "" : "not");
    if (!c->shading.is_made)
        return;
    want = gp_limits_search_run(&c->search, &scale, elements != NULL ? gp_limits_state_ends(elements) : none,
                                gp_limits_state_ends(cells));
    if (got.low != want.low || got.high != want.high)
        tally_fail(all, "limits of colors are %.17g to %.17g, not %.17g to %.17g", got.low, got.high, want.low, want.high);
    if (memcmp(c->pixels.rgba, c->again.rgba, 4 * (size_t)(c->again.n_rows * c->again.n_cols)) != 0)
        tally_fail(all, "pixels that come with cells are not those of the cells");
}

/* c: NULL, or pixels that are wanted too. */
static gp_status reduce_device(const gp_plane *plane, const geometry *g, const gp_reduce_options *given, double *out,
                               double *without_nan, gp_limits_state *limits, gp_limits_state *limits_of_cells, colors *c,
                               gp_error *error)
{
    gp_cells cells = {0}, others = {0};
    gp_reduce_options with_limits = *given, *options = &with_limits;
    options->limits_of_cells = limits_of_cells;
    options->shading = c != NULL ? &c->shading : NULL;
    GP_TRY(memory_cells(g->rows.n_cells, g->cols.n_cells, &cells, error));
    gp_status status = memory_cells(g->rows.n_cells, g->cols.n_cells, &others, error);
    if (status == GP_OK)
        status = reduce_to(&gp_cuda_backend, plane, g, options, &cells, without_nan != NULL ? &others : NULL, limits, error);
    if (status == GP_OK && c != NULL && c->shading.is_made)
        status = shade_again(c, &cells, error);
    if (status == GP_OK)
        status = gp_cuda_backend.cells_copy_out(&cells, out, error);
    if (status == GP_OK && without_nan != NULL)
        status = gp_cuda_backend.cells_copy_out(&others, without_nan, error);
    gp_cuda_backend.cells_free(&cells);
    gp_cuda_backend.cells_free(&others);
    return status;
}

/* ---- what may differ ----------------------------------------------------------------------------------------------- */

/* The scale of each cell's rounding errors: the same aggregation of magnitudes, or the largest where values are computed. */
static gp_status find_scales(const sample *s, const sample_kind *kind, const geometry *g, gp_agg agg, double *out,
                             gp_error *error)
{
    gp_plane magnitudes = sample_magnitudes(s);
    gp_reduce_options options = {.agg = agg == GP_AGG_SUM ? GP_AGG_SUM : GP_AGG_MEAN, .nan = GP_NAN_SKIP};
    int64_t n = g->rows.n_cells * g->cols.n_cells;
    GP_TRY(reduce_host(&magnitudes, g, &options, out, NULL, NULL, error));
    for (int64_t i = 0; i < n && sample_is_computed(kind); i++)
        out[i] = s->most * (agg == GP_AGG_SUM ? (double)(s->host.n_rows * s->host.n_cols) : 1);
    return GP_OK;
}

static bool is_close(const sample_kind *kind, gp_agg agg, double got, double want, double scale)
{
    double error, bound = 1e-12 * (agg == GP_AGG_VAR ? scale * scale : scale);
    if (is_same_value(got, want))
        return true;
    if (gp_class_of(got) != GP_HAS_FINITE || gp_class_of(want) != GP_HAS_FINITE)
        return false;
    error = agg == GP_AGG_ABSMAX ? fabs(fabs(got) - fabs(want)) : fabs(got - want);
    bool is_spread = kind->hidden == GP_HIDDEN_STD || kind->hidden == GP_HIDDEN_NORM || kind->hidden == HIDDEN_TWO_STAGES;
    if (is_exact(agg))
        return sample_is_computed(kind) && error <= bound + (is_spread ? 1e-6 * fabs(want) : 0);
    if (gp_agg_kind(agg) == GP_STATE_MOMENTS || is_spread)
        return error <= 1e-6 * fabs(want) + bound;
    return error <= fmax(1e-6 * fabs(want), bound);
}

bool check_facts(tally *all, const gp_limits *got, const gp_limits *want, unsigned asked, double tolerance)
{
    bool is_right = true;
    if (asked & GP_WANT_RANGE)
        is_right &= got->has == want->has && (is_same_value(got->min, want->min) || fabs(got->min - want->min) <= tolerance) &&
                    (is_same_value(got->max, want->max) || fabs(got->max - want->max) <= tolerance);
    if (asked & GP_WANT_POSITIVE)
        is_right &= is_same_value(got->min_positive, want->min_positive) ||
                    fabs(got->min_positive - want->min_positive) <= tolerance;
    if (asked & GP_WANT_COUNTS)
        is_right &= got->n_finite == want->n_finite && got->n_nan == want->n_nan && got->n_pos_inf == want->n_pos_inf &&
                    got->n_neg_inf == want->n_neg_inf;
    if (!is_right)
        tally_fail(all,
                   "facts %x: min %.17g max %.17g positive %.17g has %x counts %lld %lld %lld %lld, not %.17g %.17g %.17g %x "
                   "%lld %lld %lld %lld",
                   asked, got->min, got->max, got->min_positive, got->has, (long long)got->n_finite, (long long)got->n_nan,
                   (long long)got->n_pos_inf, (long long)got->n_neg_inf, want->min, want->max, want->min_positive, want->has,
                   (long long)want->n_finite, (long long)want->n_nan, (long long)want->n_pos_inf, (long long)want->n_neg_inf);
    return is_right;
}

/* ---- one case ------------------------------------------------------------------------------------------------------ */

typedef struct results {
    double *host, *device, *scales;
    double *host_without_nan, *device_without_nan; /* NULL: not wanted */
    gp_limits_state host_limits, device_limits, device_limits_of_cells;
    colors device_colors;
} results;

static bool compare_cells(tally *all, const sample_kind *kind, gp_agg agg, const geometry *g, const char *which,
                          const double *got, const double *want, const double *scales)
{
    for (int64_t i = 0; i < g->rows.n_cells * g->cols.n_cells; i++)
        if (!is_close(kind, agg, got[i], want[i], scales[i])) {
            tally_fail(all, "cell (%lld, %lld)%s is %.17g, not %.17g (scale %.3g)", (long long)(i / g->cols.n_cells),
                       (long long)(i % g->cols.n_cells), which, got[i], want[i], scales[i]);
            return false;
        }
    return true;
}

/* What the device says of its cells, against a look at them on the host. */
static bool compare_limits_of_cells(tally *all, const geometry *g, const results *r)
{
    const unsigned everything = GP_WANT_RANGE | GP_WANT_POSITIVE | GP_WANT_COUNTS;
    gp_cells cells = {r->device, g->rows.n_cells, g->cols.n_cells, {GP_DL_CPU, 0}};
    gp_plane plane = gp_plane_of_cells(&cells);
    gp_limits_state looked_at;
    gp_error error = {0};
    if (!tally_ok(all, gp_cpu_backend.limits(&plane, everything, &looked_at, &error), &error, "limits of cells"))
        return false;
    gp_limits_state told = r->device_limits_of_cells; /* masked cells are NaN with a payload, which the host does not ask for */
    told.n_nan += told.n_masked, told.n_masked = 0;
    gp_limits got = gp_limits_state_finish(&told), want = gp_limits_state_finish(&looked_at);
    return check_facts(all, &got, &want, everything, 0);
}

static void compare(tally *all, const sample *s, const sample_kind *kind, const gp_reduce_options *options, const geometry *g,
                    const results *r)
{
    if (!compare_cells(all, kind, options->agg, g, "", r->device, r->host, r->scales) || !compare_limits_of_cells(all, g, r))
        return;
    if (r->host_without_nan != NULL &&
        !compare_cells(all, kind, options->agg, g, " without NaN", r->device_without_nan, r->host_without_nan, r->scales))
        return;
    gp_limits got = {0}, want = {0};
    if (options->want)
        got = gp_limits_state_finish(&r->device_limits), want = gp_limits_state_finish(&r->host_limits);
    if (options->want)
        check_facts(all, &got, &want, options->want, sample_is_computed(kind) ? 1e-12 * s->most : 0);
    compare_colors(all, &r->device_colors, options->want ? &r->device_limits : NULL, &r->device_limits_of_cells);
}

static void check_case(tally *all, const sample *s, const sample_kind *kind, const shape *of, int64_t scale,
                       const gp_reduce_options *options, uint64_t seed)
{
    gp_error error = {0};
    geometry g;
    size_t n = (size_t)(of->cell_rows * of->cell_cols);
    double *memory = malloc(6 * n * sizeof *memory); /* the last of them for the bytes of two pictures */
    results r = {.host = memory, .device = memory + n, .scales = memory + 2 * n};
    if (options->nan == GP_NAN_SHOW) /* under which NaN marks */
        r.host_without_nan = memory + 3 * n, r.device_without_nan = memory + 4 * n;
    bool is_fit = memory != NULL && tally_ok(all, fit(of, scale, options->agg, &g, &error), &error, "gp_axis_fit");
    if (is_fit)
        colors_init(&r.device_colors, seed, &g, (uint8_t *)(memory + 5 * n));
    if (is_fit &&
        tally_ok(all, reduce_host(&s->host, &g, options, r.host, r.host_without_nan, &r.host_limits, &error), &error,
                 "the CPU's reduce") &&
        tally_ok(all, find_scales(s, kind, &g, options->agg, r.scales, &error), &error, "reduce of magnitudes") &&
        tally_ok(all,
                 reduce_device(&s->device, &g, options, r.device, r.device_without_nan, &r.device_limits,
                               &r.device_limits_of_cells, &r.device_colors, &error),
                 &error, "reduce"))
        compare(all, s, kind, options, &g, &r);
    geometry_free(&g);
    free(memory);
}

static const char *const agg_names[] = {
#define AGG_NAME(NAME, name, KIND, facts) name,
    GP_AGGS(AGG_NAME)
#undef AGG_NAME
};

static void check_sample(tally *all, const sample_kind *kind, const shape *of, const check_sizes *sizes, uint64_t seed)
{
    char name[96];
    gp_error error = {0};
    sample s = {0};
    for (int agg = 0; agg < GP_N_AGGS; agg++)
        for (int nan = 0; nan < 2; nan++) {
            bool is_agg = agg == GP_AGG_MEAN || agg == GP_AGG_MAX || agg == GP_AGG_STD || agg == GP_AGG_NEAREST;
            bool is_typical = sample_is_typical(kind) && kind->layout == LAYOUT_ROWS && of->is_typical && is_agg && nan == 0;
            if (!tally_wants(all, is_typical))
                continue;
            sample_kind_name(kind, name, sizeof name);
            tally_name(all, "%s, %s, %s %s", name, of->name, agg_names[agg], nan ? "skip" : "show");
            if (s.memory == NULL &&
                !tally_ok(
                    all, sample_make(kind, of->n_rows * sizes->scale, of->n_cols * sizes->scale, seed % 2 != 0, seed, &s, &error),
                    &error, "making a plane"))
                return;
            unsigned want = is_typical ? 0 : (unsigned)(seed + (uint64_t)agg) % 8;
            s.host.hidden_nan = s.device.hidden_nan = (gp_nan)nan;
            gp_reduce_options options = {.agg = (gp_agg)agg, .nan = (gp_nan)nan, .want = want};
            check_case(all, &s, kind, of, sizes->scale, &options, seed + (uint64_t)agg);
            options.want = GP_WANT_RANGE | GP_WANT_POSITIVE; /* with facts and without are different kernels */
            if (is_typical)
                check_case(all, &s, kind, of, sizes->scale, &options, seed + (uint64_t)agg);
        }
    sample_free(&s);
}

void check_reduce(tally *all, const check_sizes *sizes)
{
    const sample_kind *kinds;
    int n_kinds = sample_kinds(&kinds);
    if (!tally_group(all, "reduce"))
        return;
    for (int kind = 0; kind < n_kinds; kind++)
        for (int i = 0; i < N_SHAPES; i++)
            check_sample(all, &kinds[kind], &shapes[i], sizes, (uint64_t)(kind + i));
}

/* Ten runs of each aggregation on a plane that many blocks share. */
void check_repeats(tally *all, const check_sizes *sizes)
{
    const sample_kind kind = {GP_F32, LAYOUT_ROWS, GP_COMPONENT_VALUE, HIDDEN_NONE, 0, 0, false};
    const shape of = {"repeated", 400 * sizes->scale, 300, 0, 1, 0, 1, 3, 2, false};
    enum { N_CELLS = 6, N_RUNS = 4 };
    double first[N_CELLS], again[N_CELLS];
    gp_error error = {0};
    sample s;
    geometry g;
    if (!tally_group(all, "repeats") ||
        !tally_ok(all, sample_make(&kind, of.n_rows, of.n_cols, false, 5, &s, &error), &error, "making a plane"))
        return;
    for (int agg = 0; agg < GP_N_AGGS; agg++) {
        if (!tally_wants(all, false))
            continue;
        gp_reduce_options options = {.agg = (gp_agg)agg, .nan = GP_NAN_SHOW};
        tally_name(all, "%s", agg_names[agg]);
        if (tally_ok(all, fit(&of, 1, (gp_agg)agg, &g, &error), &error, "gp_axis_fit"))
            for (int run = 0; run < N_RUNS; run++) {
                if (!tally_ok(all, reduce_device(&s.device, &g, &options, run ? again : first, NULL, NULL, NULL, NULL, &error),
                              &error, "reduce"))
                    break;
                if (run > 0 && memcmp(first, again, sizeof first) != 0)
                    tally_fail(all, "run %d gave other bits than run 0", run);
            }
        geometry_free(&g);
    }
    sample_free(&s);
}
