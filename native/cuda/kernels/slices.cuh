/* Slices of a tensor: a few threads go through each, from line to line, and find out what there is, or count it. */
#ifndef GP_SLICES_CUH
#define GP_SLICES_CUH

#include "summarize.cuh"
#include "../../core/percentiles.h"

/* One element, as a number and as it is compared. */
GP_DEVICE void gp_slice_load(const gp_plane &plane, const char *at, const uint8_t *mask, gp_value *x, gp_exact *exact)
{
    int dtype = (int)plane.dtype;
    if (gp_elems::is_typed) {
        gp_stored stored = *(const gp_stored *)at;
        *x = gp_elems::value_of(stored, gp_elems::codec_of(dtype));
        *exact = gp_exact_of<gp_elems>::from(stored, *x, dtype);
        return;
    }
    *x = (gp_value)gp_tensor_value(plane, at, mask);
    *exact = gp_exact_of<gp_elems>::from((gp_stored)0, *x, dtype);
    if (gp_is_rounded(plane))
        *exact = (gp_exact)gp_exact_of<gp_elems_I64>::from(gp_read_stored<uint64_t>(at, plane.is_byteswapped), 0.0, dtype);
}

/* The place of the slice of this thread, and whether there is one. */
struct gp_slice_task {
    int64_t number; /* counted from `begin` */
    bool is_any;
    gp_slice_place place;
};

GP_DEVICE gp_slice_task gp_slice_task_of(const gp_slices_args &args)
{
    gp_slice_task task;
    int log2_team = args.log2_tx + args.log2_ty;
    task.number = ((int64_t)blockIdx.x * GP_BLOCK + (int64_t)threadIdx.x) >> log2_team;
    task.is_any = task.number < args.n_slices;
    task.place = gp_slice_place_of(args.between, args.n_between, task.is_any ? args.begin + task.number : 0);
    return task;
}

/*
 * Shows a Visit the elements that this thread has of its slice, some at once:
 * take(visit, x, exact, mask, at, step), those in the mask; element k is at position `at` + k * step.
 */
template <class Visit> GP_DEVICE void gp_visit_slice(const gp_slices_args &args, const gp_slice_place &slice, Visit &visit)
{
    int lane = (int)threadIdx.x & ((1 << (args.log2_tx + args.log2_ty)) - 1);
    int64_t tx = (int64_t)1 << args.log2_tx, ty = (int64_t)1 << args.log2_ty, part = blockIdx.y;
    int64_t first_line = args.n_lines > 1 ? part * args.part_lines : 0, end_line = first_line + args.part_lines;
    int64_t first = args.n_lines > 1 ? 0 : part * args.part_elems, end = first + args.part_elems;
    end_line = end_line < args.n_lines ? end_line : args.n_lines;
    end = end < args.line.size ? end : args.line.size;
    for (int64_t line = first_line + (lane >> args.log2_tx); line < end_line; line += ty) {
        gp_slice_place place = gp_slice_place_of(args.outer, args.n_outer, line);
        const char *data = (const char *)args.plane.data + slice.offset_bytes + place.offset_bytes;
        const uint8_t *mask = args.plane.mask;
        if (mask != nullptr)
            mask += slice.mask_offset_bytes + place.mask_offset_bytes;
        for (int64_t col = first + (lane & (tx - 1)); col < end; col += tx * GP_RUN_ELEMS) {
            gp_value x[GP_RUN_ELEMS];
            gp_exact exact[GP_RUN_ELEMS];
            uint32_t there = 0;
            GP_UNROLL
            for (int k = 0; k < GP_RUN_ELEMS; k++) {
                int64_t at = col + k * tx;
                x[k] = 0, exact[k] = 0;
                if (at < end) {
                    gp_slice_load(args.plane, data + at * args.line.stride_bytes,
                                  mask == nullptr ? mask : mask + at * args.line.mask_stride_bytes, &x[k], &exact[k]);
                    there |= 1u << k;
                }
            }
            Visit::take(visit, x, exact, there, place.step + col * args.line.step, tx * args.line.step);
        }
    }
}

/* ---- what there is --------------------------------------------------------------------------------------------------- */

struct gp_slice_seen {
    gp_summary_seen seen;
    int n_takes;

