/* Points to cells: lanes, cut by geometry alone, aggregate their points into tables of their own, which are joined in order. */
#include "cpu.h"

#include "../core/base/alloc.h"
#include "read/coordinate.h"
#include "../core/base/threads.h"

/* BLOCK_POINTS are assigned to cells at once; a lane with a table of its own has at least LANE_POINTS. */
enum { BLOCK_POINTS = 2048, LANE_POINTS = 1 << 18, MOST_LANES = 16 };
#define MOST_TABLE_BYTES ((int64_t)256 << 20)

typedef struct lane_buffers {
    double x[BLOCK_POINTS], y[BLOCK_POINTS], values[BLOCK_POINTS];
    char packed[BLOCK_POINTS * sizeof(double)];
    uint32_t cells[BLOCK_POINTS], rows[BLOCK_POINTS];
} lane_buffers;

/* The partial result of a cell for sums and means: half the size of a gp_cell_state, so that more of them fit in the caches. */
typedef struct cell_sum {
    double sum;
    uint32_t n, has;
} cell_sum;

typedef struct points_job {
    gp_coordinate x, y, values; /* values, or classes */
    bool has_classes, has_values;
    const gp_point_options *options;
    gp_state_kind kind;
    int64_t n_points, n_cols, n_cells, n_lanes;
    size_t table_bytes, scratch_bytes;
    char *tables; /* for each lane the counts, sums or states of all cells */
    int64_t *n_outside; /* for each lane */
    gp_cells *out;
} points_job;

/* ---- which cell ----------------------------------------------------------------------------------------------------- */

/* gp_point_cell of n coordinates; without branches if cells have one width, so that compilers vectorize the loop. */
static void find_cells(const gp_point_axis *axis, const double *x, int n, uint32_t *cells)
{
    double first = axis->first, last = axis->last, n_cells = (double)axis->n_cells, width = last - first;
    int32_t last_cell = (int32_t)axis->n_cells - 1;
    for (int i = 0; axis->edges != NULL && i < n; i++)
        cells[i] = gp_point_cell(axis, x[i]);
    for (int i = 0; axis->edges == NULL && i < n; i++) {
        double at = (x[i] - first) * n_cells / width;
        int32_t cell = (int32_t)((x[i] >= first) & (x[i] <= last) ? at : -1.0);
        cells[i] = (uint32_t)(cell < last_cell ? cell : last_cell);
    }
}

/* Combines columns, in `cells`, and rows to cells: GP_NO_CELL if either is. */
static void combine(const uint32_t *rows, uint32_t n_cols, int n, uint32_t *cells)
{
    for (int i = 0; i < n; i++)
        cells[i] = (int32_t)(rows[i] | cells[i]) < 0 ? GP_NO_CELL : rows[i] * n_cols + cells[i];
}

/* ---- a lane --------------------------------------------------------------------------------------------------------- */

static int64_t count_block(uint32_t *counts, const uint32_t *cells, int n)
{
    int64_t n_outside = 0;
    for (int i = 0; i < n; i++) {
        if (cells[i] != GP_NO_CELL)
            counts[cells[i]]++;
        else
            n_outside++;
    }
    return n_outside;
}

static int64_t add_block(cell_sum *sums, const uint32_t *cells, const double *values, int n)
{
    int64_t n_outside = 0;
    for (int i = 0; i < n; i++) {
        uint32_t has = gp_class_of(values[i]);
        if (cells[i] == GP_NO_CELL) {
            n_outside++;
            continue;
        }
        cell_sum *cell = &sums[cells[i]];
        cell->has |= has;
        if (has == GP_HAS_FINITE)
            cell->sum += values[i], cell->n++;
    }
    return n_outside;
}

