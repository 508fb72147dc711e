/* A child process for each level of vector instructions, and their results side by side in shared memory. */
#define _GNU_SOURCE
#include "levels.h"

#include "cpu/simd/level.h"
#include "check.h"

#include <math.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { N_LEVELS = 3, MOST_RESULTS = 1 << 19, IS_SKIPPED = 77 };

typedef struct result {
    char name[40];
    uint64_t hash; /* of bytes; 0 of a number */
    double value, slack;
} result;

typedef struct results {
    int n;
    result list[MOST_RESULTS];
} results;

static const char *const level_names[N_LEVELS] = {"base", "avx2", "avx512"};
static results *mine; /* of this process; NULL: nobody compares */

static result *new_result(const char *name)
{
    CHECK(mine != NULL && mine->n < MOST_RESULTS);
    result *added = &mine->list[mine->n++];
    snprintf(added->name, sizeof added->name, "%s", name);
    return added;
}

void same_at_every_level(const char *name, const void *bytes, long long n_bytes)
{
    const unsigned char *at = bytes;
    uint64_t hash = 14695981039346656037u; /* FNV-1a */
    for (long long i = 0; i < n_bytes; i++)
        hash = (hash ^ at[i]) * 1099511628211u;
    new_result(name)->hash = hash | 1;
}

void near_at_every_level(const char *name, double value, double slack)
{
    result *added = new_result(name);
    added->value = value, added->slack = slack;
}

static int is_same(const result *a, const result *b)
{
    if (strcmp(a->name, b->name) != 0 || a->hash != b->hash)
        return 0;
    return a->value == b->value || (isnan(a->value) && isnan(b->value)) || fabs(a->value - b->value) <= a->slack;
}

static void compare(const results *base, const results *other, const char *level)
{
    CHECK(base->n == other->n);
    for (int i = 0; i < base->n; i++)
        if (!is_same(&base->list[i], &other->list[i])) {
            fprintf(stderr, "result %d: %s at base, %s at %s differ", i, base->list[i].name, other->list[i].name, level);
            if (base->list[i].hash == 0)
                fprintf(stderr, ": %.17g, %.17g", base->list[i].value, other->list[i].value);
            fputc('\n', stderr);
            exit(1);
        }
}

/* In a child: the level is known to the library at its first use. */
static void run_child(void (*run)(void), int level, results *to)
{
    setenv("GPUPLOT_CPU_LEVEL", level_names[level], 1);
    if ((int)gp_cpu_level() != level)
        _exit(IS_SKIPPED);
    mine = to;
    run();
    exit(0);
}

void run_at_every_level(void (*run)(void))
{
    size_t n_bytes = N_LEVELS * sizeof(results);
    results *all = mmap(NULL, n_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    CHECK(all != MAP_FAILED);
    for (int level = 0; level < N_LEVELS; level++) {
        int status;
        fflush(NULL);
        pid_t child = fork();
        if (child == 0)
            run_child(run, level, &all[level]);
        CHECK(child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status));
        if (level > 0 && WEXITSTATUS(status) == IS_SKIPPED) {
            printf("skipped at %s, which this processor or build does not have\n", level_names[level]);
            continue;
        }
        if (WEXITSTATUS(status) != 0)
            fprintf(stderr, "at level %s\n", level_names[level]);
        CHECK(WEXITSTATUS(status) == 0);
        compare(&all[0], &all[level], level_names[level]);
    }
    munmap(all, n_bytes);
}