    GP_DEVICE void take(gp_slice_seen &s, const gp_value *x, const gp_exact *exact, uint32_t mask, int64_t at, int64_t step)
    {
        bool is_whole = mask == (uint32_t)GP_ALL_ELEMS && gp_summary_seen::is_plain(s.seen, x);
        if (!is_whole || !gp_summary_seen::whole_values(s.seen, x, exact, at, step))
            gp_summary_seen::some_values(s.seen, x, exact, mask, at, step);
        if (gp_spread_of_class::has_stretches && ++s.n_takes % 256 == 0)
            gp_spread_of_class::merge(s.seen.spread);
    }
};

GP_DEVICE void gp_summarize_slices(const gp_slices_args &args, gp_summary_state *pool)
{
    gp_slice_task task = gp_slice_task_of(args);
    gp_slice_seen visit;
    int team = 1 << (args.log2_tx + args.log2_ty);
    gp_summary_seen::start(visit.seen, nullptr, args.smallest_normal);
    visit.n_takes = 0;
    if (task.is_any)
        gp_visit_slice(args, task.place, visit);
    gp_summary_state state = gp_summary_seen::state(visit.seen);
    if (team > GP_WARP)
        gp_summary_join_block(state, pool);
    else
        gp_summary_join_lanes(state, team);
    if (task.is_any && (threadIdx.x & (unsigned)(team - 1)) == 0)
        args.states[task.number * gridDim.y + blockIdx.y] = state;
}

/* ---- bins ------------------------------------------------------------------------------------------------------------ */

struct gp_slice_binning {
    const gp_slices_args *args;
    const double *edges;
    uint64_t *counts;
    double first, last, scale;

    GP_DEVICE bool counts_at_all(const gp_slice_binning &b, double x, gp_exact exact)
    {
        if (b.args->has_exact)
            return (int64_t)exact >= b.args->low_exact && (int64_t)exact <= b.args->high_exact;
        return x >= b.first && x <= b.last;
    }

    /* An estimate, which the edges correct. */
    GP_DEVICE int32_t bin_of(const gp_slice_binning &b, double x)
    {
        int32_t n_bins = (int32_t)b.args->n_bins;
        double place = (x - b.first) * b.scale;
        int32_t bin = place < (double)n_bins ? (place > 0 ? (int32_t)place : 0) : n_bins - 1;
        return gp_bin_correct(b.edges, n_bins, x, bin);
    }

    GP_DEVICE void take(gp_slice_binning &b, const gp_value *x, const gp_exact *exact, uint32_t mask, int64_t, int64_t)
    {
        GP_UNROLL
        for (int k = 0; k < GP_RUN_ELEMS; k++)
            if ((mask >> k & 1) && counts_at_all(b, (double)x[k], exact[k]))
                atomicAdd((unsigned long long *)&b.counts[bin_of(b, (double)x[k])], 1ull);
    }
};

GP_DEVICE void gp_histogram_slices(const gp_slices_args &args)
{
    gp_slice_task task = gp_slice_task_of(args);
    if (!task.is_any)
        return;
    const double *edges = args.edges + task.number * (args.n_bins + 1);
    double first = edges[0], last = edges[args.n_bins];
    gp_slice_binning visit = {&args, edges, args.counts + task.number * args.n_bins,
                              first, last,  (double)args.n_bins / (last - first)};
    gp_visit_slice(args, task.place, visit);
}

/* ---- order statistics ------------------------------------------------------------------------------------------------- */

enum { GP_DIGIT_BITS = 8, GP_DIGITS = 1 << GP_DIGIT_BITS };

/* Counts elements of a digit among those that begin as `prefix` does; with shift = 64 all that are finite. */
struct gp_digit_counting {
    unsigned *counters;
    uint64_t prefix, n_finite;
    int shift;

    GP_DEVICE void take(gp_digit_counting &c, const gp_value *x, const gp_exact *exact, uint32_t mask, int64_t, int64_t)
    {
        GP_UNROLL
        for (int k = 0; k < GP_RUN_ELEMS; k++) {
            if (!(mask >> k & 1) || (gp_elems::is_float && !gp_is_finite(x[k])))
                continue;
            uint64_t key = gp_u64_of_order(gp_exact_order(exact[k]));
            if (c.shift == 64)
                c.n_finite++;
            else if (c.shift + GP_DIGIT_BITS == 64 || key >> (c.shift + GP_DIGIT_BITS) == c.prefix)
                atomicAdd(&c.counters[key >> c.shift & (GP_DIGITS - 1)], 1u);
        }
    }
};

