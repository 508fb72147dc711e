/*
 * Subtracts the elements of two planes, and compares them.
 *
 * Both are read together, in blocks that stay in the nearest cache. Integers are subtracted exactly where one is of 64 bits; masks
 * are then read separately, as rows of a plane with a mask are float64. The comparisons of pieces are joined in order.
 */
#include "cpu.h"

#include "../core/base/alloc.h"
#include "read/coordinate.h"
#include "../core/base/threads.h"

enum { BLOCK_ELEMS = 1024, PIECE_ELEMS = 1 << 17, N_LANES = 8, ALIGNED = 64 };

/* Elements of one plane, or of one part of a complex one. */
typedef struct operand {
    gp_coordinate elems;
    gp_plane plane; /* with the mask, which `elems` lacks if elements are subtracted exactly */
    bool is_zero;   /* all elements are 0: the imaginary part of real elements */
} operand;

typedef struct difference_job {
    operand a[2], b[2];
    int n_parts; /* 2 for complex elements, else 1 */
    bool is_exact;
    gp_compared compared;
    int64_t n_elems, n_cols, n_pieces;
    char *memory; /* for each thread an aligned row of elements for each operand, and scratch memory */
    size_t row_bytes, worker_bytes;
    double *out;           /* the result of `subtract` */
    gp_comparison *pieces; /* the results of `compare` */
} difference_job;

/* Some elements of both planes, or one part of complex ones, as float64, with NaN for masked ones; and their difference. */
typedef struct block {
    double a[BLOCK_ELEMS], b[BLOCK_ELEMS], difference[BLOCK_ELEMS];
} block;

/* ---- blocks ---------------------------------------------------------------------------------------------------------- */

static void load(const operand *from, gp_run run, char *memory, double *out)
{
    if (from->is_zero)
        memset(out, 0, (size_t)run.n * sizeof *out);
    else
        gp_coordinate_get(&from->elems, run.row, run.col, run.n, memory, memory + BLOCK_ELEMS * sizeof(double), out);
}

static void drop_masked(const gp_plane *plane, gp_run run, double *values, double *difference)
{
    const uint8_t *mask = gp_plane_mask_at(plane, run.row, run.col);
    for (int i = 0; i < run.n && mask != NULL; i++)
        if ((mask[i * plane->mask_col_stride_bytes] != 0) != plane->is_mask_inverted)
            values[i] = difference[i] = gp_mark_value(GP_HAS_NAN);
}

static const void *get(const operand *from, gp_run run, char *memory)
{
    return gp_row_reader_get(&from->elems.rows, run.row, run.col, run.n, memory, memory + BLOCK_ELEMS * sizeof(double));
}

/* Integers as their 64 bits, in `wide` where they are stored in fewer; `values` has the same as float64. */
static const uint64_t *in_64_bits(const operand *from, const void *stored, int n, const double *values, uint64_t *wide)
{
    if (from->plane.dtype == GP_I64 || from->plane.dtype == GP_U64)
        return stored;
    for (int i = 0; i < n; i++)
        wide[i] = (uint64_t)(int64_t)values[i];
    return wide;
}

static void load_exact(const difference_job *job, gp_run run, char *memory, block *out)
{
    uint64_t wide[BLOCK_ELEMS]; /* of one of the two at most */
    const operand *a = &job->a[0], *b = &job->b[0];
    const void *stored_a = get(a, run, memory), *stored_b = get(b, run, memory + job->row_bytes);
    a->elems.loops->values(stored_a, run.n, out->a);
    b->elems.loops->values(stored_b, run.n, out->b);
    const uint64_t *left = in_64_bits(a, stored_a, run.n, out->a, wide), *right = in_64_bits(b, stored_b, run.n, out->b, wide);
    bool is_signed_a = a->plane.dtype != GP_U64, is_signed_b = b->plane.dtype != GP_U64;
    for (int i = 0; i < run.n; i++)
        out->difference[i] = gp_subtract_integers(left[i], is_signed_a, right[i], is_signed_b);
    drop_masked(&a->plane, run, out->a, out->difference);
    drop_masked(&b->plane, run, out->b, out->difference);
}

static void load_part(const difference_job *job, int part, gp_run run, char *memory, block *out)
{
    if (job->is_exact) {
        load_exact(job, run, memory, out);
        return;
    }
    load(&job->a[part], run, memory, out->a);
    load(&job->b[part], run, memory, out->b);
    for (int i = 0; i < run.n; i++)
        out->difference[i] = gp_subtract(out->a[i], out->b[i]);
}

