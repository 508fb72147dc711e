/* Elements of any layout and dtype to an array of another: the plan's axes are given parts, and its pieces to threads. */
#include "convert.h"

#include "alloc.h"
#include "arithmetic.h"
#include "cpu.h"
#include "page_residency.h"
#include "threads.h"

#include <stdatomic.h>

/* A block stays in the nearest caches; a piece is what one thread takes. */
#define BLOCK_ELEMS 4096
#define BLOCK_BYTES 32768
#define PIECE_ELEMS ((int64_t)1 << 19)

/* Elements of a turned block's rows, if these are as long; and rows of the pieces that these blocks make up, if they are short. */
#define TURNED_ROW 128
#define BAND_ROWS 256

/* Blocks of fewer elements are not worth their calls, where there are more axes to go along. */
#define SMALL_BLOCK 1024

/* Fewer elements side by side than this are not worth being read as runs. */
#define SHORT_RUN 8

/* Results of so many bytes do not stay in the caches anyway, and are written past them. Turned ones come back to the same lines of
 * many rows, which the nearer caches lose sooner. */
#define STREAM_BYTES ((int64_t)16 << 20)
#define STREAM_TURNED_BYTES ((int64_t)4 << 20)

typedef struct convert_job {
    gp_block_work work;
    int t, s, r;                                           /* axes of the plan, -1: none */
    int64_t steps[GP_MAX_NDIM], n_steps[GP_MAX_NDIM];      /* elements of an axis in a piece, and pieces along it */
    bool is_listed;
    gp_list list; /* instead of blocks */
    char *scratch;
    int64_t scratch_bytes;
    const gp_progress *progress;
    double asked_at; /* of the calling thread alone */
    _Atomic int64_t n_done;
} convert_job;

/* ---- geometry ---------------------------------------------------------------------------------------------------------- */

/* The axis, but for two, along which the source's elements are nearest to each other; -1: none. */
static int nearest_axis(const gp_conversion *plan, int but, int but_too)
{
    int nearest = -1;
    for (int i = 0; i < plan->n_axes; i++) {
        int64_t stride = gp_absolute(plan->axes[i].from_stride);
        if (i != but && i != but_too && stride != 0 && (nearest < 0 || stride < gp_absolute(plan->axes[nearest].from_stride)))
            nearest = i;
    }
    return nearest;
}

static gp_conversion_axis axis_or_none(const gp_conversion *plan, int axis)
{
    return axis >= 0 ? plan->axes[axis] : (gp_conversion_axis){.size = 1};
}

/*
 * T is the target's fastest axis. Where the source's fastest is another one, that is S: it is turned block by block, if there
 * are enough elements along S. Else S and R are the next axes of the target, or those that share cache lines of the source.
 */
static void choose_axes(convert_job *job)
{
    gp_block_work *work = &job->work;
    const gp_conversion *plan = &work->plan;
    int t = plan->n_axes - 1, nearest = t >= 0 ? nearest_axis(plan, t, -1) : -1;
    int64_t t_stride = gp_absolute(axis_or_none(plan, t).from_stride);
    bool is_across = nearest >= 0 && gp_absolute(plan->axes[nearest].from_stride) < t_stride;
    bool is_narrow = t_stride != 0 && plan->axes[t].size < SHORT_RUN;
    job->t = t, job->s = t - 1 >= 0 ? t - 1 : -1, job->r = t - 2 >= 0 ? t - 2 : -1;
    if (is_across) {
        int next = nearest_axis(plan, t, nearest);
        job->s = nearest;
        job->r = next >= 0 && gp_absolute(plan->axes[next].from_stride) < t_stride ? next : -1;
    }
    work->t = axis_or_none(plan, job->t), work->s = axis_or_none(plan, job->s), work->r = axis_or_none(plan, job->r);
    work->is_turned = work->s.size >= SHORT_RUN && (is_across || (is_narrow && job->s == nearest));
}

