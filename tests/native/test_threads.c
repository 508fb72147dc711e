/* The pool of threads: every piece once, errors and interrupts stop it, it survives fork, and flushing of subnormals stays out. */
#define _GNU_SOURCE
#include "../../native/core/base/threads.h"
#include "check.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define N_PIECES 1000

typedef struct tally {
    atomic_int n_calls[N_PIECES];
    atomic_int n_workers_seen[8];
    atomic_int n_total;
    int64_t fail_at;
    float tiny;
    atomic_int n_flushed;
    bool is_slow;
} tally;

static gp_status count_piece(void *context, int64_t piece, int worker, gp_error *error)
{
    tally *t = context;
    CHECK(piece >= 0 && piece < N_PIECES && worker >= 0 && worker < 8);
    atomic_fetch_add(&t->n_calls[piece], 1);
    atomic_fetch_add(&t->n_workers_seen[worker], 1);
    atomic_fetch_add(&t->n_total, 1);
    volatile float half = t->tiny * 0.5f;
    if (half == 0)
        atomic_fetch_add(&t->n_flushed, 1);
    if (t->is_slow)
        nanosleep(&(struct timespec){0, 2000000}, NULL);
    if (piece == t->fail_at)
        return gp_fail(error, GP_ERR_VALUE, "piece %d is bad", (int)piece);
    return GP_OK;
}

static tally *tally_new(void)
{
    tally *t = calloc(1, sizeof *t);
    CHECK(t != NULL);
    t->fail_at = -1;
    t->tiny = 1e-38f;
    return t;
}

static void test_every_piece_runs_once(int n_threads)
{
    gp_error error = {0};
    tally *t = tally_new();
    CHECK(gp_threads_run(N_PIECES, n_threads, count_piece, t, &error) == GP_OK);
    for (int i = 0; i < N_PIECES; i++)
        CHECK(t->n_calls[i] == 1);
    for (int i = n_threads; i < 8; i++)
        CHECK(t->n_workers_seen[i] == 0);
    CHECK(gp_threads_run(0, n_threads, count_piece, t, &error) == GP_OK);
    CHECK(t->n_total == N_PIECES);
    free(t);
}

static void test_first_failure_stops_the_rest(void)
{
    gp_error error = {0};
    tally *t = tally_new();
    t->fail_at = 3;
    CHECK(gp_threads_run(N_PIECES, 2, count_piece, t, &error) == GP_ERR_VALUE);
    CHECK(error.status == GP_ERR_VALUE && strcmp(error.message, "piece 3 is bad") == 0);
    free(t);
}

static gp_status nested_piece(void *context, int64_t piece, int worker, gp_error *error)
{
    (void)piece, (void)worker;
    return gp_threads_run(10, 2, count_piece, context, error);
}

static void test_nested_runs_work_in_the_caller(void)
{
    gp_error error = {0};
    tally *t = tally_new();
    CHECK(gp_threads_run(20, 2, nested_piece, t, &error) == GP_OK);
    CHECK(t->n_total == 200 && t->n_workers_seen[1] == 0);
    free(t);
}

static void *run_in_thread(void *unused)
{
    for (int i = 0; i < 20; i++)
        test_every_piece_runs_once(3);
    return unused;
}

static void test_several_callers_at_once(void)
{
    pthread_t threads[3];
    for (int i = 0; i < 3; i++)
        CHECK(pthread_create(&threads[i], NULL, run_in_thread, NULL) == 0);
    for (int i = 0; i < 3; i++)
        CHECK(pthread_join(threads[i], NULL) == 0);
}

/* Two callers of two threads each share one worker: it comes to the second one while the first still has pieces. */
typedef struct shared {
    atomic_bool is_joined; /* the second run by a worker */
    atomic_int n_calls;
} shared;

static gp_status wait_until_joined(void *context, int64_t piece, int worker, gp_error *error)
{
    shared *s = context;
    (void)piece, (void)worker, (void)error;
    atomic_fetch_add(&s->n_calls, 1);
    if (!atomic_load(&s->is_joined))
        nanosleep(&(struct timespec){0, 1000000}, NULL);
    return GP_OK;
}

static gp_status note_worker(void *context, int64_t piece, int worker, gp_error *error)
{
    if (worker == 1)
        atomic_store(&((shared *)context)->is_joined, true);
    return wait_until_joined(context, piece, worker, error);
}

static void *run_long(void *context)
{
    gp_error error = {0};
    CHECK(gp_threads_run(100000, 2, wait_until_joined, context, &error) == GP_OK);
    return NULL;
}

