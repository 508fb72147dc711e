/* Collects the elements of some ranges of values: a pass that keeps their keys, or one that counts those of 8 and 16 bits. */
#include "cpu.h"

#include "../core/base/alloc.h"
#include "../core/statistics/percentiles.h"
#include "select/select_pass.h"

/* Keys as distances from the first finite one of a dtype. */
typedef struct finite_keys {
    gp_dtype dtype;
    gp_key_range valid;
} finite_keys;

/* Where values are written, and how many there are, written or not. */
typedef struct collected {
    double *out;
    int64_t most, n;
} collected;

static double value_of(const void *context, uint64_t distance)
{
    const finite_keys *keys = context;
    return gp_value_of_key(keys->dtype, gp_key_of_sortable(distance, keys->valid));
}

/* Appends n elements of one value. */
static void append(collected *to, double value, int64_t n)
{
    for (int64_t i = 0; i < n && to->n + i < to->most; i++)
        to->out[to->n + i] = value;
    to->n += n;
}

/* The ranges that contain keys, as brackets of distances. */
static void set_brackets(const finite_keys *keys, const double *lows, const double *highs, int n, gp_brackets *out)
{
    uint64_t span = gp_sortable(keys->valid.last, keys->valid);
    *out = (gp_brackets){.valid = keys->valid};
    for (int i = 0; i < n; i++)
        out->n += gp_distances_between(lows[i], highs[i], span, value_of, keys, &out->low[out->n], &out->high[out->n]);
}

static gp_status collect_wide(const gp_plane_scan *scan, const finite_keys *keys, const gp_brackets *brackets, collected *to,
                              gp_error *error)
{
    gp_key_tally tally = {0};
    gp_status status = gp_select_tally(scan, brackets, to->most, 1, &tally, error);
    if (status == GP_OK && tally.is_full)
        to->n = to->most + 1;
    for (int b = 0; b < brackets->n && status == GP_OK; b++) {
        append(to, value_of(keys, brackets->low[b]), tally.at_low[b]);
        append(to, value_of(keys, brackets->high[b]), tally.at_high[b]);
    }
    for (int64_t i = 0; i < tally.n_kept && status == GP_OK; i++)
        append(to, value_of(keys, tally.kept[i]), 1);
    free(tally.kept);
    return status;
}

static void append_codes(const int64_t *counts, const finite_keys *keys, const gp_brackets *brackets, collected *to)
{
    for (int b = 0; b < brackets->n; b++)
        for (uint64_t distance = brackets->low[b]; distance <= brackets->high[b]; distance++)
            append(to, value_of(keys, distance), counts[gp_key_of_sortable(distance, keys->valid) + 32768]);
}

gp_status gp_cpu_collect(const gp_plane *plane, const double *lows, const double *highs, int n_ranges, int64_t most, double *out,
                         int64_t *n_found, gp_error *error)
{
    GP_OWNED_PLANE_SCAN scan = {0};
    GP_FREED int64_t *counts = NULL;
    collected to = {.out = out, .most = most};
    *n_found = 0;
    GP_TRY(gp_plane_scan_init(plane, &scan, error));
    if (scan.n_elems == 0)
        return GP_OK;
    finite_keys keys = {scan.rows.dtype, gp_keys_of(scan.rows.dtype, false)};
    bool is_narrow = gp_dtype_size_bytes(keys.dtype) <= 2;
    if (is_narrow) {
        GP_TRY(gp_alloc(65536 * sizeof *counts, &counts, error));
        GP_TRY(gp_select_codes(&scan, counts, error));
    }
    for (int begin = 0; begin < n_ranges; begin += GP_MOST_BRACKETS) {
        gp_brackets brackets;
        int n = n_ranges - begin < GP_MOST_BRACKETS ? n_ranges - begin : GP_MOST_BRACKETS;
        set_brackets(&keys, lows + begin, highs + begin, n, &brackets);
        if (is_narrow)
            append_codes(counts, &keys, &brackets, &to);
        else if (brackets.n > 0)
            GP_TRY(collect_wide(&scan, &keys, &brackets, &to, error));
    }
    *n_found = to.n;
    return GP_OK;
}