/* ---- what is known about a block ------------------------------------------------------------------------------------- */

/* The largest |a - b| and |a - b| / |b| of N_LANES elements at a time, and whether anything is not finite. */
static bool find_largest(const block *from, int n, double *error, double *relative)
{
    double errors[N_LANES] = {0}, relatives[N_LANES] = {0}, odd[N_LANES] = {0};
    for (int i = 0; i + N_LANES <= n; i += N_LANES)
        for (int k = 0; k < N_LANES; k++) {
            double apart = fabs(from->difference[i + k]), size = fabs(from->b[i + k]), part = apart / size;
            errors[k] = apart > errors[k] ? apart : errors[k];
            relatives[k] = part > relatives[k] && size > 0 ? part : relatives[k];
            odd[k] += 0 * from->a[i + k] + 0 * size;
        }
    *error = *relative = 0;
    for (int k = 0; k < N_LANES; k++) {
        *error = errors[k] > *error ? errors[k] : *error;
        *relative = relatives[k] > *relative ? relatives[k] : *relative;
        odd[0] += k > 0 ? odd[k] : 0;
    }
    return odd[0] == 0;
}

static int64_t count_beyond(const block *from, int n, double rtol, double atol)
{
    int64_t n_beyond = 0;
    for (int i = 0; i < n; i++)
        n_beyond += fabs(from->difference[i]) > atol + rtol * fabs(from->b[i]);
    return n_beyond;
}

/* Compares element by element: blocks with elements that are not finite, or with a larger difference than found so far. */
static void add_each(const gp_compared *compared, const block *from, int n, int64_t position, gp_comparison *known)
{
    for (int i = 0; i < n; i++) {
        gp_apart apart = gp_apart_of_real(from->a[i], from->b[i], from->difference[i]);
        gp_comparison_add(known, &apart, compared->rtol, compared->atol, position + i);
    }
}

/* Positions rise: a block without a larger difference than found so far adds only the number beyond the tolerance. */
static void add_real(const gp_compared *compared, const block *from, int n, int64_t position, gp_comparison *known)
{
    double error, relative;
    bool is_whole = n % N_LANES == 0 && find_largest(from, n, &error, &relative);
    if (is_whole && error <= known->max_abs && relative <= known->max_rel)
        known->n_beyond += count_beyond(from, n, compared->rtol, compared->atol);
    else
        add_each(compared, from, n, position, known);
}

static void add_complex(const gp_compared *compared, const block *re, const block *im, int n, int64_t position,
                        gp_comparison *known)
{
    for (int i = 0; i < n; i++) {
        double a[] = {re->a[i], im->a[i]}, b[] = {re->b[i], im->b[i]}, difference[] = {re->difference[i], im->difference[i]};
        gp_apart apart = gp_apart_of_complex(a, b, difference);
        gp_comparison_add(known, &apart, compared->rtol, compared->atol, position + i);
    }
}

/* ---- pieces ---------------------------------------------------------------------------------------------------------- */

static void take_run(difference_job *job, int64_t position, gp_run run, char *memory, gp_comparison *known)
{
    block parts[2];
    for (int part = 0; part < job->n_parts; part++)
        load_part(job, part, run, memory, &parts[part]);
    if (job->out != NULL)
        memcpy(job->out + position, parts[0].difference, (size_t)run.n * sizeof(double));
    else if (job->n_parts == 2)
        add_complex(&job->compared, &parts[0], &parts[1], run.n, position, known);
    else
        add_real(&job->compared, &parts[0], run.n, position, known);
}

static gp_status take_piece(void *context, int64_t piece, int worker, gp_error *error)
{
    difference_job *job = context;
    int64_t begin = piece * PIECE_ELEMS, end = job->n_elems - begin < PIECE_ELEMS ? job->n_elems : begin + PIECE_ELEMS;
    gp_comparison known = gp_comparison_none();
    gp_run run;
    (void)error;
    for (int64_t at = begin; at < end; at += run.n) {
        run = gp_run_at(at, end, job->n_cols, BLOCK_ELEMS);
        take_run(job, at, run, job->memory + (size_t)worker * job->worker_bytes, &known);
    }
    if (job->pieces != NULL)
        job->pieces[piece] = known;
    return GP_OK;
}

/* ---- the job --------------------------------------------------------------------------------------------------------- */

