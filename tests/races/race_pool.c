/* The pool of threads: callers at once, failures, interrupts that come and go, and limits that change meanwhile. */
#include "at_once.h"
#include "check.h"
#include "../../native/core/base/threads.h"

#include <stdatomic.h>

enum { N_CALLERS = 4, N_RUNS = 60, N_PIECES = 100, N_WORKERS = 4, N_SCRATCH = 4000 };

typedef struct tally {
    int64_t pieces[N_PIECES];              /* written by whoever does the piece */
    int64_t scratch[N_WORKERS][N_SCRATCH]; /* plain memory that the numbers of workers keep apart; first, how many pieces */
    int64_t fail_at;
} tally;

static atomic_llong n_by_workers; /* pieces that were not the caller's */

static gp_status tally_piece(void *context, int64_t piece, int worker, gp_error *error)
{
    tally *t = context;
    CHECK(worker >= 0 && worker < N_WORKERS);
    t->pieces[piece] += piece + 1;
    t->scratch[worker][0]++;
    for (int i = 1; i < N_SCRATCH; i++) /* long enough for workers to come */
        t->scratch[worker][i] += i;
    atomic_fetch_add(&n_by_workers, worker > 0);
    if (piece == t->fail_at)
        return gp_fail(error, GP_ERR_VALUE, "piece %lld", (long long)piece);
    return gp_threads_is_stopped() ? gp_fail(error, GP_ERR_INTERRUPTED, "stopped") : GP_OK;
}

static void check_all_done(const tally *t)
{
    int64_t n = 0;
    for (int i = 0; i < N_PIECES; i++)
        CHECK(t->pieces[i] == i + 1);
    for (int i = 0; i < N_WORKERS; i++)
        n += t->scratch[i][0];
    CHECK(n == N_PIECES);
}

static void call(void *context, int k)
{
    (void)context;
    for (int i = 0; i < N_RUNS; i++) {
        gp_error error = {0};
        tally t = {.fail_at = (i + k) % 5 == 0 ? 17 * k : -1};
        gp_status status = gp_threads_run(N_PIECES, 2 + (i + k) % (N_WORKERS - 1), tally_piece, &t, &error);
        CHECK(status == (t.fail_at >= 0 ? GP_ERR_VALUE : GP_OK));
        if (status == GP_OK)
            check_all_done(&t);
        gp_threads_limit(1 + i % N_WORKERS);
        CHECK(gp_threads_limit_now() >= 1 && gp_threads_for((int64_t)1 << 40) >= 1);
    }
}

static gp_status nested(void *context, int64_t piece, int worker, gp_error *error)
{
    tally inner = {.fail_at = -1};
    (void)context, (void)piece, (void)worker;
    gp_status status = gp_threads_run(N_PIECES, N_WORKERS, tally_piece, &inner, error);
    if (status == GP_OK)
        check_all_done(&inner);
    return status;
}

static void call_nested(void *context, int k)
{
    gp_error error = {0};
    (void)context, (void)k;
    CHECK(gp_threads_run(20, N_WORKERS, nested, NULL, &error) == GP_OK);
}

static atomic_int n_asked;

static bool now_and_then(void) { return atomic_fetch_add(&n_asked, 1) % 3 == 2; }

/* Pieces that last until the interrupt comes, which every caller asks about for itself. */
static gp_status wait_for_interrupt(void *context, int64_t piece, int worker, gp_error *error)
{
    (void)context, (void)piece, (void)worker;
    while (!gp_threads_is_stopped())
        ;
    return gp_fail(error, GP_ERR_INTERRUPTED, "stopped");
}

static void call_interrupted(void *context, int k)
{
    gp_error error = {0};
    (void)context, (void)k;
    gp_threads_set_interrupt(now_and_then);
    CHECK(gp_threads_run(8, N_WORKERS, wait_for_interrupt, NULL, &error) == GP_ERR_INTERRUPTED);
}

int main(void)
{
    run_at_once(N_CALLERS, call, NULL);
    run_at_once(N_CALLERS, call_nested, NULL);
    run_at_once(N_CALLERS, call_interrupted, NULL);
    gp_threads_set_interrupt(NULL);
    CHECK(atomic_load(&n_asked) >= N_CALLERS && atomic_load(&n_by_workers) > 0);
    return 0;
}
