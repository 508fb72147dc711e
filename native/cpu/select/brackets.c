/* From a sample to brackets; where these have too many keys inside, a pass samples the keys inside and makes them narrower. */
#include "brackets.h"

#include "../../core/base/alloc.h"
#include "../../core/base/sort.h"
#include "../../core/statistics/percentiles.h"

/* One in 64 elements is sampled of few, one in 1024 of many. */
enum { LEAST_SAMPLE = 1 << 13, USUAL_SAMPLE = 1 << 16, MOST_SAMPLE = 1 << 18 };

/* Sampling errors that a bracket allows for on each side: four standard errors. */
#define N_ERRORS 4

static int64_t clamp(int64_t i, int64_t low, int64_t high) { return i < low ? low : i > high ? high : i; }

/* ---- from a sample of all keys --------------------------------------------------------------------------------------- */

/* Adds the bracket of a quantile of all elements to `out`; the number of sampled keys in it. */
static int64_t add_bracket(gp_brackets *out, const uint64_t *sample, int64_t n, double q)
{
    double margin = N_ERRORS * sqrt(q * (1 - q) / (double)n) + N_ERRORS / (double)n;
    int64_t low = (int64_t)floor((q - margin) * (double)n), high = (int64_t)ceil((q + margin) * (double)n);
    int b = out->n++;
    out->low[b] = low < 0 ? 0 : sample[low];
    out->high[b] = high >= n ? gp_sortable(out->valid.last, out->valid) : sample[high];
    return clamp(high, 0, n) - clamp(low, 0, n);
}

static int64_t sample_size(int64_t n_elems)
{
    return clamp(n_elems / 64, LEAST_SAMPLE, clamp(n_elems / 1024, USUAL_SAMPLE, MOST_SAMPLE));
}

/* Writes the brackets, and about how many keys there are inside. */
static gp_status sample_brackets(const gp_wanted *wanted, gp_brackets *out, double *n_inside, gp_error *error)
{
    int64_t n_wanted = sample_size(wanted->scan->n_elems), n_sampled = 0;
    GP_FREED uint64_t *keys = NULL;
    GP_TRY(gp_alloc(2 * (size_t)n_wanted * sizeof *keys, &keys, error));
    int64_t n_keys = gp_select_sample(wanted->scan, wanted->valid, n_wanted, keys);
    const uint64_t *sorted = gp_sort_keys(keys, keys + n_wanted, n_keys);
    for (int i = 0; i < wanted->n_percents && n_keys > 0; i++)
        n_sampled += add_bracket(out, sorted, n_keys, wanted->percents[i] / 100);
    *n_inside = (double)n_sampled * (double)wanted->scan->n_elems / (double)n_wanted;
    return GP_OK;
}

/* ---- from a sample of the keys inside -------------------------------------------------------------------------------- */

/* The number of sorted keys up to a key, which counts if `is_with`. */
static int64_t count_up_to(const uint64_t *sorted, int64_t n, uint64_t key, bool is_with)
{
    int64_t first = 0, stop = n;
    while (first < stop) {
        int64_t middle = first + (stop - first) / 2;
        if (sorted[middle] < key || (is_with && sorted[middle] == key))
            first = middle + 1;
        else
            stop = middle;
    }
    return first;
}

/* Makes a bracket narrower. The first and last wanted ranks are among the keys inside, of which one in `stride` is in the sample; about
 * how many keys are inside then. */
static double narrow(uint64_t *low, uint64_t *high, const uint64_t *sorted, int64_t n, int64_t first, int64_t last,
                     int64_t stride)
{
    int64_t begin = count_up_to(sorted, n, *low, true), n_inside = count_up_to(sorted, n, *high, false) - begin;
    double from = (double)first / (double)stride, to = (double)last / (double)stride;
    int64_t at_low = (int64_t)floor(from - N_ERRORS * (sqrt(fmax(from, 0)) + 1));
    int64_t at_high = (int64_t)ceil(to + N_ERRORS * (sqrt(fmax(to, 0)) + 1));
    if (n_inside <= 0)
        return 0;
    if (at_high < n_inside)
        *high = at_high < 0 ? *low : sorted[begin + at_high];
    if (at_low >= 0)
        *low = sorted[begin + clamp(at_low, 0, n_inside - 1)];
    return (double)(clamp(at_high, 0, n_inside) - clamp(at_low, 0, n_inside)) * (double)stride;
}

static gp_status narrow_all(const gp_wanted *wanted, const gp_key_tally *tally, int64_t stride, gp_brackets *brackets,
                            double *n_inside, gp_error *error)
{
    GP_FREED uint64_t *spare = NULL;
    GP_TRY(gp_alloc((size_t)tally->n_kept * sizeof *spare, &spare, error));
    const uint64_t *sorted = gp_sort_keys(tally->kept, spare, tally->n_kept);
    *n_inside = 0;
    for (int b = 0; b < brackets->n; b++) {
        gp_percent_place place = gp_percent_place_of(wanted->percents[b], tally->n_valid, wanted->n_repeats);
        int64_t before = tally->below[b] + tally->at_low[b];
        if (brackets->low[b] < brackets->high[b])
            *n_inside += narrow(&brackets->low[b], &brackets->high[b], sorted, tally->n_kept, place.low - before,
                                place.high - before, stride);
    }
    return GP_OK;
}

/* Narrows brackets with about n_inside keys inside by a sample of `most` of these keys, unless the first sample misled about them. */
static gp_status narrow_brackets(const gp_wanted *wanted, int64_t most, gp_brackets *brackets, double *n_inside, gp_error *error)
{
    int64_t stride = (int64_t)ceil(1.25 * *n_inside / (double)most);
    gp_key_tally tally = {0};
    gp_status status = gp_select_tally(wanted->scan, brackets, most, stride, &tally, error);
    if (status == GP_OK && !tally.is_full && tally.n_valid > 0)
        status = narrow_all(wanted, &tally, stride, brackets, n_inside, error);
    free(tally.kept);
    return status;
}

gp_status gp_select_brackets(const gp_wanted *wanted, int64_t most, gp_brackets *out, gp_error *error)
{
    double n_inside, n_before = (double)INFINITY;
    *out = (gp_brackets){.valid = wanted->valid};
    GP_TRY(sample_brackets(wanted, out, &n_inside, error));
    /* A twentieth more than the sample says, as another one might. Sorting takes as much memory as the keys. */
    while (1.05 * n_inside > (double)most && n_inside < n_before / 2) {
        n_before = n_inside;
        GP_TRY(narrow_brackets(wanted, most / 2, out, &n_inside, error));
    }
    return GP_OK;
}