/* The smallest key above another one. */
struct gp_next_key {
    uint64_t key, next;

    GP_DEVICE void take(gp_next_key &n, const gp_value *x, const gp_exact *exact, uint32_t mask, int64_t, int64_t)
    {
        GP_UNROLL
        for (int k = 0; k < GP_RUN_ELEMS; k++) {
            uint64_t key = gp_u64_of_order(gp_exact_order(exact[k]));
            if ((mask >> k & 1) && (!gp_elems::is_float || gp_is_finite(x[k])) && key > n.key && key < n.next)
                n.next = key;
        }
    }
};

GP_DEVICE uint64_t gp_count_finite(const gp_slices_args &args, const gp_slice_place &slice)
{
    gp_digit_counting counting = {nullptr, 0, 0, 64};
    gp_visit_slice(args, slice, counting);
    for (int distance = GP_WARP / 2; distance > 0; distance /= 2)
        counting.n_finite += __shfl_xor_sync(GP_FULL_WARP, (unsigned long long)counting.n_finite, distance);
    return counting.n_finite;
}

/* The key of a rank, digit by digit; then how many elements with this key come after it. `counters` are those of the warp. */
GP_DEVICE uint64_t gp_select_key(const gp_slices_args &args, const gp_slice_place &slice, int64_t rank, unsigned *counters,
                                 int64_t *n_behind)
{
    gp_digit_counting counting = {counters, 0, 0, 64};
    for (int shift = 64 - GP_DIGIT_BITS; shift >= 0; shift -= GP_DIGIT_BITS) {
        for (int i = (int)threadIdx.x % GP_WARP; i < GP_DIGITS; i += GP_WARP)
            counters[i] = 0;
        __syncwarp(GP_FULL_WARP);
        counting.shift = shift;
        gp_visit_slice(args, slice, counting);
        __syncwarp(GP_FULL_WARP);
        int digit = 0;
        for (; digit < GP_DIGITS - 1 && rank >= (int64_t)counters[digit]; digit++)
            rank -= (int64_t)counters[digit];
        counting.prefix = counting.prefix << GP_DIGIT_BITS | (uint64_t)digit;
        *n_behind = (int64_t)counters[digit] - 1 - rank;
        __syncwarp(GP_FULL_WARP);
    }
    return counting.prefix;
}

GP_DEVICE uint64_t gp_key_above(const gp_slices_args &args, const gp_slice_place &slice, uint64_t key)
{
    gp_next_key above = {key, 0xffffffffffffffffu};
    gp_visit_slice(args, slice, above);
    for (int distance = GP_WARP / 2; distance > 0; distance /= 2) {
        uint64_t other = __shfl_xor_sync(GP_FULL_WARP, (unsigned long long)above.next, distance);
        above.next = other < above.next ? other : above.next;
    }
    return above.next;
}

/* A warp for each slice. */
GP_DEVICE void gp_percentiles_slices(const gp_slices_args &args, unsigned *counters)
{
    gp_slice_task task = gp_slice_task_of(args);
    if (!task.is_any)
        return;
    uint64_t *out = args.ranks + task.number * GP_SLICE_RANKS(args.n_percents);
    uint64_t n_finite = gp_count_finite(args, task.place);
    bool is_first = threadIdx.x % GP_WARP == 0;
    if (is_first)
        out[0] = n_finite;
    for (int64_t i = 0; i < args.n_percents && n_finite > 0; i++) {
        gp_percent_place place = gp_percent_place_of(args.percents[i], (int64_t)n_finite, gp_plane_repeats(&args.plane));
        int64_t n_behind;
        uint64_t low = gp_select_key(args, task.place, place.low, counters + threadIdx.x / GP_WARP * GP_DIGITS, &n_behind),
                 high = low;
        if (n_behind == 0 && place.high != place.low)
            high = gp_key_above(args, task.place, low);
        if (is_first)
            out[1 + 2 * i] = low, out[2 + 2 * i] = high;
    }
}

#endif