/* Regression guard: who called second worked alone for as long as the first was at it. */
static void test_callers_share_workers(void)
{
    shared first = {0};
    gp_error error = {0};
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, run_long, &first) == 0);
    while (atomic_load(&first.n_calls) < 100)
        nanosleep(&(struct timespec){0, 1000000}, NULL);
    shared second = {0};
    CHECK(gp_threads_run(2000, 2, note_worker, &second, &error) == GP_OK);
    CHECK(atomic_load(&second.is_joined) && atomic_load(&second.n_calls) == 2000);
    CHECK(atomic_load(&first.n_calls) < 100000); /* the first was not over */
    atomic_store(&first.is_joined, true);
    CHECK(pthread_join(thread, NULL) == 0);
    CHECK(atomic_load(&first.n_calls) == 100000);
}

static atomic_int n_asked;

static bool interrupt_at_second_question(void) { return atomic_fetch_add(&n_asked, 1) == 1; }

static void test_interrupt(int n_threads)
{
    gp_error error = {0};
    tally *t = tally_new();
    t->is_slow = true;
    atomic_store(&n_asked, 0);
    gp_threads_set_interrupt(interrupt_at_second_question);
    CHECK(gp_threads_run(N_PIECES, n_threads, count_piece, t, &error) == GP_ERR_INTERRUPTED);
    CHECK(t->n_total < N_PIECES && n_asked == 2);
    gp_threads_set_interrupt(NULL);
    t->is_slow = false;
    CHECK(gp_threads_run(N_PIECES, n_threads, count_piece, t, &error) == GP_OK);
    free(t);
}

static gp_status sleep_in_workers(void *context, int64_t piece, int worker, gp_error *error)
{
    (void)context, (void)piece, (void)error;
    nanosleep(&(struct timespec){0, worker == 0 ? 1000000 : 300000000}, NULL);
    return GP_OK;
}

/* Regression guard: the caller has no pieces left and only waits, and still hears the interrupt. */
static void test_interrupt_while_waiting(void)
{
    gp_error error = {0};
    atomic_store(&n_asked, 0);
    gp_threads_set_interrupt(interrupt_at_second_question);
    gp_status status = gp_threads_run(8, 2, sleep_in_workers, NULL, &error);
    CHECK(status == GP_ERR_INTERRUPTED || n_asked < 2); /* the second: no worker woke in time to take a piece */
    gp_threads_set_interrupt(NULL);
}

static void wait_for(pid_t child)
{
    int status;
    CHECK(child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

/* Children of children too. */
static void test_fork(int depth)
{
    pid_t child = fork();
    if (child == 0) {
        alarm(20); /* a child that waits for its parent's threads dies here */
        test_every_piece_runs_once(2);
        test_interrupt(2);
        if (depth > 0)
            test_fork(depth - 1);
        _exit(0);
    }
    wait_for(child);
    test_every_piece_runs_once(2);
}

#if defined(__x86_64__)
static void test_subnormals_survive_a_flushing_caller(void)
{
    gp_error error = {0};
    unsigned before = __builtin_ia32_stmxcsr();
    for (int n_threads = 1; n_threads < 7; n_threads++) { /* new workers inherit the flushing mode */
        tally *t = tally_new();
        __builtin_ia32_ldmxcsr(0x9fc0);
        CHECK(gp_threads_run(N_PIECES, n_threads, count_piece, t, &error) == GP_OK);
        CHECK((__builtin_ia32_stmxcsr() & 0x8040) == 0x8040);
        __builtin_ia32_ldmxcsr(before);
        CHECK(t->n_flushed == 0);
        free(t);
    }
}
#endif

static void test_how_many_threads(void)
{
    gp_threads_limit(4);
    CHECK(gp_threads_limit_now() == 4);
    CHECK(gp_threads_for(0) == 1 && gp_threads_for(262143) == 1);
    CHECK(gp_threads_for(262144) == 2 && gp_threads_for(500000) == 3 && gp_threads_for((int64_t)1 << 40) == 4);
    setenv("OMP_NUM_THREADS", "1,2", 1);
    gp_threads_limit(0);
    CHECK(gp_threads_limit_now() == 1);
    setenv("OMP_NUM_THREADS", "many", 1);
    gp_threads_limit(0);
    CHECK(gp_threads_limit_now() >= 1);
}

int main(void)
{
#if defined(__x86_64__)
    test_subnormals_survive_a_flushing_caller();
#endif
    for (int n_threads = 1; n_threads <= 6; n_threads++)
        test_every_piece_runs_once(n_threads);
    test_first_failure_stops_the_rest();
    test_nested_runs_work_in_the_caller();
    test_several_callers_at_once();
    test_callers_share_workers();
    test_interrupt(1);
    test_interrupt(2);
    test_interrupt_while_waiting();
    if (getenv("GP_TEST_NO_FORK") == NULL) { /* an emulator of a whole process may not survive one */
        test_fork(2);
        test_fork(0);
    }
    test_how_many_threads();
    return 0;
}