static inline int64_t join_block(gp_state_kind kind, gp_cell_state *states, const uint32_t *cells, const double *values, int n)
{
    int64_t n_outside = 0;
    for (int i = 0; i < n; i++) {
        gp_cell_state one = gp_cell_state_one(kind, values[i], gp_order_of_f64(values[i]), 1.0);
        if (cells[i] != GP_NO_CELL)
            gp_cell_state_join(kind, &states[cells[i]], &one);
        else
            n_outside++;
    }
    return n_outside;
}

/* The kind is a constant in each call, so that the inlined loop has no branch on it. */
static int64_t join_values(gp_state_kind kind, void *table, const uint32_t *cells, const double *values, int n)
{
    switch (kind) {
    case GP_STATE_SUM: return add_block(table, cells, values, n);
    case GP_STATE_EXTREMES: return join_block(GP_STATE_EXTREMES, table, cells, values, n);
    case GP_STATE_MOMENTS: return join_block(GP_STATE_MOMENTS, table, cells, values, n);
    case GP_STATE_ELEMENT: break;
    }
    return 0;
}

static void clear_table(const points_job *job, char *table)
{
    gp_cell_state *states = (gp_cell_state *)(void *)table;
    bool has_states = job->has_values && job->kind != GP_STATE_SUM;
    if (!has_states)
        memset(table, 0, job->table_bytes);
    for (int64_t i = 0; has_states && i < job->n_cells; i++)
        states[i] = gp_cell_state_none(job->kind);
}

static int64_t take_run(const points_job *job, gp_run run, char *table, lane_buffers *b, void *scratch)
{
    int n = run.n;
    gp_coordinate_get(&job->x, run.row, run.col, n, b->packed, scratch, b->x);
    gp_coordinate_get(&job->y, run.row, run.col, n, b->packed, scratch, b->y);
    find_cells(&job->options->x, b->x, n, b->cells);
    find_cells(&job->options->y, b->y, n, b->rows);
    combine(b->rows, (uint32_t)job->options->x.n_cells, n, b->cells);
    if (job->has_classes || job->has_values)
        gp_coordinate_get(&job->values, run.row, run.col, n, b->packed, scratch, b->values);
    if (job->has_classes) {
        find_cells(&job->options->classes, b->values, n, b->rows);
        combine(b->rows, (uint32_t)(job->options->y.n_cells * job->options->x.n_cells), n, b->cells);
    }
    return job->has_values ? join_values(job->kind, table, b->cells, b->values, n)
                           : count_block((uint32_t *)(void *)table, b->cells, n);
}

static gp_status take_lane(void *context, int64_t lane, int worker, gp_error *error)
{
    points_job *job = context;
    int64_t share = job->n_points / job->n_lanes, begin = lane * share;
    int64_t end = lane + 1 == job->n_lanes ? job->n_points : begin + share;
    char *table = job->tables + (size_t)lane * job->table_bytes;
    GP_FREED lane_buffers *buffers = NULL;
    (void)worker;
    GP_TRY(gp_alloc(sizeof *buffers + job->scratch_bytes, &buffers, error));
    clear_table(job, table);
    job->n_outside[lane] = 0;
    gp_run run;
    for (int64_t i = begin; i < end && !gp_threads_is_stopped(); i += run.n) {
        run = gp_run_at(i, end, job->n_cols, BLOCK_POINTS);
        job->n_outside[lane] += take_run(job, run, table, buffers, buffers + 1);
    }
    return GP_OK;
}

/* ---- the answer ------------------------------------------------------------------------------------------------------ */

/* The partial result of a lane for a cell as a gp_cell_state; of points without values it is their number. */
static gp_cell_state state_of(const points_job *job, int64_t lane, int64_t cell)
{
    const void *table = job->tables + (size_t)lane * job->table_bytes;
    if (!job->has_values) {
        uint32_t n = ((const uint32_t *)table)[cell];
        return (gp_cell_state){.b = n, .has = n > 0 ? GP_HAS_FINITE : 0};
    }
    if (job->kind != GP_STATE_SUM)
        return ((const gp_cell_state *)table)[cell];
    cell_sum sum = ((const cell_sum *)table)[cell];
    return (gp_cell_state){.a = sum.sum, .b = sum.n, .has = sum.has};
}

