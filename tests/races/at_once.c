/* Threads behind a barrier. */
#define _GNU_SOURCE
#include "at_once.h"

#include "check.h"

#include <pthread.h>

enum { MAX_THREADS = 16 };

typedef struct start {
    pthread_barrier_t *barrier;
    gp_work work;
    void *context;
    int k;
} start;

static void *begin(void *argument)
{
    start *s = argument;
    pthread_barrier_wait(s->barrier);
    s->work(s->context, s->k);
    return NULL;
}

void run_at_once(int n, gp_work work, void *context)
{
    pthread_barrier_t barrier;
    pthread_t threads[MAX_THREADS];
    start starts[MAX_THREADS];
    CHECK(n <= MAX_THREADS && pthread_barrier_init(&barrier, NULL, (unsigned)n) == 0);
    for (int k = 0; k < n; k++) {
        starts[k] = (start){&barrier, work, context, k};
        CHECK(pthread_create(&threads[k], NULL, begin, &starts[k]) == 0);
    }
    for (int k = 0; k < n; k++)
        CHECK(pthread_join(threads[k], NULL) == 0);
    pthread_barrier_destroy(&barrier);
}
