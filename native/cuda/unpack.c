/* Copies chunks out of pinned memory: by streaming stores if the target has no gaps, else by the CPU's conversion. */
#include "unpack.h"

#include "../backend.h"
#include "../core/base/nontemporal.h"
#include "../core/base/page_residency.h"
#include "../core/base/threads.h"

#include <string.h>

/* The size of a thread's piece: worth waking a thread, and small enough that all threads end at about the same time. */
#define PIECE_BYTES ((int64_t)512 << 10)

/* Smaller results stay in the caches until they are read. */
#define LEAST_STREAMED_BYTES ((int64_t)16 << 20)

/* More threads are not faster, since memory is the limit. */
enum { MOST_THREADS = 16 };

typedef struct copy_job {
    char *to;
    const char *from;
    int64_t n_bytes;
    bool is_streamed;
} copy_job;

static gp_status copy_piece(void *context, int64_t piece, int worker, gp_error *error)
{
    const copy_job *job = context;
    int64_t begin = piece * PIECE_BYTES, n_left = job->n_bytes - begin, n = n_left < PIECE_BYTES ? n_left : PIECE_BYTES;
    (void)worker, (void)error;
    if (job->is_streamed) {
        gp_stream_bytes(job->to + begin, job->from + begin, n);
        gp_stream_end();
    } else {
        memcpy(job->to + begin, job->from + begin, (size_t)n);
    }
    return GP_OK;
}

static gp_status copy_dense(const copy_job *job, gp_error *error)
{
    int limit = gp_threads_limit_now(), n_threads = limit < MOST_THREADS ? limit : MOST_THREADS;
    copy_job copy = *job;
    return gp_threads_run((job->n_bytes + PIECE_BYTES - 1) / PIECE_BYTES, n_threads, copy_piece, &copy, error);
}

/* The plan of a copy of the box, from contiguous host memory to its place in the target. */
static gp_conversion plan_of_box(const gp_conversion *plan, const gp_cuda_box *box, const void *from)
{
    gp_conversion inside = {.from = from,
                            .to = box->to,
                            .from_dtype = plan->to_dtype,
                            .to_dtype = plan->to_dtype,
                            .device = {.kind = GP_DL_CPU},
                            .n_elems = box->n_items};
    int64_t stride = gp_dtype_size_bytes(plan->to_dtype);
    for (int k = plan->n_axes - 1; k >= box->axis; k--) {
        gp_conversion_axis axis = {.size = k == box->axis ? box->n_along : plan->axes[k].size,
                                   .from_stride = stride,
                                   .to_stride = plan->axes[k].to_stride};
        stride *= axis.size;
        if (axis.size > 1)
            inside.axes[inside.n_axes++] = axis;
    }
    for (int i = 0, j = inside.n_axes - 1; i < j; i++, j--) { /* the slowest first */
        gp_conversion_axis axis = inside.axes[i];
        inside.axes[i] = inside.axes[j];
        inside.axes[j] = axis;
    }
    return inside;
}

bool gp_cuda_is_streamed(const gp_conversion *plan)
{
    int64_t n_bytes = plan->n_elems * gp_dtype_size_bytes(plan->to_dtype);
    return plan->is_target_dense && n_bytes >= LEAST_STREAMED_BYTES && !gp_is_fresh(plan->to, n_bytes);
}

gp_status gp_cuda_unload_box(const gp_conversion *plan, const gp_cuda_box *box, const void *from, bool is_streamed,
                             gp_error *error)
{
    copy_job job = {box->to, from, box->n_items * gp_dtype_size_bytes(plan->to_dtype), is_streamed};
    if (plan->is_target_dense)
        return copy_dense(&job, error);
    gp_conversion inside = plan_of_box(plan, box, from);
    return gp_cpu_backend.convert(&inside, NULL, error);
}
