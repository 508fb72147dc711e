/* The pool: detached workers that sleep on a condition and are shared by all runs, and a fresh pool in a forked child. */
#define _GNU_SOURCE
#include "threads.h"

#include "float_mode.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define MAX_WORKERS 255
#define POLL_NANOSECONDS 50000000L

typedef struct run {
    gp_piece piece;
    void *context;
    int64_t n_pieces;
    int n_threads;
    _Atomic int64_t next_piece;
    atomic_bool is_stopped;
    struct timespec deadline; /* when the calling thread polls for interrupts again */
    pthread_mutex_t *lock; /* guards the members below; NULL if the caller works alone */
    int n_active;                     /* workers other than the caller */
    bool is_worker_used[MAX_WORKERS]; /* indexed by worker number - 1 */
    struct run *next;                 /* in the pool's list */
    gp_error error;                   /* the first failure */
} run;

/* Lives as long as the process. `previous` keeps the parent's pool reachable in a forked child, which never uses it: its lock may
 * have been held at the fork. */
typedef struct pool {
    pid_t pid;
    pthread_mutex_t lock;
    pthread_cond_t has_work, is_done;
    run *runs; /* the runs in progress, of all calling threads */
    atomic_int n_runs;
    int n_workers;
    struct pool *previous;
} pool;

static _Atomic(pool *) the_pool;
static _Atomic(bool (*)(void)) the_interrupt;
static _Thread_local run *run_here; /* the run that this thread works on, or NULL */
static _Thread_local int worker_here;

void gp_threads_set_interrupt(bool (*is_interrupted)(void)) { atomic_store(&the_interrupt, is_interrupted); }

static void fill_deadline(struct timespec *deadline)
{
    clock_gettime(CLOCK_MONOTONIC, deadline);
    deadline->tv_nsec += POLL_NANOSECONDS;
    if (deadline->tv_nsec >= 1000000000L)
        deadline->tv_nsec -= 1000000000L, deadline->tv_sec++;
}

static bool is_past(const struct timespec *deadline)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec > deadline->tv_sec || (now.tv_sec == deadline->tv_sec && now.tv_nsec >= deadline->tv_nsec);
}

static void record_failure(run *r, const gp_error *error)
{
    if (r->lock != NULL)
        pthread_mutex_lock(r->lock);
    if (r->error.status == GP_OK)
        r->error = *error;
    if (r->lock != NULL)
        pthread_mutex_unlock(r->lock);
    atomic_store(&r->is_stopped, true);
}

static void ask_interrupt(run *r)
{
    bool (*is_interrupted)(void) = atomic_load(&the_interrupt);
    if (is_interrupted != NULL && !atomic_load(&r->is_stopped) && is_interrupted()) {
        gp_error error = {0};
        gp_fail(&error, GP_ERR_INTERRUPTED, "interrupted");
        record_failure(r, &error);
    }
}

/* Polls for interrupts at the deadline, in the calling thread (worker 0) alone. */
static void ask_in_time(run *r, int worker)
{
    if (worker == 0 && is_past(&r->deadline)) {
        ask_interrupt(r);
        fill_deadline(&r->deadline);
    }
}

bool gp_threads_is_stopped(void)
{
    if (run_here == NULL)
        return false;
    ask_in_time(run_here, worker_here);
    return atomic_load_explicit(&run_here->is_stopped, memory_order_relaxed);
}

/* Takes pieces until none are left. A worker of the pool also stops when another run has started, to choose between them anew. */
static void work(run *r, int worker, const pool *p)
{
    uint64_t mode = gp_float_mode_enter();
    run *outer_run = run_here;
    int outer_worker = worker_here;
    run_here = r, worker_here = worker;
    if (worker == 0)
        fill_deadline(&r->deadline);
    while (!atomic_load_explicit(&r->is_stopped, memory_order_relaxed)) {
        int64_t piece = atomic_fetch_add_explicit(&r->next_piece, 1, memory_order_relaxed);
        if (piece >= r->n_pieces)
            break;
        gp_error error = {0};
        gp_status status = r->piece(r->context, piece, worker, &error);
        if (status != GP_OK) {
            error.status = status;
            record_failure(r, &error);
        }
        ask_in_time(r, worker);
        if (worker != 0 && atomic_load_explicit(&p->n_runs, memory_order_relaxed) > 1)
            break;
    }
    run_here = outer_run, worker_here = outer_worker;
    gp_float_mode_leave(mode);
}

/* The run with the fewest workers among those with pieces left and room for another worker, or NULL. */
static run *neediest_run(const pool *p)
{
    run *best = NULL;
    for (run *r = p->runs; r != NULL; r = r->next) {
        bool is_open = r->n_active < r->n_threads - 1 && !atomic_load(&r->is_stopped) &&
                       atomic_load(&r->next_piece) < r->n_pieces;
        if (is_open && (best == NULL || r->n_active < best->n_active))
            best = r;
    }
    return best;
}

