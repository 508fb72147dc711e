/* Calls the progress function of long work, not too often. */
#define _GNU_SOURCE
#include "progress.h"

#include <time.h>

#define POLL_SECONDS 0.05

double gp_seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

gp_status gp_progress_ask(const gp_progress *progress, double *asked_at, int64_t n_elems_done, int64_t n_elems, gp_error *error)
{
    if (progress == NULL)
        return GP_OK;
    double now = gp_seconds_now();
    if (now - *asked_at < POLL_SECONDS)
        return GP_OK;
    *asked_at = now;
    if (progress->is_stopped(progress->context, n_elems_done, n_elems))
        return gp_fail(error, GP_ERR_INTERRUPTED, "stopped after %lld of %lld elements", (long long)n_elems_done,
                       (long long)n_elems);
    return GP_OK;
}
