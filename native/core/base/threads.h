/* A pool of worker threads, which take pieces of work from a shared counter; it supports early stops and forks. */
#ifndef GP_THREADS_H
#define GP_THREADS_H

#include "portable.h"
#include "status.h"

/* Does piece number `piece`. worker, 0..n_threads-1, is the index of a scratch area that no other thread uses at the time. Called
 * without any lock. */
typedef gp_status (*gp_piece)(void *context, int64_t piece, int worker, gp_error *error);

/*
 * Runs pieces 0..n_pieces-1 on at most n_threads threads, including the calling one, and returns when all are done. The
 * first failure stops the rest and is returned. Each thread computes with the default floating-point mode (no flushing of
 * subnormals). Any thread may call. Simultaneous calls share the workers, of which there are as many as the largest call wants;
 * after each piece a worker goes to the call with the fewest. A nested call runs in the calling thread alone.
 */
gp_status gp_threads_run(int64_t n_pieces, int n_threads, gp_piece piece, void *context, gp_error *error) GP_MUST_CHECK;

/* For long pieces: whether the run that this thread works for has failed or was interrupted, so that the piece may end early; its
 * result is then not used. Checks for interrupts, as gp_threads_run does between pieces. */
bool gp_threads_is_stopped(void);

/* The number of threads for so many elements: 1 below 256 Ki elements, at most one per 128 Ki, at most the limit. */
int gp_threads_for(int64_t n_elems);

/* Sets the most threads that are used. 0 restores the default: the smallest of OMP_NUM_THREADS, the affinity mask and the cgroup's
 * quota. */
void gp_threads_limit(int n_threads);
int gp_threads_limit_now(void);

/* Called about every 50 ms by the waiting thread; true stops the run with GP_ERR_INTERRUPTED. NULL: not called. */
void gp_threads_set_interrupt(bool (*is_interrupted)(void));

#endif
