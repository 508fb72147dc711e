/* What long work tells its caller, and the caller's wish that it ends. */
#ifndef GP_PROGRESS_H
#define GP_PROGRESS_H

#include "portable.h"
#include "status.h"

/*
 * Asked now and then by the thread that called, at least between chunks and at most some 20 times a second; true stops the
 * work with GP_ERR_INTERRUPTED. What was written until then stays in the target.
 */
typedef struct gp_progress {
    bool (*is_stopped)(void *context, int64_t n_elems_done, int64_t n_elems);
    void *context;
} gp_progress;

/* Asks, unless it did so shortly before: *asked_at (gp_seconds_now) is when, 0 never. NULL is never asked. */
gp_status gp_progress_ask(const gp_progress *progress, double *asked_at, int64_t n_elems_done, int64_t n_elems,
                          gp_error *error) GP_MUST_CHECK;

/* Seconds from some moment on, of a clock that nobody sets. */
double gp_seconds_now(void);

#endif
