/* Reads elements of any plane in kernels: runs of consecutive elements, and every element of a plane by any number of blocks. */
#ifndef GP_ELEMENTS_CUH
#define GP_ELEMENTS_CUH

#include "element_classes.cuh"

/* ---- single elements ------------------------------------------------------------------------------------------------ */

GP_DEVICE const char *gp_address(const gp_plane &plane, int64_t row, int64_t col)
{
    return (const char *)plane.data + row * plane.row_stride_bytes + col * plane.col_stride_bytes;
}

/* The element of the tensor at these addresses, or that of the plane, by the classes that work elements out. */
GP_DEVICE double gp_tensor_value(const gp_plane &plane, const char *at, const uint8_t *mask)
{
    if (gp_elems::has_stages)
        return gp_scaled(gp_tensor_element(plane, plane.component, at, mask), plane.scale);
    return gp_scaled(gp_single_value(plane, at, mask), plane.scale);
}

GP_DEVICE double gp_plane_value(const gp_plane &plane, int64_t row, int64_t col, bool &had_nan)
{
    if (gp_elems::has_stages)
        return gp_element_value(plane, row, col, had_nan);
    const uint8_t *mask = plane.mask;
    if (mask != nullptr)
        mask += row * plane.mask_row_stride_bytes + col * plane.mask_col_stride_bytes;
    return gp_single_value(plane, gp_address(plane, row, col), mask);
}

/* Element (row, col) as it is stored; of ONE and ANY, which may be computed, as float64. */
GP_DEVICE gp_stored gp_stored_at(const gp_plane &plane, int64_t row, int64_t col, bool &had_nan)
{
    if (!gp_elems::is_typed)
        return (gp_stored)gp_bits_from_f64(gp_plane_value(plane, row, col, had_nan));
    return *(const gp_stored *)gp_address(plane, row, col);
}
GP_DEVICE gp_stored gp_stored_at(const gp_plane &plane, int64_t row, int64_t col)
{
    bool had_nan = false;
    return gp_stored_at(plane, row, col, had_nan);
}

/* Element (row, col) by the class of this module. */
GP_DEVICE gp_value gp_value_at(const gp_plane &plane, int64_t row, int64_t col, bool &had_nan)
{
    if (!gp_elems::is_typed)
        return (gp_value)gp_plane_value(plane, row, col, had_nan);
    return gp_elems::value_of(*(const gp_stored *)gp_address(plane, row, col), gp_elems::codec_of((int)plane.dtype));
}
GP_DEVICE gp_value gp_value_at(const gp_plane &plane, int64_t row, int64_t col)
{
    bool had_nan = false;
    return gp_value_at(plane, row, col, had_nan);
}

/* True where the elements of a row lie side by side, so that runs can be loaded. */
GP_DEVICE bool gp_is_dense(const gp_plane &plane)
{
    return gp_elems::is_typed && plane.col_stride_bytes == (int64_t)sizeof(gp_stored);
}

/* ---- runs ----------------------------------------------------------------------------------------------------------- */

/* The words of GP_RUN_ELEMS consecutive elements as they are stored. */
struct gp_run {
    uint32_t words[GP_RUN_WORDS];
};

enum { GP_ALL_ELEMS = (1 << GP_RUN_ELEMS) - 1 };

/* All bytes of a run by one load; `at` is a multiple of GP_RUN_BYTES. */
GP_DEVICE void gp_run_load_aligned(const char *at, gp_run &run)
{
    if (GP_RUN_WORDS == 4) {
        uint4 loaded = *(const uint4 *)at;
        run.words[0] = loaded.x, run.words[1 % GP_RUN_WORDS] = loaded.y;
        run.words[2 % GP_RUN_WORDS] = loaded.z, run.words[GP_RUN_WORDS - 1] = loaded.w;
    } else if (GP_RUN_WORDS == 2) {
        uint2 loaded = *(const uint2 *)at;
        run.words[0] = loaded.x, run.words[GP_RUN_WORDS - 1] = loaded.y;
    } else {
        run.words[0] = *(const uint32_t *)at;
    }
}