/* Takes a worker number that is free in the run; it selects the thread's scratch memory. */
static int join_run(run *r)
{
    int worker = 1;
    while (r->is_worker_used[worker - 1])
        worker++;
    r->is_worker_used[worker - 1] = true;
    r->n_active++;
    return worker;
}

static void *worker_main(void *argument)
{
    pool *p = argument;
    pthread_mutex_lock(&p->lock);
    for (;;) {
        run *r = neediest_run(p);
        if (r == NULL) {
            pthread_cond_wait(&p->has_work, &p->lock);
            continue;
        }
        int worker = join_run(r);
        pthread_mutex_unlock(&p->lock);
        work(r, worker, p);
        pthread_mutex_lock(&p->lock);
        r->is_worker_used[worker - 1] = false;
        if (--r->n_active == 0)
            pthread_cond_broadcast(&p->is_done);
    }
    return NULL;
}

static pool *pool_new(pid_t pid)
{
    pool *p = calloc(1, sizeof *p);
    pthread_condattr_t attributes;
    if (p == NULL)
        return NULL;
    p->pid = pid;
    pthread_mutex_init(&p->lock, NULL);
    pthread_cond_init(&p->has_work, NULL);
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&p->is_done, &attributes);
    pthread_condattr_destroy(&attributes);
    return p;
}

/* The pool of this process, or NULL without memory. Threads do not survive a fork, so a child makes its own. */
static pool *pool_here(void)
{
    pid_t pid = getpid();
    pool *p = atomic_load(&the_pool);
    while (p == NULL || p->pid != pid) {
        pool *fresh = pool_new(pid);
        if (fresh == NULL)
            return NULL;
        fresh->previous = p;
        if (atomic_compare_exchange_strong(&the_pool, &p, fresh))
            return fresh;
        free(fresh);
    }
    return p;
}

/* Starts workers with signals blocked, since handlers belong to the program's own threads. Fewer if the system refuses a thread. */
static void grow(pool *p, int n_workers)
{
    sigset_t all, before;
    pthread_attr_t attributes;
    if (p->n_workers >= n_workers)
        return;
    sigfillset(&all); /* a worker's own faults are not blocked: a program may handle them */
    sigdelset(&all, SIGSEGV), sigdelset(&all, SIGBUS), sigdelset(&all, SIGFPE), sigdelset(&all, SIGILL);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    while (p->n_workers < n_workers && p->n_workers < MAX_WORKERS) {
        pthread_t thread;
        if (pthread_create(&thread, &attributes, worker_main, p) != 0)
            break;
        p->n_workers++;
    }
    pthread_attr_destroy(&attributes);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static void pool_add(pool *p, run *r)
{
    pthread_mutex_lock(&p->lock);
    grow(p, r->n_threads - 1);
    r->next = p->runs;
    p->runs = r;
    atomic_fetch_add(&p->n_runs, 1);
    if (r->n_threads == 2)
        pthread_cond_signal(&p->has_work);
    else
        pthread_cond_broadcast(&p->has_work);
    pthread_mutex_unlock(&p->lock);
}

/* Waits in intervals, so that an interrupt is noticed while other threads finish their last pieces. */
static void pool_remove(pool *p, run *r)
{
    pthread_mutex_lock(&p->lock);
    run **at = &p->runs;
    while (*at != r)
        at = &(*at)->next;
    *at = r->next;
    atomic_fetch_sub(&p->n_runs, 1);
    while (r->n_active > 0) {
        struct timespec deadline;
        fill_deadline(&deadline);
        if (pthread_cond_timedwait(&p->is_done, &p->lock, &deadline) == ETIMEDOUT && r->n_active > 0) {
            pthread_mutex_unlock(&p->lock);
            ask_interrupt(r);
            pthread_mutex_lock(&p->lock);
        }
    }
    pthread_mutex_unlock(&p->lock);
}

gp_status gp_threads_run(int64_t n_pieces, int n_threads, gp_piece piece, void *context, gp_error *error)
{
    run r = {.piece = piece, .context = context, .n_pieces = n_pieces, .n_threads = n_threads};
    if (r.n_threads > MAX_WORKERS + 1)
        r.n_threads = MAX_WORKERS + 1;
    if (n_pieces < r.n_threads)
        r.n_threads = (int)n_pieces;
    pool *p = r.n_threads > 1 && run_here == NULL ? pool_here() : NULL;
    if (p != NULL) {
        r.lock = &p->lock;
        pool_add(p, &r);
    }
    work(&r, 0, p);
    if (p != NULL)
        pool_remove(p, &r);
    if (r.error.status != GP_OK)
        *error = r.error;
    return r.error.status;
}
