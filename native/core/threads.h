/* A pool of worker threads: pieces of work from a shared counter, an early stop, and fork survived. */
#ifndef GP_THREADS_H
#define GP_THREADS_H

#include "portable.h"
#include "status.h"

/* Does piece number `piece`. worker is 0..n_threads-1: the index of a scratch area that no other thread uses meanwhile. Called
 * without any lock. */
typedef gp_status (*gp_piece)(void *context, int64_t piece, int worker, gp_error *error);

/*
 * Runs pieces 0..n_pieces-1 on at most n_threads threads, the calling one included, and returns when all are done. The
 * first failure stops the rest and is returned. Each thread computes with the default floating-point mode (no flushing
 * of subnormals), whatever its creator set. Any thread may call; callers at the same time share the workers, of which there are
 * as many as the largest call wants, and a worker goes to where the fewest are after each piece. A nested call runs in the caller
 * alone.
 */
gp_status gp_threads_run(int64_t n_pieces, int n_threads, gp_piece piece, void *context, gp_error *error) GP_MUST_CHECK;

/* For pieces that take long: true when the run that this thread works in has failed or was interrupted, so that the piece
 * may end early; what it gives is not used then. Asks about interrupts as gp_threads_run does between pieces. */
bool gp_threads_is_stopped(void);

/* How many threads so many elements are worth: 1 below 256 Ki elements, at most one per 128 Ki, at most the limit. */
int gp_threads_for(int64_t n_elems);

/* The most threads used: set by the caller of gp_threads_limit, else OMP_NUM_THREADS, the affinity mask and the cgroup's
 * quota, whichever is smallest. 0 restores the default. */
void gp_threads_limit(int n_threads);
int gp_threads_limit_now(void);

/* Asked about every 50 ms by the thread that waits; true stops the run with GP_ERR_INTERRUPTED. NULL: never asked. */
void gp_threads_set_interrupt(bool (*is_interrupted)(void));

#endif
