/* Progress of long work: reported to the caller, who may stop it. */
#ifndef GP_PROGRESS_H
#define GP_PROGRESS_H

#include "portable.h"
#include "status.h"

/*
 * Called by the thread that called the operation, between chunks, at most about 20 times a second; true stops the work with
 * GP_ERR_INTERRUPTED. What was written until then stays in the target.
 */
typedef struct gp_progress {
    bool (*is_stopped)(void *context, int64_t n_elems_done, int64_t n_elems);
    void *context;
} gp_progress;

/* Calls it, unless it was called shortly before, at *asked_at (gp_seconds_now; 0: never). NULL is not called. */
gp_status gp_progress_ask(const gp_progress *progress, double *asked_at, int64_t n_elems_done, int64_t n_elems,
                          gp_error *error) GP_MUST_CHECK;

/* Seconds of a monotonic clock. */
double gp_seconds_now(void);

#endif