static operand operand_of(const gp_plane *plane, bool is_exact, int part, bool is_whole)
{
    gp_plane read = *plane;
    bool is_complex = gp_dtype_is_complex(plane->dtype);
    if (is_exact)
        read.mask = NULL;
    if (is_whole && is_complex)
        read.component = part == 0 ? GP_COMPONENT_RE : GP_COMPONENT_IM;
    return (operand){gp_coordinate_of(&read), *plane, part == 1 && !is_complex};
}

static size_t scratch_bytes(const difference_job *job)
{
    size_t most = 0;
    for (int part = 0; part < job->n_parts; part++) {
        size_t a = gp_row_reader_scratch_bytes(&job->a[part].elems.rows, BLOCK_ELEMS);
        size_t b = gp_row_reader_scratch_bytes(&job->b[part].elems.rows, BLOCK_ELEMS);
        most = a > most ? a : most;
        most = b > most ? b : most;
    }
    return most;
}

static bool has_gaps(const gp_plane *plane)
{
    bool has_gap = plane->row_stride_bytes != plane->n_cols * plane->col_stride_bytes;
    bool has_mask_gap = plane->mask_row_stride_bytes != plane->n_cols * plane->mask_col_stride_bytes;
    return has_gap || (plane->mask != NULL && has_mask_gap);
}

/* The plane as one row, with the same positions. */
static gp_plane in_one_row(gp_plane plane)
{
    plane.n_cols *= plane.n_rows, plane.n_rows = 1;
    return plane;
}

static gp_status open_job(const gp_compared *compared, bool is_whole, difference_job *job, gp_error *error)
{
    bool is_one_row = !has_gaps(compared->a) && !has_gaps(compared->b);
    gp_plane left = is_one_row ? in_one_row(*compared->a) : *compared->a;
    gp_plane right = is_one_row ? in_one_row(*compared->b) : *compared->b;
    const gp_plane *a = &left, *b = &right;
    bool is_complex = is_whole && (gp_dtype_is_complex(a->dtype) || gp_dtype_is_complex(b->dtype));
    *job = (difference_job){.n_parts = is_complex ? 2 : 1, .is_exact = gp_pair_is_exact(a, b), .compared = *compared};
    for (int part = 0; part < job->n_parts; part++) {
        job->a[part] = operand_of(a, job->is_exact, part, is_whole);
        job->b[part] = operand_of(b, job->is_exact, part, is_whole);
    }
    job->n_cols = a->n_cols, job->n_elems = a->n_rows * a->n_cols;
    job->n_pieces = (job->n_elems + PIECE_ELEMS - 1) / PIECE_ELEMS;
    job->row_bytes = (BLOCK_ELEMS * sizeof(double) + scratch_bytes(job) + ALIGNED) / ALIGNED * ALIGNED;
    job->worker_bytes = 2 * job->row_bytes;
    return gp_alloc(job->worker_bytes * (size_t)gp_threads_for(job->n_elems), &job->memory, error);
}

static gp_status run(difference_job *job, gp_error *error)
{
    return gp_threads_run(job->n_pieces, gp_threads_for(job->n_elems), take_piece, job, error);
}

static gp_status compare_all(difference_job *job, gp_comparison *out, gp_error *error)
{
    GP_TRY(gp_alloc((size_t)job->n_pieces * sizeof *job->pieces, &job->pieces, error));
    GP_TRY(run(job, error));
    for (int64_t piece = 0; piece < job->n_pieces; piece++)
        gp_comparison_join(out, &job->pieces[piece]);
    return GP_OK;
}

gp_status gp_cpu_compare(const gp_compared *compared, gp_comparison *out, gp_error *error)
{
    difference_job job;
    GP_TRY(gp_pair_check(compared->a, compared->b, error));
    *out = gp_comparison_none();
    if (compared->a->n_rows == 0 || compared->a->n_cols == 0)
        return GP_OK;
    gp_status status = open_job(compared, true, &job, error);
    if (status == GP_OK)
        status = compare_all(&job, out, error);
    free(job.pieces);
    free(job.memory);
    return status;
}

gp_status gp_cpu_subtract(const gp_plane *a, const gp_plane *b, gp_cells *out, gp_error *error)
{
    difference_job job;
    gp_compared compared = {.a = a, .b = b};
    GP_TRY(gp_pair_check(a, b, error));
    if (a->n_rows == 0 || a->n_cols == 0)
        return GP_OK;
    gp_status status = open_job(&compared, false, &job, error);
    job.out = out->data;
    if (status == GP_OK)
        status = run(&job, error);
    free(job.memory);
    return status;
}
