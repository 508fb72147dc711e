/* A race that must be seen: pieces of a run count in a variable that nobody guards. */
#include "check.h"
#include "../../native/core/base/threads.h"

static gp_status count_unguarded(void *context, int64_t piece, int worker, gp_error *error)
{
    (void)piece, (void)worker, (void)error;
    ++*(int64_t *)context;
    return GP_OK;
}

int main(void)
{
    gp_error error = {0};
    int64_t n_pieces = 0;
    CHECK(gp_threads_run(100000, 4, count_unguarded, &n_pieces, &error) == GP_OK);
    printf("%lld pieces were counted, and no race was seen\n", (long long)n_pieces);
    return 0;
}
