/* Slices of a tensor: a few threads go through each slice, line by line, and summarize it or count its elements in bins. */
#ifndef GP_SLICES_CUH
#define GP_SLICES_CUH

#include "summarize.cuh"
#include "../../core/statistics/percentiles.h"

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
        if (mask == (uint32_t)GP_ALL_ELEMS && gp_summary_seen::is_plain(s.seen, x))
            gp_summary_seen::whole_values(s.seen, x, exact, at, step);
        else
            gp_summary_seen::some_values(s.seen, x, exact, mask, at, step);
        if (gp_spread_of_class::has_stretches && ++s.n_takes % 256 == 0)
            gp_summary_seen::merge(s.seen);
    }
};

GP_DEVICE void gp_summarize_slices(const gp_slices_args &args, gp_summary_state *states)
{
    gp_slice_task task = gp_slice_task_of(args);
    gp_slice_seen visit;
    int team = 1 << (args.log2_tx + args.log2_ty);
    gp_summary_seen::start(visit.seen, nullptr, args.smallest_normal, &states[threadIdx.x]);
    visit.n_takes = 0;
    if (task.is_any)
        gp_visit_slice(args, task.place, visit);
    gp_summary_seen::end(visit.seen);
    if (team > GP_WARP)
        gp_summary_join_block(states);
    else
        gp_summary_join_lanes(states, team);
    if (task.is_any && (threadIdx.x & (unsigned)(team - 1)) == 0)
        args.states[task.number * gridDim.y + blockIdx.y] = states[threadIdx.x];
}

/* ---- bins ------------------------------------------------------------------------------------------------------------ */

/* Threads of a slice in a block, which slice of the block this is, and how many there are. */
struct gp_slice_team {
    int n_threads, lane, number, n_slices;
};

GP_DEVICE gp_slice_team gp_slice_team_of(const gp_slices_args &args)
{
    int log2_team = args.log2_tx + args.log2_ty;
    gp_slice_team team = {1 << log2_team, (int)threadIdx.x & ((1 << log2_team) - 1), (int)threadIdx.x >> log2_team,
                          GP_BLOCK >> log2_team};
    return team;
}

struct gp_slice_binning {
    const gp_slices_args *args;
    const double *edges;
    uint64_t *counts;
    unsigned *shared; /* the thread's copy of the first bin's counter; NULL: `counts` are counted in */
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
        for (int k = 0; k < GP_RUN_ELEMS; k++) {
            if (!(mask >> k & 1) || !counts_at_all(b, (double)x[k], exact[k]))
                continue;
            int32_t bin = bin_of(b, (double)x[k]);
            if (b.shared != nullptr)
                atomicAdd(&b.shared[bin << b.args->log2_copies], 1u);
            else
                atomicAdd((unsigned long long *)&b.counts[bin], 1ull);
        }
    }
};

GP_DEVICE void gp_count_slice(const gp_slices_args &args, const gp_slice_task &task, unsigned *shared)
{
    const double *edges = args.edges + task.number * (args.n_bins + 1);
    double first = edges[0], last = edges[args.n_bins];
    gp_slice_binning visit = {&args, edges, args.counts + task.number * args.n_bins, shared,
                              first, last,  (double)args.n_bins / (last - first)};
    gp_visit_slice(args, task.place, visit);
}

/* Shared counters to those of the slices, to which other blocks add their parts. Neighboring threads have counted in different copies. */
GP_DEVICE void gp_add_shared_counts(const gp_slices_args &args, const gp_slice_task &task, const gp_slice_team &team,
                                    const unsigned *counters)
{
    int n_bins = (int)args.n_bins, n_copies = 1 << args.log2_copies;
    int64_t first = task.number - team.number, n_there = args.n_slices - first;
    for (int i = (int)threadIdx.x; i < team.n_slices * n_bins && i / n_bins < n_there; i += GP_BLOCK) {
        unsigned n = 0;
        for (int copy = 0; copy < n_copies; copy++)
            n += counters[(i << args.log2_copies) + copy];
        if (n > 0)
            atomicAdd((unsigned long long *)&args.counts[first * n_bins + i], (unsigned long long)n);
    }
}