static double finish_cell(const points_job *job, int64_t cell)
{
    gp_cell_state all = state_of(job, 0, cell);
    for (int64_t lane = 1; lane < job->n_lanes; lane++) {
        gp_cell_state other = state_of(job, lane, cell);
        gp_cell_state_join(job->kind, &all, &other);
    }
    return gp_cell_state_finish(job->options->agg, job->options->nan, GP_ORDER_F64, &all);
}

static gp_status finish_row(void *context, int64_t row, int worker, gp_error *error)
{
    const points_job *job = context;
    int64_t n_cols = job->out->n_cols;
    (void)worker, (void)error;
    for (int64_t col = 0; col < n_cols; col++)
        job->out->data[row * n_cols + col] = finish_cell(job, row * n_cols + col);
    return GP_OK;
}

/* The number of lanes: limited by the memory of their tables, each with more points than cells, and few enough points for its counters. */
static void cut_lanes(points_job *job)
{
    int64_t most = MOST_TABLE_BYTES / (int64_t)job->table_bytes;
    int64_t wanted = job->n_points / (LANE_POINTS > 2 * job->n_cells ? LANE_POINTS : 2 * job->n_cells);
    int64_t least = job->n_points / UINT32_MAX + 1;
    wanted = wanted < MOST_LANES ? wanted : MOST_LANES;
    wanted = wanted < most ? wanted : most;
    job->n_lanes = wanted > least ? wanted : least;
}

static gp_status run(points_job *job, gp_error *error)
{
    int n_threads = gp_threads_for(job->n_points);
    GP_TRY(gp_alloc((size_t)job->n_lanes * job->table_bytes, &job->tables, error));
    GP_TRY(gp_alloc((size_t)job->n_lanes * sizeof *job->n_outside, &job->n_outside, error));
    GP_TRY(gp_threads_run(job->n_lanes, n_threads, take_lane, job, error));
    return gp_threads_run(job->out->n_rows, n_threads, finish_row, job, error);
}

gp_status gp_cpu_bin_points(const gp_plane *x, const gp_plane *y, const gp_plane *values, const gp_point_options *options,
                            gp_cells *out, int64_t *n_outside, gp_error *error)
{
    GP_TRY(gp_points_check(x, y, values, options, out, error));
    points_job job = {.x = gp_coordinate_of(x),
                      .y = gp_coordinate_of(y),
                      .options = options,
                      .out = out,
                      .kind = gp_agg_kind(options->agg),
                      .n_points = x->n_rows * x->n_cols,
                      .n_cols = x->n_cols,
                      .n_cells = out->n_rows * out->n_cols};
    job.has_classes = options->classes.n_cells > 0, job.has_values = values != NULL && !job.has_classes;
    if (values != NULL)
        job.values = gp_coordinate_of(values);
    size_t value_bytes = job.kind == GP_STATE_SUM ? sizeof(cell_sum) : sizeof(gp_cell_state);
    size_t cell_bytes = job.has_values ? value_bytes : sizeof(uint32_t);
    job.table_bytes = ((size_t)job.n_cells * cell_bytes + 63) / 64 * 64;
    const gp_coordinate *all[] = {&job.x, &job.y, values != NULL ? &job.values : &job.x};
    for (int i = 0; i < 3; i++) {
        size_t n_bytes = gp_row_reader_scratch_bytes(&all[i]->rows, BLOCK_POINTS);
        job.scratch_bytes = n_bytes > job.scratch_bytes ? n_bytes : job.scratch_bytes;
    }
    cut_lanes(&job);
    gp_status status = run(&job, error);
    *n_outside = 0;
    for (int64_t lane = 0; status == GP_OK && lane < job.n_lanes; lane++)
        *n_outside += job.n_outside[lane];
    free(job.tables);
    free(job.n_outside);
    return status;
}
