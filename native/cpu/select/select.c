/* Exact percentiles: a sample says where the wanted ranks must lie, a pass proves it and keeps the elements there. */
#include "brackets.h"

#include "../../core/base/alloc.h"
#include "cpu.h"
#include "../../core/statistics/percentiles.h"
#include "../../core/base/ranks.h"

/* Of fewer elements all are kept, without a sample; and the most keys that a pass keeps, 16 MB. */
enum { FEW_ELEMS = 1 << 16, MOST_KEPT = 1 << 21 };

/*
 * Everything known about the ranks in a range of sortable keys: `below` valid keys are smaller than low, at_low equal to it, then come
 * n_kept of the kept keys, before which there are first_kept smaller ones, then at_high keys are equal to high.
 */
typedef struct key_window {
    uint64_t low, high;
    int64_t below, at_low, at_high, first_kept, n_kept;
} key_window;

/* The percentiles to find, windows that are known, and of the kept keys those with a wanted rank among all kept ones. */
typedef struct rank_search {
    gp_wanted wanted;
    int64_t n_valid;
    key_window windows[GP_MOST_BRACKETS];
    int n_windows;
    gp_ranked found[2 * GP_MOST_BRACKETS];
    int n_found;
} rank_search;

/* ---- windows ------------------------------------------------------------------------------------------------------- */

/* Where a rank lies: at an end of a window, whose key is known, or at a rank among the kept keys. */
typedef struct rank_place {
    bool is_kept;
    uint64_t key;
    int64_t kept_rank;
} rank_place;

static bool find_in_window(const key_window *window, int64_t rank, rank_place *place)
{
    int64_t above_low = rank - window->below, inside = above_low - window->at_low, above = inside - window->n_kept;
    *place = (rank_place){inside >= 0 && above < 0, inside < 0 ? window->low : window->high, window->first_kept + inside};
    return above_low >= 0 && above < window->at_high;
}

static bool find_place(const rank_search *search, int64_t rank, rank_place *place)
{
    for (int b = 0; b < search->n_windows; b++)
        if (find_in_window(&search->windows[b], rank, place))
            return true;
    return false;
}

/* Brackets may overlap: a window's keys are a range of all kept ones. */
static void make_windows(rank_search *search, const gp_brackets *brackets, const gp_key_tally *tally)
{
    search->n_windows = 0;
    for (int b = 0; b < brackets->n; b++) {
        uint64_t low = brackets->low[b], high = brackets->high[b];
        int64_t n_not_above = 0, n_inside = 0;
        if (tally->is_full && low < high)
            continue;
        for (int64_t i = 0; i < tally->n_kept; i++) {
            n_not_above += tally->kept[i] <= low;
            n_inside += tally->kept[i] > low && tally->kept[i] < high;
        }
        search->windows[search->n_windows++] = (key_window){.low = low,
                                                            .high = high,
                                                            .below = tally->below[b],
                                                            .at_low = tally->at_low[b],
                                                            .at_high = tally->at_high[b],
                                                            .first_kept = n_not_above,
                                                            .n_kept = n_inside};
    }
}

/* Finds the kept keys that the percentiles need; the kept ones change places. */
static void find_kept(rank_search *search, const gp_key_tally *tally)
{
    rank_place place;
    search->n_found = 0;
    for (int i = 0; i < 2 * search->wanted.n_percents && search->n_valid > 0; i++) {
        gp_percent_place ranks = gp_percent_place_of(search->wanted.percents[i / 2], search->n_valid, search->wanted.n_repeats);
        if (find_place(search, i % 2 == 0 ? ranks.low : ranks.high, &place) && place.is_kept)
            gp_ranks_insert(search->found, &search->n_found, place.kept_rank);
    }
    gp_ranks_find(tally->kept, tally->n_kept, search->found, search->n_found);
}

static gp_status look_into(rank_search *search, const gp_brackets *brackets, gp_error *error)
{
    gp_key_tally tally = {0};
    gp_status status = gp_select_tally(search->wanted.scan, brackets, MOST_KEPT, 1, &tally, error);
    if (status == GP_OK) {
        search->n_valid = tally.n_valid;
        make_windows(search, brackets, &tally);
        find_kept(search, &tally);
    }
    free(tally.kept);
    return status;
}

/* ---- the careful way ------------------------------------------------------------------------------------------------- */

/* Narrows low..high, which holds the rank, to one bin of its histogram. */
static gp_status narrow(const rank_search *search, int64_t rank, int64_t *low, int64_t *high, int64_t *below, int64_t *n_inside,
                        gp_error *error)
{
    int64_t counts[GP_SELECT_BINS];
    uint64_t width = (uint64_t)*high - (uint64_t)*low;
    int shift = 0, bin = 0;
    while (width >> shift >= GP_SELECT_BINS)
        shift++;
    GP_TRY(gp_select_histogram(search->wanted.scan, *low, *high, shift, counts, error));
    while (bin < GP_SELECT_BINS - 1 && rank - *below >= counts[bin])
        *below += counts[bin++];
    *n_inside = counts[bin];
    *low = (int64_t)((uint64_t)*low + ((uint64_t)bin << shift));
    uint64_t last = ((uint64_t)1 << shift) - 1;
    *high = (uint64_t)*high - (uint64_t)*low < last ? *high : (int64_t)((uint64_t)*low + last);
    return GP_OK;
}