GP_DEVICE void gp_histogram_slices(const gp_slices_args &args, unsigned *counters)
{
    gp_slice_task task = gp_slice_task_of(args);
    gp_slice_team team = gp_slice_team_of(args);
    if (args.log2_copies < 0) {
        if (task.is_any)
            gp_count_slice(args, task, nullptr);
        return;
    }
    int n_bins = (int)args.n_bins, n_copies = 1 << args.log2_copies;
    for (int i = (int)threadIdx.x; i < team.n_slices * n_bins << args.log2_copies; i += GP_BLOCK)
        counters[i] = 0;
    __syncthreads();
    if (task.is_any)
        gp_count_slice(args, task, counters + (team.number * n_bins << args.log2_copies) + ((int)threadIdx.x & (n_copies - 1)));
    __syncthreads();
    gp_add_shared_counts(args, task, team, counters);
}

/* ---- order statistics ------------------------------------------------------------------------------------------------- */

enum { GP_DIGIT_BITS = 8, GP_DIGITS = 1 << GP_DIGIT_BITS };

/* Elements as unsigned integers of the same order: those of 32 bits and less, floats as well, have keys of half as many digits. */
template <class EXACT> struct gp_slice_keys {
    typedef uint64_t key;
    GP_DEVICE key of(EXACT x) { return gp_u64_of_order(gp_exact_order(x)); }
    GP_DEVICE uint64_t order_of(key k) { return k; }
};
template <> struct gp_slice_keys<float> {
    typedef uint32_t key;
    GP_DEVICE key of(float x) { return gp_ordered_f32(x); }
    GP_DEVICE uint64_t order_of(key k) { return gp_u64_of_order(gp_exact_order(gp_f32_of_ordered(k))); }
};
template <> struct gp_slice_keys<int> {
    typedef uint32_t key;
    GP_DEVICE key of(int x) { return (uint32_t)x ^ 0x80000000u; }
    GP_DEVICE uint64_t order_of(key k) { return gp_u64_of_order(gp_exact_order((int)(k ^ 0x80000000u))); }
};
typedef gp_slice_keys<gp_exact> gp_keys;
enum { GP_FIRST_SHIFT = 8 * (int)sizeof(gp_keys::key) - GP_DIGIT_BITS };

/* A rank on its way down: its key's digits so far, how many elements that begin like this come before it, and which counters are theirs. */
struct gp_slice_path {
    int64_t left;
    gp_keys::key prefix;
    int slot;
};

/* Paths of all slices of a block; those that have come the same way have one slot. */
struct gp_slice_search {
    gp_slice_path paths[GP_SLICE_PATHS];
    gp_keys::key prefixes[GP_SLICE_PATHS]; /* of the slots */
    int n_slots[GP_BLOCK / GP_WARP];
};

/* Counts one digit of the finite elements that begin as one of the slots does. */
struct gp_digit_counting {
    unsigned *counters;
    const gp_keys::key *prefixes;
    int n_slots, shift;

    GP_DEVICE void take(gp_digit_counting &c, const gp_value *x, const gp_exact *exact, uint32_t mask, int64_t, int64_t)
    {
        GP_UNROLL
        for (int k = 0; k < GP_RUN_ELEMS; k++) {
            if (!(mask >> k & 1) || (gp_elems::is_float && !gp_is_finite(x[k])))
                continue;
            gp_keys::key key = gp_keys::of(exact[k]), prefix = c.shift == GP_FIRST_SHIFT ? 0 : key >> (c.shift + GP_DIGIT_BITS);
            for (int slot = 0; slot < c.n_slots; slot++)
                if (c.prefixes[slot] == prefix)
                    atomicAdd(&c.counters[slot * GP_DIGITS + (int)(key >> c.shift & (GP_DIGITS - 1))], 1u);
        }
    }
};

/* How many finite elements there are, by the counts of their first digit, and the rank at which a path begins: number 2 i is the
 * order statistic below percentage i, 2 i + 1 that above. */