static void choose_block(gp_block_work *work)
{
    int64_t most = gp_smaller(BLOCK_ELEMS, BLOCK_BYTES / gp_larger(work->from_bytes, work->to_bytes));
    int64_t room = gp_smaller(most, work->plan.n_elems);
    bool is_shared = !work->is_turned && gp_absolute(work->s.from_stride) < gp_absolute(work->t.from_stride);
    work->block_elems = room;
    if (work->is_turned)
        work->n_t = gp_smaller(work->t.size, gp_larger(TURNED_ROW, room / work->s.size));
    else if (is_shared) /* rows that read the same cache lines, all in one block */
        work->n_t = gp_smaller(work->t.size, gp_larger(1, room / gp_smaller(16, work->s.size * work->r.size)));
    else
        work->n_t = gp_smaller(work->t.size, room);
    work->n_t = gp_smaller(work->n_t, room);
    work->n_s = gp_smaller(work->s.size, room / work->n_t);
    work->n_r = gp_smaller(work->r.size, room / (work->n_t * work->n_s));
}

/* As many whole blocks along an axis as a piece has room for, which has `room` elements left. */
static int64_t piece_step(int64_t size, int64_t block, int64_t at_most, int64_t *room)
{
    int64_t step = gp_larger(block, gp_smaller(gp_smaller(at_most, *room), size) / block * block);
    *room = gp_larger(1, *room / step);
    return gp_smaller(step, size);
}

static void step_by_blocks(convert_job *job)
{
    gp_block_work *work = &job->work;
    int64_t room = PIECE_ELEMS, band = gp_larger(BAND_ROWS, PIECE_ELEMS / work->t.size);
    if (work->is_turned && job->s >= 0)
        job->steps[job->s] = piece_step(work->s.size, work->n_s, band, &room);
    if (job->t >= 0)
        job->steps[job->t] = piece_step(work->t.size, work->n_t, INT64_MAX, &room);
    if (!work->is_turned && job->s >= 0)
        job->steps[job->s] = piece_step(work->s.size, work->n_s, INT64_MAX, &room);
    if (job->r >= 0)
        job->steps[job->r] = piece_step(work->r.size, work->n_r, INT64_MAX, &room);
}

/* The number of pieces. */
static int64_t cut_pieces(convert_job *job)
{
    const gp_block_work *work = &job->work;
    int64_t n_pieces = 1;
    for (int i = 0; i < work->plan.n_axes; i++)
        job->steps[i] = job->is_listed && job->list.has_axis[i] ? work->plan.axes[i].size : 1;
    if (!job->is_listed)
        step_by_blocks(job);
    for (int i = 0; i < work->plan.n_axes; i++) {
        job->n_steps[i] = (work->plan.axes[i].size + job->steps[i] - 1) / job->steps[i];
        n_pieces *= job->n_steps[i];
    }
    return n_pieces;
}

/*
 * Pages are made by filling them with zeros, which then are in the caches: rows that are written next, from one end to the other,
 * are better written there. Blocks of many short rows come back to a page too late for that.
 */
static bool is_streamed(const gp_block_work *work)
{
    const gp_conversion *plan = &work->plan;
    int64_t n_bytes = plan->n_elems * work->to_bytes;
    if (work->is_turned)
        return n_bytes >= STREAM_TURNED_BYTES;
    return n_bytes >= STREAM_BYTES && !gp_is_fresh(plan->to, n_bytes);
}

/* ---- pieces ------------------------------------------------------------------------------------------------------------ */

static gp_box box_of_piece(const convert_job *job, int64_t piece)
{
    const gp_conversion *plan = &job->work.plan;
    gp_box box = {.from = plan->from, .to = plan->to, .mask = plan->mask, .n_t = 1, .n_s = 1, .n_r = 1};
    for (int i = plan->n_axes - 1; i >= 0; i--) {
        const gp_conversion_axis *axis = &plan->axes[i];
        int64_t first = piece % job->n_steps[i] * job->steps[i], n = gp_smaller(job->steps[i], axis->size - first);
        piece /= job->n_steps[i];
        box.from += first * axis->from_stride;
        box.to += first * axis->to_stride;
        box.mask = box.mask != NULL ? box.mask + first * axis->mask_stride : NULL;
        if (i == job->t)
            box.n_t = n;
        else if (i == job->s)
            box.n_s = n;
        else if (i == job->r)
            box.n_r = n;
    }
    return box;
}

/* Asks the caller of the conversion, in the thread that called. */
static gp_status ask_progress(convert_job *job, int worker, int64_t n_done, gp_error *error)
{
    if (worker != 0)
        return GP_OK;
    return gp_progress_ask(job->progress, &job->asked_at, n_done, job->work.plan.n_elems * job->work.n_together, error);
}