/* The same of memory that nothing writes now, and that is read once: it takes no place in the first cache. */
#if !defined(GP_EMULATED) && defined(__CUDA_ARCH__)
GP_DEVICE void gp_run_load_once(const char *at, gp_run &run)
{
    uint32_t *w = run.words;
    if (GP_RUN_WORDS == 4)
        asm volatile("ld.global.nc.L1::no_allocate.v4.u32 {%0, %1, %2, %3}, [%4];"
                     : "=r"(w[0]), "=r"(w[1 % GP_RUN_WORDS]), "=r"(w[2 % GP_RUN_WORDS]), "=r"(w[GP_RUN_WORDS - 1])
                     : "l"(at));
    else if (GP_RUN_WORDS == 2)
        asm volatile("ld.global.nc.L1::no_allocate.v2.u32 {%0, %1}, [%2];" : "=r"(w[0]), "=r"(w[GP_RUN_WORDS - 1]) : "l"(at));
    else
        asm volatile("ld.global.nc.L1::no_allocate.u32 %0, [%1];" : "=r"(w[0]) : "l"(at));
}
#else
GP_DEVICE void gp_run_load_once(const char *at, gp_run &run) { gp_run_load_aligned(at, run); }
#endif

GP_DEVICE void gp_run_put(gp_run &run, int k, uint8_t x) { run.words[k / 4] |= (uint32_t)x << (k % 4 * 8); }
GP_DEVICE void gp_run_put(gp_run &run, int k, uint16_t x) { run.words[k / 2] |= (uint32_t)x << (k % 2 * 16); }
GP_DEVICE void gp_run_put(gp_run &run, int k, uint32_t x) { run.words[k] = x; }
GP_DEVICE void gp_run_put(gp_run &run, int k, uint64_t x)
{
    run.words[2 * k] = (uint32_t)x, run.words[2 * k + 1] = (uint32_t)(x >> 32);
}

GP_DEVICE void gp_run_clear(gp_run &run)
{
    GP_UNROLL
    for (int i = 0; i < GP_RUN_WORDS; i++)
        run.words[i] = 0;
}

/* Element by element; those outside low..high are not read, and zero bits. */
GP_DEVICE void gp_run_load_single(const char *at, const char *low, const char *high, gp_run &run)
{
    gp_run_clear(run);
    GP_UNROLL
    for (int k = 0; k < GP_RUN_ELEMS; k++) {
        const char *here = at + k * (int)sizeof(gp_stored);
        if (here >= low && here + sizeof(gp_stored) <= high)
            gp_run_put(run, k, *(const gp_stored *)here);
    }
}

/* By aligned words that lie inside low..high, moved into place. */
GP_DEVICE void gp_run_load_words(const char *at, gp_run &run)
{
    unsigned shift = (unsigned)((uint64_t)at % 4 * 8);
    const uint32_t *words = (const uint32_t *)(at - (uint64_t)at % 4);
    GP_UNROLL
    for (int i = 0; i < GP_RUN_WORDS; i++)
        run.words[i] = words[i];
    if (shift == 0)
        return;
    uint32_t after = words[GP_RUN_WORDS];
    GP_UNROLL
    for (int i = 0; i < GP_RUN_WORDS; i++)
        run.words[i] = __funnelshift_r(run.words[i], i + 1 < GP_RUN_WORDS ? run.words[i + 1] : after, shift);
}

/*
 * The run at any address that is a multiple of the element's size. low..high are bytes that may be read, elements of one row;
 * no other byte is touched, and elements outside are zero bits. One load where the address allows it, else words.
 */
GP_DEVICE void gp_run_load(const char *at, const char *low, const char *high, gp_run &run)
{
    const char *first_word = at - (uint64_t)at % 4;
    int n_bytes = GP_RUN_BYTES + ((uint64_t)at % 4 != 0 ? 4 : 0);
    if ((uint64_t)at % GP_RUN_BYTES == 0 && at >= low && at + GP_RUN_BYTES <= high)
        gp_run_load_aligned(at, run);
    else if (first_word >= low && first_word + n_bytes <= high)
        gp_run_load_words(at, run);
    else
        gp_run_load_single(at, low, high, run);
}

/* ---- jobs ----------------------------------------------------------------------------------------------------------- */

/* Steps of one job of a block, in the direction that has more of them; more of short runs are under way at once. */
enum { GP_VISIT_STEPS = 8, GP_VISIT_AT_ONCE = GP_RUN_WORDS > 2 ? 4 : 8 };