GP_DEVICE int64_t gp_begin_path(const gp_slices_args &args, int64_t number, const unsigned *counters, gp_slice_path &path)
{
    int64_t n_finite = 0;
    for (int digit = 0; digit < GP_DIGITS; digit++)
        n_finite += counters[digit];
    if (n_finite > 0) {
        gp_percent_place place = gp_percent_place_of(args.percents[number / 2], n_finite, gp_plane_repeats(&args.plane));
        path.left = number % 2 == 0 ? place.low : place.high;
    }
    return n_finite;
}

GP_DEVICE void gp_path_descend(gp_slice_path &path, const unsigned *counters)
{
    unsigned digit = 0;
    for (; digit < GP_DIGITS - 1 && path.left >= (int64_t)counters[digit]; digit++)
        path.left -= (int64_t)counters[digit];
    path.prefix = path.prefix << GP_DIGIT_BITS | digit;
}

/* Slots for the next digit; how many. */
GP_DEVICE int gp_share_slots(gp_slice_path *paths, int n_paths, gp_keys::key *prefixes)
{
    int n_slots = 0;
    for (int i = 0; i < n_paths; i++) {
        int slot = 0;
        while (slot < n_slots && prefixes[slot] != paths[i].prefix)
            slot++;
        prefixes[slot] = paths[i].prefix;
        paths[i].slot = slot;
        n_slots = slot < n_slots ? n_slots : slot + 1;
    }
    return n_slots;
}

/* Some paths of a slice, first, first + 1, ... of all its numbers, to the elements that they lead to: one look at the slice for each
 * digit. `counters`, `paths` and `prefixes` are those of the slice. */
GP_DEVICE void gp_follow_paths(const gp_slices_args &args, const gp_slice_task &task, const gp_slice_team &team, int64_t first,
                               int n_paths, unsigned *counters, gp_slice_path *paths, gp_keys::key *prefixes, int *n_slots)
{
    bool has_path = team.lane < n_paths;
    int64_t n_finite = 0;
    if (team.lane == 0)
        *n_slots = 1, prefixes[0] = 0;
    if (has_path)
        paths[team.lane] = gp_slice_path{0, 0, 0};
    for (int shift = GP_FIRST_SHIFT; shift >= 0; shift -= GP_DIGIT_BITS) {
        __syncthreads();
        gp_digit_counting counting = {counters, prefixes, *n_slots, shift};
        for (int i = team.lane; i < counting.n_slots * GP_DIGITS; i += team.n_threads)
            counters[i] = 0;
        __syncthreads();
        if (task.is_any)
            gp_visit_slice(args, task.place, counting);
        __syncthreads();
        if (has_path && shift == GP_FIRST_SHIFT)
            n_finite = gp_begin_path(args, first + team.lane, counters, paths[team.lane]);
        if (has_path)
            gp_path_descend(paths[team.lane], counters + paths[team.lane].slot * GP_DIGITS);
        __syncthreads();
        if (team.lane == 0)
            *n_slots = gp_share_slots(paths, n_paths, prefixes);
    }
    uint64_t *out = args.ranks + task.number * GP_SLICE_RANKS(args.n_percents);
    if (has_path && task.is_any)
        out[0] = (uint64_t)n_finite, out[1 + first + team.lane] = gp_keys::order_of(paths[team.lane].prefix);
}

/* A block for each slice, or where they are small a warp: the host says so. */
GP_DEVICE void gp_percentiles_slices(const gp_slices_args &args, unsigned *counters, gp_slice_search &search)
{
    gp_slice_task task = gp_slice_task_of(args);
    gp_slice_team team = gp_slice_team_of(args);
    int most = GP_SLICE_PATHS / team.n_slices, at = team.number * most;
    for (int64_t first = 0; first < 2 * args.n_percents; first += most) {
        int64_t n_left = 2 * args.n_percents - first;
        __syncthreads(); /* nobody reads the paths before these any more */
        gp_follow_paths(args, task, team, first, n_left < most ? (int)n_left : most, counters + at * GP_DIGITS, search.paths + at,
                        search.prefixes + at, &search.n_slots[team.number]);
    }
}

#endif
