/* Reads elements of any plane in kernels: runs of consecutive elements, and every element of a plane by any number of blocks. */
#ifndef GP_ELEMENTS_CUH
#define GP_ELEMENTS_CUH

#include "element_classes.cuh"

/* ---- single elements ------------------------------------------------------------------------------------------------ */

GP_DEVICE const char *gp_address(const gp_plane &plane, int64_t row, int64_t col)
{
    return (const char *)plane.data + row * plane.row_stride_bytes + col * plane.col_stride_bytes;
}

/* Element (row, col) by the class of this module. */
GP_DEVICE gp_value gp_value_at(const gp_plane &plane, int64_t row, int64_t col)
{
    if (!gp_elems::is_typed)
        return (gp_value)gp_element_value(plane, row, col);
    return gp_elems::value_of(*(const gp_stored *)gp_address(plane, row, col), gp_elems::codec_of((int)plane.dtype));
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

/* All bytes of a run by one load; `at` is a multiple of GP_RUN_BYTES. */
GP_DEVICE void gp_run_load_aligned(const char *at, gp_run &run)
{
    if (GP_RUN_WORDS == 4) {
        uint4 loaded = *(const uint4 *)at;
        run.words[0] = loaded.x, run.words[1] = loaded.y;
        run.words[GP_RUN_WORDS - 2] = loaded.z, run.words[GP_RUN_WORDS - 1] = loaded.w;
    } else {
        uint2 loaded = *(const uint2 *)at;
        run.words[0] = loaded.x, run.words[1] = loaded.y;
    }
}

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

/* ---- every element -------------------------------------------------------------------------------------------------- */

/* Steps of one job of a block, in the direction that has more of them. */
enum { GP_VISIT_STEPS = 8, GP_VISIT_AT_ONCE = 4 };

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

/* The elements of run number `number` of a row whose bytes are low..high, where runs begin at aligned addresses. */
template <class Visit>
GP_DEVICE void gp_visit_run(const gp_run &run, const char *at, const char *low, const char *high, int dtype, Visit &visit)
{
    gp_value values[GP_RUN_ELEMS];
    gp_run_values(run.words, dtype, values);
    bool is_whole = at >= low && at + GP_RUN_BYTES <= high;
    GP_UNROLL
    for (int k = 0; k < GP_RUN_ELEMS; k++) {
        const char *here = at + k * (int)sizeof(gp_stored);
        if (is_whole || (here >= low && here < high))
            visit(values[k]);
    }
}

/* Some steps of a job: all loads first, so that they are under way together. */
template <class Visit>
GP_DEVICE void gp_visit_dense(const gp_plane &plane, const gp_visit_plan &plan, int64_t row, int64_t number, Visit &visit)
{
    gp_run runs[GP_VISIT_AT_ONCE];
    const char *at[GP_VISIT_AT_ONCE], *low[GP_VISIT_AT_ONCE];
    int64_t row_bytes = plane.n_cols * (int64_t)sizeof(gp_stored);
    int tx = 1 << plan.log2_tx, step_rows = plan.is_along_row ? 0 : GP_BLOCK / tx, step_runs = plan.is_along_row ? tx : 0;
    GP_UNROLL
    for (int i = 0; i < GP_VISIT_AT_ONCE; i++) {
        low[i] = at[i] = nullptr;
        if (row + i * step_rows >= plane.n_rows || number + i * step_runs >= plan.runs_per_row)
            continue;
        low[i] = gp_address(plane, row + i * step_rows, 0);
        at[i] = low[i] - (uint64_t)low[i] % GP_RUN_BYTES + (number + i * step_runs) * GP_RUN_BYTES;
        if (at[i] >= low[i] && at[i] + GP_RUN_BYTES <= low[i] + row_bytes)
            gp_run_load_aligned(at[i], runs[i]);
        else
            gp_run_load_single(at[i], low[i], low[i] + row_bytes, runs[i]);
    }
    GP_UNROLL
    for (int i = 0; i < GP_VISIT_AT_ONCE; i++)
        if (low[i] != nullptr)
            gp_visit_run(runs[i], at[i], low[i], low[i] + row_bytes, (int)plane.dtype, visit);
}

/* Elements one by one, neighbours by neighbouring threads: run `number` is a tile's column plus multiples of tx. */
template <class Visit>
GP_DEVICE void gp_visit_spread(const gp_plane &plane, const gp_visit_plan &plan, int64_t row, int64_t number, Visit &visit)
{
    int tx = 1 << plan.log2_tx;
    int64_t lane = number & (tx - 1), col = (number - lane) * GP_RUN_ELEMS + lane;
    GP_UNROLL
    for (int k = 0; k < GP_RUN_ELEMS; k++, col += tx)
        if (row < plane.n_rows && col < plane.n_cols)
            visit(gp_value_at(plane, row, col));
}

/*
 * Calls visit(value) once for every element of the plane, from some thread of the grid: GP_BLOCK threads a block, any number
 * of blocks, in x. Threads come to `visit` as they please, so it must not synchronise; all of a block's threads return. Rows are read
 * wide and neighbours by neighbours. Where rows have no gaps, hand over one long row (gp_cuda_elements_in_any_order does).
 */
template <class Visit> GP_DEVICE void gp_visit_elements(const gp_plane &plane, Visit visit)
{
    gp_visit_plan plan = gp_visit_plan_of(plane);
    int tx = 1 << plan.log2_tx, lane = (int)threadIdx.x & (tx - 1), line = (int)threadIdx.x >> plan.log2_tx;
    int step_rows = plan.is_along_row ? 0 : GP_BLOCK / tx, step_runs = plan.is_along_row ? tx : 0;
    for (int64_t job = blockIdx.x; job < plan.n_jobs; job += gridDim.x) {
        int64_t row_job = plan.run_jobs == 1 ? job : job / plan.run_jobs;
        int64_t row = row_job * plan.rows_per_job + line, number = (job - row_job * plan.run_jobs) * plan.runs_per_job + lane;
        if (plan.is_dense) {
            for (int i = 0; i < GP_VISIT_STEPS; i += GP_VISIT_AT_ONCE)
                gp_visit_dense(plane, plan, row + i * step_rows, number + i * step_runs, visit);
        } else {
            for (int i = 0; i < GP_VISIT_STEPS; i++)
                gp_visit_spread(plane, plan, row + i * step_rows, number + i * step_runs, visit);
        }
    }
}

#endif
