/* The M4 state of a part of a column, by one block: in runs of samples, with positions found only when an extreme changes. */
#ifndef GP_M4_CUH
#define GP_M4_CUH

#include "extremes.cuh"
#include "series_args.h"
#include "../../core/states/reductions.h"

/* Runs that a thread loads at once. */
enum { GP_M4_AT_ONCE = 4 };

/* The positions of a thread's runs rise, so that the first of equal extremes is kept. */
struct gp_m4_seen {
    gp_exact lo, hi;
    int64_t n_finite, first, last, lo_at, hi_at;
    unsigned has;
};

GP_DEVICE void gp_m4_start(gp_m4_seen &s)
{
    gp_start_extremes(&s.lo, &s.hi);
    s.n_finite = 0, s.has = 0;
    s.first = s.last = s.lo_at = s.hi_at = GP_NOWHERE;
}

GP_DEVICE void gp_m4_add(gp_m4_seen &s, gp_value x, gp_exact exact, int64_t at)
{
    unsigned kind = gp_elems::is_float ? gp_class_of((double)x) : (unsigned)GP_HAS_FINITE;
    s.has |= kind;
    if (kind != GP_HAS_FINITE)
        return;
    s.first = s.n_finite == 0 ? at : s.first;
    s.last = at;
    if (s.n_finite == 0 || exact < s.lo)
        s.lo = exact, s.lo_at = at;
    if (s.n_finite == 0 || exact > s.hi)
        s.hi = exact, s.hi_at = at;
    s.n_finite++;
}

/* Takes a whole run if all its samples are finite and none changes an extreme, as in nearly all runs; else false, with nothing done. */
GP_DEVICE bool gp_m4_add_plain(gp_m4_seen &s, const gp_value *x, const gp_exact *exact, int64_t at)
{
    bool is_plain = s.n_finite > 0;
    gp_exact lo = exact[0], hi = exact[0];
    GP_UNROLL
    for (int k = 0; k < GP_RUN_ELEMS; k++) {
        lo = gp_smaller(lo, exact[k]), hi = gp_larger(hi, exact[k]);
        is_plain = is_plain && (!gp_elems::is_float || gp_is_finite(x[k]));
    }
    if (!is_plain || lo < s.lo || hi > s.hi)
        return false;
    s.n_finite += GP_RUN_ELEMS;
    s.last = at + GP_RUN_ELEMS - 1;
    return true;
}

/* Takes the samples of a run that are in the mask; the first one of the run is at `at`. */
GP_DEVICE void gp_m4_add_run(const gp_plane &plane, gp_m4_seen &s, const gp_run &run, uint32_t mask, int64_t at)
{
    gp_value x[GP_RUN_ELEMS];
    gp_exact exact[GP_RUN_ELEMS];
    gp_run_values(run.words, (int)plane.dtype, x);
    gp_run_exact(plane, run, x, 0, at, exact);
    if (mask == GP_ALL_ELEMS && gp_m4_add_plain(s, x, exact, at))
        return;
    GP_UNROLL
    for (int k = 0; k < GP_RUN_ELEMS; k++)
        if (mask >> k & 1)
            gp_m4_add(s, x[k], exact[k], at + k);
}

/* Contiguous samples, by aligned runs; those at the ends are taken in part. */
GP_DEVICE void gp_m4_dense(const gp_plane &plane, int64_t begin, int64_t end, gp_m4_seen &s)
{
    const char *low = gp_address(plane, 0, begin), *high = gp_address(plane, 0, end);
    const char *origin = low - (uint64_t)low % GP_RUN_BYTES;
    int64_t n_runs = (high - origin + GP_RUN_BYTES - 1) / GP_RUN_BYTES;
    int64_t first = begin - (low - origin) / (int64_t)sizeof(gp_stored);
    for (int64_t number = threadIdx.x; number < n_runs; number += GP_M4_AT_ONCE * GP_BLOCK) {
        gp_run runs[GP_M4_AT_ONCE];
        GP_UNROLL
        for (int i = 0; i < GP_M4_AT_ONCE; i++) {
            const char *at = origin + (number + i * GP_BLOCK) * GP_RUN_BYTES;
            if (number + i * GP_BLOCK < n_runs)
                gp_run_load(at, low, high, runs[i]);
        }
        GP_UNROLL
        for (int i = 0; i < GP_M4_AT_ONCE; i++) {
            int64_t here = number + i * GP_BLOCK;
            if (here < n_runs)
                gp_m4_add_run(plane, s, runs[i], gp_mask_inside(origin + here * GP_RUN_BYTES, low, high),
                              first + here * GP_RUN_ELEMS);
        }
    }
}

