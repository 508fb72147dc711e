/* Conversions: assigns roles to the axes of a plan, cuts it into pieces, and runs these on threads. */
#include "list.h"

#include "../../core/base/alloc.h"
#include "../../core/base/arithmetic.h"
#include "cpu.h"
#include "../../core/base/page_residency.h"
#include "../../core/base/threads.h"

#include <stdatomic.h>

/* A block stays in the nearest cache; a piece, of many blocks, is the work that a thread takes at once. */
#define BLOCK_ELEMS 4096
#define BLOCK_BYTES 32768
#define PIECE_ELEMS ((int64_t)1 << 19)

/* The length of the rows of a turned block, if the axis is as long; and the least number of rows of a piece of turned blocks. */
#define TURNED_ROW 128
#define BAND_ROWS 256

/* If blocks would have fewer elements and there are more than three axes, elements are listed instead (list.c). */
#define SMALL_BLOCK 1024

/* Runs of fewer contiguous elements are not read as runs. */
#define SHORT_RUN 8

/* Larger results do not fit in the caches and are written past them. The limit is lower for turned results, which return to the cache
 * lines of many rows and so evict them sooner. */
#define STREAM_BYTES ((int64_t)16 << 20)
#define STREAM_TURNED_BYTES ((int64_t)4 << 20)

typedef struct convert_job {
    gp_block_work work;
    int t, s, r;                                           /* axes of the plan; -1: none */
    int64_t steps[GP_MAX_NDIM], n_steps[GP_MAX_NDIM];      /* elements of an axis in a piece, and pieces along it */
    bool is_listed;
    gp_list list; /* used instead of blocks if is_listed */
    char *scratch;
    int64_t scratch_bytes;
    const gp_progress *progress;
    double asked_at; /* the last call of `progress`; used by the calling thread alone */
    _Atomic int64_t n_done;
} convert_job;

/* ---- geometry ---------------------------------------------------------------------------------------------------------- */

/* The axis of the source's smallest stride, other than two given ones; -1: none. */
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
 * T is the target's fastest axis. If the source's fastest axis is another one, it becomes S, and blocks are transposed if S is long
 * enough. Otherwise S and R are the next axes of the target, or those that share cache lines of the source.
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
    else if (is_shared) /* rows that read the same cache lines are in one block */
        work->n_t = gp_smaller(work->t.size, gp_larger(1, room / gp_smaller(16, work->s.size * work->r.size)));
    else
        work->n_t = gp_smaller(work->t.size, room);
    work->n_t = gp_smaller(work->n_t, room);
    work->n_s = gp_smaller(work->s.size, room / work->n_t);
    work->n_r = gp_smaller(work->r.size, room / (work->n_t * work->n_s));
}

/* The size of a piece along an axis: whole blocks, as many as fit in the `room` that is left, which is then reduced. */
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

/* Sets the sizes of pieces along all axes; returns the number of pieces. */
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
 * The system fills new pages with zeros, which leaves them in the caches: whole rows are then better written there. Blocks of many short
 * rows return to a page after it has left the caches.
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

static gp_convert_box box_of_piece(const convert_job *job, int64_t piece)
{
    const gp_conversion *plan = &job->work.plan;
    gp_convert_box box = {.from = plan->from, .to = plan->to, .mask = plan->mask, .n_t = 1, .n_s = 1, .n_r = 1};
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

/* Reports progress, and takes a cancellation, in the thread that called. */
static gp_status ask_progress(convert_job *job, int worker, int64_t n_done, gp_error *error)
{
    if (worker != 0)
        return GP_OK;
    return gp_progress_ask(job->progress, &job->asked_at, n_done, job->work.plan.n_elems * job->work.n_together, error);
}

static gp_status convert_piece(void *context, int64_t piece, int worker, gp_error *error)
{
    convert_job *job = context;
    gp_convert_box box = box_of_piece(job, piece);
    int64_t n = (job->is_listed ? job->list.n : box.n_t * box.n_s * box.n_r) * job->work.n_together;
    char *scratch = job->scratch + worker * job->scratch_bytes;
    if (job->is_listed)
        gp_list_convert(&job->work, &job->list, &box, scratch);
    else
        gp_block_convert(&job->work, &box, scratch);
    return ask_progress(job, worker, atomic_fetch_add(&job->n_done, n) + n, error);
}

/* The bytes that a masked element becomes; NaN in both parts of complex numbers. */
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
 * A few elements that are contiguous in source and target, such as the channels of a pixel, are moved as one item of several parts, so
 * that the other axes are as fast as those of single elements.
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
