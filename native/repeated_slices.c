/* Slices, and elements inside of them, that share their memory: each address is read once, by a plan of the distinct ones. */
#include "repeats.h"
#include "core/base/alloc.h"

/* The distinct slices, and how the caller's slices map to them. */
typedef struct distinct_slices {
    gp_slices slices;
    const gp_slices *all;
    int64_t steps[GP_MAX_NDIM]; /* for each axis between `all`: step in numbers of distinct slices; 0 along a repeated axis */
    bool has_equal;             /* some of the caller's slices are equal */
} distinct_slices;

static bool is_repeated(const gp_slice_axis *axis, const gp_slices *slices)
{
    return axis->stride_bytes == 0 && (slices->plane.mask == NULL || axis->mask_stride_bytes == 0);
}

/* Drops repeated elements inside slices. Positions stay right: the first of equal elements is at 0 along repeated axes. */
static void drop_inside(gp_slices *slices)
{
    int n = 0;
    slices->plane.n_repeats = gp_plane_repeats(&slices->plane);
    for (int i = 0; i < slices->n_inside; i++) {
        gp_slice_axis axis = slices->inside[i];
        if (is_repeated(&axis, slices))
            slices->n_elems /= axis.size, slices->plane.n_repeats *= axis.size;
        else
            slices->inside[n++] = axis;
    }
    slices->n_inside = n;
}

/* Drops repeated slices; those that remain are numbered anew, in the same order. */
static void drop_between(distinct_slices *distinct)
{
    gp_slices *slices = &distinct->slices;
    int n = 0;
    for (int i = 0; i < distinct->all->n_between; i++) {
        const gp_slice_axis *axis = &distinct->all->between[i];
        if (is_repeated(axis, slices)) {
            distinct->has_equal = true, slices->n_slices /= axis->size;
            continue;
        }
        distinct->steps[i] = 1;
        for (int inner = 0; inner < distinct->all->n_between; inner++) {
            const gp_slice_axis *other = &distinct->all->between[inner];
            if (other->step < axis->step && !is_repeated(other, slices))
                distinct->steps[i] *= other->size;
        }
        slices->between[n] = *axis;
        slices->between[n++].step = distinct->steps[i];
    }
    slices->n_between = n;
}

static distinct_slices distinct_from(const gp_slices *slices)
{
    distinct_slices distinct = {.slices = *slices, .all = slices};
    if (slices->n_slices == 0 || slices->n_elems == 0)
        return distinct;
    drop_inside(&distinct.slices);
    drop_between(&distinct);
    return distinct;
}

/* Number of a slice among the caller's -> its number among the distinct ones. */
static int64_t distinct_number(const distinct_slices *distinct, int64_t number)
{
    int64_t found = 0;
    for (int i = 0; i < distinct->all->n_between; i++) {
        const gp_slice_axis *axis = &distinct->all->between[i];
        found += number / axis->step % axis->size * distinct->steps[i];
    }
    return found;
}

/* Copies a row for each distinct slice to a row for each slice; does nothing if no slices are equal. */
static void spread(const distinct_slices *distinct, const void *rows, size_t row_bytes, void *out)
{
    for (int64_t i = 0; distinct->has_equal && i < distinct->all->n_slices; i++)
        memcpy((char *)out + (size_t)i * row_bytes, (const char *)rows + (size_t)distinct_number(distinct, i) * row_bytes,
               row_bytes);
}

/* Memory for a row of each distinct slice; NULL if no slices are equal, as their rows are those of `out`. */
static gp_status rows_for(const distinct_slices *distinct, size_t row_bytes, void *rows, gp_error *error)
{
    return distinct->has_equal ? gp_alloc((size_t)distinct->slices.n_slices * row_bytes, rows, error) : GP_OK;
}

/* Summarizes all once more, scaled, for those slices that need this scale. */
static gp_status take_scaled_moments(const gp_backend *backend, const gp_slices *slices, double scale, gp_summary *out,
                                     gp_error *error)
{
    gp_slices scaled = *slices;
    GP_FREED gp_summary *again = NULL;
    int64_t n_needed = 0;
    for (int64_t i = 0; i < slices->n_slices; i++)
        n_needed += gp_scale_of_range(out[i].min, out[i].max) == scale && (out[i].min != 0 || out[i].max != 0);
    if (n_needed == 0)
        return GP_OK;
    GP_TRY(gp_alloc((size_t)slices->n_slices * sizeof *again, &again, error));
    scaled.plane.scale = scale;
    GP_TRY(backend->summarize_slices(&scaled, again, error));
    for (int64_t i = 0; i < slices->n_slices; i++)
        if (gp_scale_of_range(out[i].min, out[i].max) == scale)
            gp_summary_take_scaled(&out[i], &again[i], scale);
    return GP_OK;
}