/* Other samples one by one, neighbors by neighboring threads. */
GP_DEVICE void gp_m4_spread(const gp_plane &plane, int64_t begin, int64_t end, gp_m4_seen &s)
{
    for (int64_t at = begin + threadIdx.x; at < end; at += GP_BLOCK) {
        gp_stored stored = gp_stored_at(plane, 0, at);
        gp_value x = gp_elems::value_of(stored, gp_elems::codec_of((int)plane.dtype));
        gp_exact exact = gp_exact_of<gp_elems>::from(stored, x, (int)plane.dtype);
        if (!gp_elems::is_typed && gp_is_rounded(plane))
            exact = (gp_exact)gp_exact_integer(plane, 0, at);
        gp_m4_add(s, x, exact, at);
    }
}

/* ---- joining -------------------------------------------------------------------------------------------------------- */

/* Reads the orders of the first and the last sample, once for a block. */
GP_DEVICE gp_m4_state gp_m4_state_of(const gp_m4_seen &s)
{
    gp_m4_state state = gp_m4_state_none();
    state.has = s.has;
    if (s.n_finite == 0)
        return state;
    state.n_finite = s.n_finite, state.first = s.first, state.last = s.last, state.argmin = s.lo_at, state.argmax = s.hi_at;
    state.lowest = gp_exact_order(s.lo), state.highest = gp_exact_order(s.hi);
    return state;
}

GP_DEVICE int64_t gp_m4_from_lane(int64_t x, int distance)
{
    return (int64_t)__shfl_down_sync(GP_FULL_WARP, (unsigned long long)x, (unsigned)distance);
}

GP_DEVICE gp_m4_state gp_m4_state_from_lane(const gp_m4_state &s, int distance)
{
    gp_m4_state other = {gp_m4_from_lane(s.n_finite, distance),
                         gp_m4_from_lane(s.first, distance),
                         gp_m4_from_lane(s.last, distance),
                         gp_m4_from_lane(s.argmin, distance),
                         gp_m4_from_lane(s.argmax, distance),
                         0,
                         0,
                         gp_m4_from_lane(s.lowest, distance),
                         gp_m4_from_lane(s.highest, distance),
                         (uint64_t)gp_m4_from_lane((int64_t)s.has, distance)};
    return other;
}

/* Joins the states of a block's threads to that of the first one. */
GP_DEVICE void gp_m4_join_block(gp_m4_state &state, gp_m4_state *pool)
{
    for (int distance = GP_WARP / 2; distance > 0; distance /= 2) {
        gp_m4_state other = gp_m4_state_from_lane(state, distance);
        gp_m4_state_join(&state, &other);
    }
    if (threadIdx.x % GP_WARP == 0)
        pool[threadIdx.x / GP_WARP] = state;
    __syncthreads();
    for (int warp = 1; threadIdx.x == 0 && warp < GP_BLOCK / GP_WARP; warp++)
        gp_m4_state_join(&state, &pool[warp]);
}

GP_DEVICE gp_order gp_m4_order_at(const gp_plane &plane, int64_t at)
{
    gp_stored stored = gp_stored_at(plane, 0, at);
    gp_value x = gp_elems::value_of(stored, gp_elems::codec_of((int)plane.dtype));
    if (!gp_elems::is_typed && gp_is_rounded(plane))
        return (gp_order)gp_exact_integer(plane, 0, at);
    return gp_exact_order(gp_exact_of<gp_elems>::from(stored, x, (int)plane.dtype));
}

/* One block for each part of a column. */
GP_DEVICE void gp_m4_block(const gp_m4_args &args, gp_m4_state *pool)
{
    int64_t k = blockIdx.x, part = blockIdx.y, begin = args.bounds[k], n = args.bounds[k + 1] - begin;
    int64_t each = n / args.n_parts, more = n % args.n_parts; /* the first `more` parts have one sample more */
    int64_t first = begin + part * each + (part < more ? part : more), end = first + each + (part < more ? 1 : 0);
    gp_m4_seen seen;
    gp_m4_start(seen);
    if (gp_is_dense(args.plane))
        gp_m4_dense(args.plane, first, end, seen);
    else
        gp_m4_spread(args.plane, first, end, seen);
    gp_m4_state state = gp_m4_state_of(seen);
    gp_m4_join_block(state, pool);
    if (threadIdx.x != 0)
        return;
    if (state.n_finite > 0) {
        state.y_first = gp_m4_order_at(args.plane, state.first);
        state.y_last = gp_m4_order_at(args.plane, state.last);
    }
    args.states[k * args.n_parts + part] = state;
}

/* Joins the parts of each column, by one thread for each column. */
GP_DEVICE void gp_m4_join_parts(const gp_m4_args &args)
{
    for (int64_t k = (int64_t)blockIdx.x * GP_BLOCK + threadIdx.x; k < args.n_columns; k += (int64_t)gridDim.x * GP_BLOCK) {
        gp_m4_state state = gp_m4_state_none();
        for (int64_t part = 0; part < args.n_parts; part++)
            gp_m4_state_join(&state, &args.states[k * args.n_parts + part]);
        args.joined[k] = state;
    }
}

#endif