/* How the threads of a block are laid over a plane: tx of them along a row, each with a run, and GP_BLOCK / tx rows. */
struct gp_visit_plan {
    int log2_tx;
    int64_t runs_per_row, run_jobs, n_jobs;
    int rows_per_job, runs_per_job;
    bool is_dense, is_along_row;
};

GP_DEVICE gp_visit_plan gp_visit_plan_of(const gp_plane &plane)
{
    gp_visit_plan plan;
    plan.is_dense = gp_is_dense(plane);
    /* One run more: a row that begins between two aligned addresses has a part of a run at either end. */
    plan.runs_per_row = (plane.n_cols + GP_RUN_ELEMS - 1) / GP_RUN_ELEMS + (plan.is_dense ? 1 : 0);
    for (plan.log2_tx = 0; plan.log2_tx < 8 && (int64_t)1 << plan.log2_tx < plan.runs_per_row;)
        plan.log2_tx++;
    int tx = 1 << plan.log2_tx, ty = GP_BLOCK / tx;
    plan.is_along_row = plan.runs_per_row > 2 * tx;
    plan.runs_per_job = plan.is_along_row ? GP_VISIT_STEPS * tx : tx;
    plan.rows_per_job = plan.is_along_row ? ty : GP_VISIT_STEPS * ty;
    plan.run_jobs = (plan.runs_per_row + plan.runs_per_job - 1) / plan.runs_per_job;
    plan.n_jobs = plan.run_jobs * ((plane.n_rows + plan.rows_per_job - 1) / plan.rows_per_job);
    return plan;
}

/* ---- every run ------------------------------------------------------------------------------------------------------ */

/*
 * A Visit is shown runs of up to GP_RUN_ELEMS elements, which lie in run.words as they are stored (of ONE and ANY as float64), element k
 * of them at (row, col + k * step):
 *
 *   bool whole(visit, run, row, col, step)        all of them; false, and nothing done, asks for `some`
 *   void some(visit, run, mask, row, col, step)   those in the mask, of which there is at least one
 *
 * Code of `whole` is there once for each run that is under way, so it should be short; what is seldom belongs to `some`. Threads
 * come to both as they please, so neither may synchronize; all of a block's threads return.
 */

/* Which elements of a run at `at` lie inside low..high. */
GP_DEVICE uint32_t gp_mask_inside(const char *at, const char *low, const char *high)
{
    uint32_t mask = 0;
    GP_UNROLL
    for (int k = 0; k < GP_RUN_ELEMS; k++) {
        const char *here = at + k * (int)sizeof(gp_stored);
        mask |= here >= low && here < high ? 1u << k : 0u;
    }
    return mask;
}

/* Where run `number` of a dense row begins: at an aligned address, the first one perhaps before the row. */
GP_DEVICE const char *gp_run_address(const gp_plane &plane, int64_t row, int64_t number)
{
    const char *low = gp_address(plane, row, 0);
    return low - (uint64_t)low % GP_RUN_BYTES + number * GP_RUN_BYTES;
}

/* The column of its first element. */
GP_DEVICE int64_t gp_run_col(const gp_plane &plane, int64_t row, int64_t number)
{
    return number * GP_RUN_ELEMS - (int64_t)((uint64_t)gp_address(plane, row, 0) % GP_RUN_BYTES / sizeof(gp_stored));
}

/* A run that `whole` did not take, loaded once more: its code is there once for all runs that are under way. */
template <class Visit> GP_DEVICE void gp_visit_odd(const gp_plane &plane, int64_t row, int64_t number, Visit &visit)
{
    const char *low = gp_address(plane, row, 0), *high = low + plane.n_cols * (int64_t)sizeof(gp_stored);
    const char *at = gp_run_address(plane, row, number);
    gp_run run;
    gp_run_load_single(at, low, high, run);
    uint32_t mask = gp_mask_inside(at, low, high);
    if (mask != 0)
        Visit::some(visit, run, mask, row, gp_run_col(plane, row, number), (int64_t)1);
}

/* True where some steps along a row from run `number` on are all inside it: neither its first run nor one of the last two, which may
 * reach beyond. */