/* Makes one window that holds the rank, by as many passes as it takes: six at most, for the worst 64-bit data. */
static gp_status find_window(rank_search *search, int64_t rank, gp_error *error)
{
    gp_brackets one = {.valid = search->wanted.valid, .n = 1};
    int64_t low = search->wanted.valid.first, high = search->wanted.valid.last, below = 0, n_inside = 0;
    do {
        GP_TRY(narrow(search, rank, &low, &high, &below, &n_inside, error));
    } while (low < high && n_inside > FEW_ELEMS);
    one.low[0] = gp_sortable(low, search->wanted.valid), one.high[0] = gp_sortable(high, search->wanted.valid);
    if (low == high) {
        search->windows[0] = (key_window){.low = one.low[0], .high = one.high[0], .below = below, .at_low = n_inside};
        search->n_windows = 1;
        return GP_OK;
    }
    return look_into(search, &one, error);
}

/* ---- ranks to values ------------------------------------------------------------------------------------------------- */

static gp_status value_at(rank_search *search, int64_t rank, double *value, gp_error *error)
{
    rank_place place = {0};
    if (!find_place(search, rank, &place)) {
        GP_TRY(find_window(search, rank, error));
        (void)find_place(search, rank, &place);
    }
    uint64_t key = place.is_kept ? gp_ranks_key(search->found, search->n_found, place.kept_rank) : place.key;
    *value = gp_value_of_key(search->wanted.scan->rows.dtype, gp_key_of_sortable(key, search->wanted.valid));
    return GP_OK;
}

static gp_status find_wide(rank_search *search, double *out, gp_error *error)
{
    gp_brackets brackets = {.valid = search->wanted.valid};
    if (search->wanted.scan->n_elems > FEW_ELEMS)
        GP_TRY(gp_select_brackets(&search->wanted, MOST_KEPT, &brackets, error));
    else
        brackets.n = 1, brackets.high[0] = gp_sortable(search->wanted.valid.last, search->wanted.valid);
    GP_TRY(look_into(search, &brackets, error));
    for (int i = 0; i < search->wanted.n_percents; i++) {
        double low, high;
        if (search->n_valid == 0) {
            out[i] = NAN;
            continue;
        }
        gp_percent_place place = gp_percent_place_of(search->wanted.percents[i], search->n_valid, search->wanted.n_repeats);
        GP_TRY(value_at(search, place.low, &low, error));
        high = low;
        if (place.high != place.low)
            GP_TRY(value_at(search, place.high, &high, error));
        out[i] = gp_percent_between(low, high, place.fraction);
    }
    return GP_OK;
}

/* ---- 8- and 16-bit dtypes: every code is counted ------------------------------------------------------------------------ */

static double value_of_rank(gp_dtype dtype, gp_key_range valid, const int64_t *counts, int64_t rank)
{
    int64_t key = valid.first;
    for (; key < valid.last && rank >= counts[key + 32768]; key++)
        rank -= counts[key + 32768];
    return gp_value_of_key(dtype, key);
}

static gp_status find_narrow(const rank_search *search, const double *percents, int n, double *out, gp_error *error)
{
    gp_dtype dtype = search->wanted.scan->rows.dtype;
    GP_FREED int64_t *counts = NULL;
    int64_t n_valid = 0;
    GP_TRY(gp_alloc(65536 * sizeof *counts, &counts, error));
    GP_TRY(gp_select_codes(search->wanted.scan, counts, error));
    for (int64_t key = search->wanted.valid.first; key <= search->wanted.valid.last; key++)
        n_valid += counts[key + 32768];
    for (int i = 0; i < n; i++) {
        if (n_valid == 0) {
            out[i] = NAN;
            continue;
        }
        gp_percent_place place = gp_percent_place_of(percents[i], n_valid, search->wanted.n_repeats);
        double low = value_of_rank(dtype, search->wanted.valid, counts, place.low);
        double high = value_of_rank(dtype, search->wanted.valid, counts, place.high);
        out[i] = gp_percent_between(low, high, place.fraction);
    }
    return GP_OK;
}

gp_status gp_cpu_percentiles(const gp_plane *plane, const double *percents, int n_percents, bool positive_only, double *out,
                             gp_error *error)
{
    GP_OWNED_PLANE_SCAN scan = {0};
    rank_search search = {.wanted = {.scan = &scan, .n_repeats = gp_plane_repeats(plane)}};
    gp_status status = GP_OK;
    GP_TRY(gp_percents_check(percents, n_percents, error));
    for (int i = 0; i < n_percents; i++)
        out[i] = NAN;
    GP_TRY(gp_plane_scan_init(plane, &scan, error));
    if (scan.n_elems == 0)
        return GP_OK;
    search.wanted.valid = gp_keys_of(scan.rows.dtype, positive_only);
    if (gp_dtype_size_bytes(scan.rows.dtype) <= 2)
        return find_narrow(&search, percents, n_percents, out, error);
    for (int i = 0; i < n_percents && status == GP_OK; i += GP_MOST_BRACKETS) {
        search.wanted.percents = percents + i;
        search.wanted.n_percents = n_percents - i < GP_MOST_BRACKETS ? n_percents - i : GP_MOST_BRACKETS;
        status = find_wide(&search, out + i, error);
    }
    return status;
}