/* ---- the three operations ------------------------------------------------------------------------------------------- */

gp_status gp_slices_summarize(const gp_backend *backend, const gp_slices *slices, gp_summary *out, gp_error *error)
{
    distinct_slices distinct = distinct_from(slices);
    int64_t n = gp_plane_repeats(&distinct.slices.plane);
    GP_FREED gp_summary *memory = NULL;
    GP_TRY(rows_for(&distinct, sizeof *out, &memory, error));
    gp_summary *rows = memory != NULL ? memory : out;
    GP_TRY(backend->summarize_slices(&distinct.slices, rows, error));
    GP_TRY(take_scaled_moments(backend, &distinct.slices, GP_SCALE_DOWN, rows, error));
    GP_TRY(take_scaled_moments(backend, &distinct.slices, GP_SCALE_UP, rows, error));
    for (int64_t i = 0; n > 1 && i < distinct.slices.n_slices; i++)
        gp_summary_repeat(&rows[i], n);
    spread(&distinct, rows, sizeof *out, out);
    return GP_OK;
}

/* The edges of the distinct slices. False: equal slices have different edges. */
static bool take_edges(const distinct_slices *distinct, const double *edges, size_t row_bytes, double *taken)
{
    size_t row_edges = row_bytes / sizeof *edges;
    for (int64_t i = distinct->all->n_slices - 1; i >= 0; i--)
        memcpy(taken + (size_t)distinct_number(distinct, i) * row_edges, edges + (size_t)i * row_edges, row_bytes);
    for (int64_t i = 0; i < distinct->all->n_slices; i++)
        if (memcmp(taken + (size_t)distinct_number(distinct, i) * row_edges, edges + (size_t)i * row_edges, row_bytes) != 0)
            return false;
    return true;
}

static gp_status count_distinct(const gp_backend *backend, const distinct_slices *distinct, const double *edges, int64_t n_bins,
                                const gp_integer_range *range, int64_t *counts, gp_error *error)
{
    int64_t n = gp_plane_repeats(&distinct->slices.plane);
    GP_TRY(backend->histogram_slices(&distinct->slices, edges, n_bins, range, counts, error));
    for (int64_t i = 0; n > 1 && i < distinct->slices.n_slices * n_bins; i++)
        counts[i] *= n;
    return GP_OK;
}

gp_status gp_slices_histogram(const gp_backend *backend, const gp_slices *slices, const double *edges, int64_t n_bins,
                              const gp_integer_range *range, int64_t *counts, gp_error *error)
{
    distinct_slices distinct = distinct_from(slices);
    size_t row_bytes = (size_t)n_bins * sizeof *counts, edges_bytes = row_bytes + sizeof *edges;
    GP_FREED double *taken = NULL;
    GP_FREED int64_t *memory = NULL;
    GP_TRY(rows_for(&distinct, edges_bytes, &taken, error));
    if (distinct.has_equal && !take_edges(&distinct, edges, edges_bytes, taken)) {
        gp_slices inside = *slices;
        drop_inside(&inside);
        distinct = (distinct_slices){.slices = inside, .all = slices};
    }
    GP_TRY(rows_for(&distinct, row_bytes, &memory, error));
    int64_t *rows = memory != NULL ? memory : counts;
    GP_TRY(count_distinct(backend, &distinct, distinct.has_equal ? taken : edges, n_bins, range, rows, error));
    spread(&distinct, rows, row_bytes, counts);
    return GP_OK;
}

gp_status gp_slices_percentiles(const gp_backend *backend, const gp_slices *slices, const double *percents, int n_percents,
                                double *out, gp_error *error)
{
    distinct_slices distinct = distinct_from(slices);
    size_t row_bytes = (size_t)n_percents * sizeof *out;
    GP_FREED double *memory = NULL;
    GP_TRY(rows_for(&distinct, row_bytes, &memory, error));
    double *rows = memory != NULL ? memory : out;
    GP_TRY(backend->percentiles_slices(&distinct.slices, percents, n_percents, rows, error));
    spread(&distinct, rows, row_bytes, out);
    return GP_OK;
}