GP_DEVICE bool gp_are_inside(const gp_plane &plane, const gp_visit_plan &plan, int64_t row, int64_t number)
{
    int64_t last = number + ((int64_t)(GP_VISIT_AT_ONCE - 1) << plan.log2_tx);
    return plan.is_along_row && row < plane.n_rows && number > 0 && last < plan.runs_per_row - 2;
}

/* Runs that a thread has under way together: run i is at (row + i * step_rows, col + i * step_cols). */
struct gp_runs_at {
    int64_t row, col;
    int step_rows, step_cols;
};

/*
 * A Visit may have one more function, which the others do without:
 *
 *   bool together(visit, runs, at)   GP_VISIT_AT_ONCE whole runs; false, and nothing done, asks for `whole` for each
 *
 * It is a specialization of this, with `is_there` true.
 */
template <class Visit> struct gp_visit_together {
    static const bool is_there = false;
    GP_DEVICE bool together(Visit &, const gp_run *, const gp_runs_at &) { return false; }
};

/* Runs that `together` did not take: each is loaded once more, so that the code of `whole` is there once. Returns those that it did not
 * take either. */
template <class Visit>
GP_DEVICE unsigned gp_visit_again(const gp_plane &plane, int64_t row, int64_t number, int step_rows, int step_runs,
                                  unsigned whole, Visit &visit)
{
    unsigned odd = 0;
    GP_NO_UNROLL
    for (unsigned bit = 1; bit <= whole; bit *= 2, row += step_rows, number += step_runs) {
        gp_run run;
        if (!(whole & bit))
            continue;
        gp_run_load_aligned(gp_run_address(plane, row, number), run);
        odd |= Visit::whole(visit, run, row, gp_run_col(plane, row, number), (int64_t)1) ? 0u : bit;
    }
    return odd;
}

/* Some steps of a job: all loads first, so that they are under way together; nearly all of them without a question. */
template <class Visit>
GP_DEVICE void gp_visit_dense(const gp_plane &plane, const gp_visit_plan &plan, int64_t row, int64_t number, Visit &visit)
{
    const unsigned all = (1u << GP_VISIT_AT_ONCE) - 1;
    gp_run runs[GP_VISIT_AT_ONCE];
    int64_t row_bytes = plane.n_cols * (int64_t)sizeof(gp_stored);
    int tx = 1 << plan.log2_tx, step_rows = plan.is_along_row ? 0 : GP_BLOCK / tx, step_runs = plan.is_along_row ? tx : 0;
    unsigned whole = 0, odd = 0;
    bool are_inside = gp_are_inside(plane, plan, row, number);
    if (are_inside) {
        const char *at = gp_run_address(plane, row, number);
        GP_UNROLL
        for (int i = 0; i < GP_VISIT_AT_ONCE; i++)
            gp_run_load_aligned(at + i * (GP_RUN_BYTES << plan.log2_tx), runs[i]);
        whole = all;
    }
    GP_UNROLL
    for (int i = 0; !are_inside && i < GP_VISIT_AT_ONCE; i++) {
        if (row + i * step_rows >= plane.n_rows || number + i * step_runs >= plan.runs_per_row)
            continue;
        const char *low = gp_address(plane, row + i * step_rows, 0);
        const char *at = gp_run_address(plane, row + i * step_rows, number + i * step_runs);
        if (at >= low && at + GP_RUN_BYTES <= low + row_bytes)
            gp_run_load_aligned(at, runs[i]), whole |= 1u << i;
        else
            odd |= 1u << i;
    }
    if (gp_visit_together<Visit>::is_there) {
        bool are_in_step = are_inside || (whole == all && plane.row_stride_bytes % GP_RUN_BYTES == 0);
        gp_runs_at at = {row, gp_run_col(plane, row, number), step_rows, step_runs * GP_RUN_ELEMS};
        if (!are_in_step || !gp_visit_together<Visit>::together(visit, runs, at))
            odd |= gp_visit_again(plane, row, number, step_rows, step_runs, whole, visit);
    }
    GP_UNROLL
    for (int i = 0; !gp_visit_together<Visit>::is_there && i < GP_VISIT_AT_ONCE; i++) {
        int64_t here = row + i * step_rows;
        if ((whole >> i & 1) && !Visit::whole(visit, runs[i], here, gp_run_col(plane, here, number + i * step_runs), (int64_t)1))
            odd |= 1u << i;
    }
    for (; odd != 0; odd &= odd - 1) {
        int i = __ffs((int)odd) - 1;
        gp_visit_odd(plane, row + i * step_rows, number + i * step_runs, visit);
    }
}