static gp_status convert_piece(void *context, int64_t piece, int worker, gp_error *error)
{
    convert_job *job = context;
    gp_box box = box_of_piece(job, piece);
    int64_t n = (job->is_listed ? job->list.n : box.n_t * box.n_s * box.n_r) * job->work.n_together;
    char *scratch = job->scratch + worker * job->scratch_bytes;
    if (job->is_listed)
        gp_list_convert(&job->work, &job->list, &box, scratch);
    else
        gp_block_convert(&job->work, &box, scratch);
    return ask_progress(job, worker, atomic_fetch_add(&job->n_done, n) + n, error);
}

/* What a masked element becomes; in complex numbers both parts. */
static void fill_nan(gp_block_work *work, gp_dtype to)
{
    float nan = gp_f32_from_bits(0x7fc00000u), nans[2] = {nan, nan};
    gp_dtype from = GP_F32;
    if (gp_dtype_is_complex(to))
        from = GP_C64;
    if (to == GP_C32)
        from = GP_F32, to = GP_F16;
    gp_cast cast = gp_cast_make(from, to, false);
    gp_cast_run(&cast, (const char *)nans, to == GP_F16 ? 2 : 1, work->nan);
}

/*
 * A few elements that lie side by side in source and target, such as the channels of a pixel, stay together: from here on they
 * are one element, of so many parts. Other axes are then as fast as those of single elements.
 */
static void join_elements(gp_block_work *work)
{
    gp_conversion *plan = &work->plan;
    while (plan->n_axes > 1 && plan->mask == NULL) {
        const gp_conversion_axis *t = &plan->axes[plan->n_axes - 1];
        if (t->from_stride != work->from_bytes || t->to_stride != work->to_bytes ||
            gp_item_size(work->from_bytes * t->size) < 0 || gp_item_size(work->to_bytes * t->size) < 0)
            return;
        work->n_together *= t->size;
        work->from_bytes *= t->size, work->to_bytes *= t->size;
        work->cast.n_parts *= t->size;
        plan->n_elems /= t->size;
        plan->n_axes--;
    }
}

static gp_block_work work_of(const gp_conversion *plan)
{
    gp_block_work work = {.plan = *plan,
                          .cast = gp_cast_make(plan->from_dtype, plan->to_dtype, plan->is_byteswapped),
                          .loops = gp_layout_loops_here(),
                          .from_bytes = gp_dtype_size_bytes(plan->from_dtype),
                          .to_bytes = gp_dtype_size_bytes(plan->to_dtype),
                          .n_together = 1};
    join_elements(&work);
    work.from_size = gp_item_size(work.from_bytes), work.to_size = gp_item_size(work.to_bytes);
    if (plan->mask != NULL)
        fill_nan(&work, plan->to_dtype);
    return work;
}

static gp_status run_pieces(convert_job *job, int n_threads, gp_error *error)
{
    int64_t n_bytes = job->is_listed ? gp_list_scratch_bytes(&job->work, &job->list) : gp_block_scratch_bytes(&job->work);
    job->scratch_bytes = (n_bytes + 63) / 64 * 64;
    GP_FREED char *scratch = NULL;
    GP_TRY(gp_alloc((size_t)(n_threads * job->scratch_bytes), &scratch, error));
    job->scratch = scratch;
    job->asked_at = job->progress != NULL ? gp_seconds_now() : 0;
    return gp_threads_run(cut_pieces(job), n_threads, convert_piece, job, error);
}

gp_status gp_cpu_convert(const gp_conversion *plan, const gp_progress *progress, gp_error *error)
{
    convert_job job = {.work = work_of(plan), .progress = progress};
    gp_block_work *work = &job.work;
    if (plan->n_elems == 0)
        return GP_OK;
    choose_axes(&job);
    choose_block(work);
    work->is_streamed = is_streamed(work);
    job.is_listed = work->plan.n_axes > 3 && work->n_t * work->n_s * work->n_r < gp_smaller(SMALL_BLOCK, work->plan.n_elems);
    if (job.is_listed)
        GP_TRY(gp_list_make(work, &job.list, error));
    gp_status status = run_pieces(&job, gp_threads_for(plan->n_elems), error);
    gp_list_free(&job.list);
    return status;
}