/* Elements loaded one by one, neighbors by neighboring threads: run `number` is a tile's column plus multiples of tx. */
template <class Visit>
GP_DEVICE void gp_visit_spread(const gp_plane &plane, const gp_visit_plan &plan, int64_t row, int64_t number, Visit &visit)
{
    int64_t tx = (int64_t)1 << plan.log2_tx, lane = number & (tx - 1), col = (number - lane) * GP_RUN_ELEMS + lane;
    gp_run run;
    uint32_t mask = 0;
    if (row >= plane.n_rows)
        return;
    gp_run_clear(run);
    GP_UNROLL
    for (int k = 0; k < GP_RUN_ELEMS; k++)
        if (col + k * tx < plane.n_cols)
            gp_run_put(run, k, gp_stored_at(plane, row, col + k * tx)), mask |= 1u << k;
    if (mask != 0 && (mask != GP_ALL_ELEMS || !Visit::whole(visit, run, row, col, tx)))
        Visit::some(visit, run, mask, row, col, tx);
}

/* One job of a block: GP_BLOCK threads. */
template <class Visit>
GP_DEVICE void gp_visit_job(const gp_plane &plane, const gp_visit_plan &plan, int64_t job, Visit &visit)
{
    int tx = 1 << plan.log2_tx, lane = (int)threadIdx.x & (tx - 1), line = (int)threadIdx.x >> plan.log2_tx;
    int step_rows = plan.is_along_row ? 0 : GP_BLOCK / tx, step_runs = plan.is_along_row ? tx : 0;
    int64_t row_job = plan.run_jobs == 1 ? job : plan.run_jobs == plan.n_jobs ? 0 : job / plan.run_jobs; /* a division is slow */
    int64_t row = row_job * plan.rows_per_job + line, number = (job - row_job * plan.run_jobs) * plan.runs_per_job + lane;
    if (plan.is_dense) {
        for (int i = 0; i < GP_VISIT_STEPS; i += GP_VISIT_AT_ONCE)
            gp_visit_dense(plane, plan, row + i * step_rows, number + i * step_runs, visit);
    } else {
        for (int i = 0; i < GP_VISIT_STEPS; i++)
            gp_visit_spread(plane, plan, row + i * step_rows, number + i * step_runs, visit);
    }
}

/* ---- every element -------------------------------------------------------------------------------------------------- */

/* Runs as their values, one after the other. */
template <class Take> struct gp_visit_values {
    const gp_plane &plane;
    Take &take;

    GP_DEVICE bool whole(const gp_visit_values &v, const gp_run &run, int64_t, int64_t, int64_t)
    {
        gp_value values[GP_RUN_ELEMS];
        gp_run_values(run.words, (int)v.plane.dtype, values);
        GP_UNROLL
        for (int k = 0; k < GP_RUN_ELEMS; k++)
            v.take(values[k]);
        return true;
    }
    GP_DEVICE void some(const gp_visit_values &v, const gp_run &run, uint32_t mask, int64_t, int64_t, int64_t)
    {
        gp_value values[GP_RUN_ELEMS];
        gp_run_values(run.words, (int)v.plane.dtype, values);
        GP_UNROLL
        for (int k = 0; k < GP_RUN_ELEMS; k++)
            if (mask >> k & 1)
                v.take(values[k]);
    }
};

/*
 * Calls take(value) once for every element of the plane, from some thread of the grid: GP_BLOCK threads a block, any number of
 * blocks, in x. Rows are read wide and neighbors by neighbors. `take` must not synchronize. Where rows have no gaps, hand over
 * one long row (gp_cuda_elements_in_any_order does).
 */
template <class Take> GP_DEVICE void gp_visit_elements(const gp_plane &plane, Take take)
{
    gp_visit_plan plan = gp_visit_plan_of(plane);
    gp_visit_values<Take> visit = {plane, take};
    for (int64_t job = blockIdx.x; job < plan.n_jobs; job += gridDim.x)
        gp_visit_job(plane, plan, job, visit);
}

#endif
