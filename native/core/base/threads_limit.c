/* The number of threads that this process may use, from the caller's limit, OMP_NUM_THREADS, the affinity mask and the cgroup's quota. */
#define _GNU_SOURCE
#include "threads.h"

#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define MAX_THREADS 256
#define MIN_ELEMS_THREADED (256 * 1024)
#define MIN_ELEMS_PER_THREAD (128 * 1024)

static atomic_int asked_for; /* the caller's limit; 0: none */
static atomic_int default_here; /* 0: not determined yet */

static int at_most(int n, int limit) { return n < limit ? n : limit; }

/* The first number of OMP_NUM_THREADS, which may be a list for nested regions; 0 if it is unset or no number. */
static int threads_of_environment(void)
{
    const char *text = getenv("OMP_NUM_THREADS");
    long n = text != NULL ? strtol(text, NULL, 10) : 0;
    return n > 0 ? (int)(n < MAX_THREADS ? n : MAX_THREADS) : 0;
}

static int threads_of_affinity(void)
{
#if defined(__linux__)
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) > 0)
        return CPU_COUNT(&set);
#endif
    long n = sysconf(_SC_NPROCESSORS_ONLN);
    return n > 0 ? (int)n : 1;
}

#if defined(__linux__)
/* quota / period in processors, rounded up; MAX_THREADS without a quota. */
static int threads_of_quota(double quota, double period)
{
    return quota > 0 && period > 0 && quota / period < MAX_THREADS ? (int)ceil(quota / period) : MAX_THREADS;
}

/* Version 2: one file "quota period", or "max period". */
static int threads_of_cgroup2(const char *folder)
{
    char path[512];
    double quota = 0, period = 0;
    snprintf(path, sizeof path, "%s/cpu.max", folder);
    FILE *file = fopen(path, "re");
    if (file == NULL)
        return MAX_THREADS;
    int n = fscanf(file, "%lf %lf", &quota, &period);
    fclose(file);
    return n == 2 ? threads_of_quota(quota, period) : MAX_THREADS;
}

static double number_in(const char *folder, const char *name)
{
    char path[512];
    double number = 0;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "re");
    if (file == NULL)
        return 0;
    int n = fscanf(file, "%lf", &number);
    fclose(file);
    return n == 1 ? number : 0;
}

static int threads_of_cgroup1(const char *folder)
{
    return threads_of_quota(number_in(folder, "cpu.cfs_quota_us"), number_in(folder, "cpu.cfs_period_us"));
}

/* The smallest quota of the group and of those that enclose it. In a container the path may be the host's, so the root is always read. */
static int threads_of_group(const char *root, char *path, int (*threads_of)(const char *folder))
{
    char folder[400];
    int n = threads_of(root);
    while (path[0] == '/' && path[1] != '\0') {
        snprintf(folder, sizeof folder, "%.100s%.280s", root, path);
        n = at_most(n, threads_of(folder));
        *strrchr(path, '/') = '\0';
    }
    return n;
}

/* Lines of /proc/self/cgroup: "0::/path" in version 2, "4:cpu,cpuacct:/path" in version 1. */
static int threads_of_cgroups(void)
{
    char line[512], path[400], controllers[100];
    int n = threads_of_cgroup2("/sys/fs/cgroup");
    FILE *file = fopen("/proc/self/cgroup", "re");
    if (file == NULL)
        return n;
    while (fgets(line, sizeof line, file) != NULL) {
        if (sscanf(line, "0::%399s", path) == 1) {
            n = at_most(n, threads_of_group("/sys/fs/cgroup", path, threads_of_cgroup2));
        } else if (sscanf(line, "%*d:%99[^:]:%399s", controllers, path) == 2) {
            if (strcmp(controllers, "cpu") == 0 || strncmp(controllers, "cpu,", 4) == 0 || strstr(controllers, ",cpu,") ||
                strcmp(controllers, "cpuacct,cpu") == 0)
                n = at_most(n, threads_of_group("/sys/fs/cgroup/cpu", path, threads_of_cgroup1));
        }
    }
    fclose(file);
    return n;
}
#else
static int threads_of_cgroups(void) { return MAX_THREADS; }
#endif

static int look_up_default(void)
{
    int n = at_most(threads_of_affinity(), threads_of_cgroups());
    int asked = threads_of_environment();
    n = at_most(n, MAX_THREADS);
    if (asked > 0)
        n = at_most(n, asked);
    return n > 0 ? n : 1;
}

void gp_threads_limit(int n_threads)
{
    atomic_store(&asked_for, n_threads > 0 ? at_most(n_threads, MAX_THREADS) : 0);
    if (n_threads <= 0)
        atomic_store(&default_here, 0);
}

int gp_threads_limit_now(void)
{
    int n = atomic_load(&asked_for);
    if (n > 0)
        return n;
    n = atomic_load(&default_here);
    if (n == 0) {
        n = look_up_default();
        atomic_store(&default_here, n);
    }
    return n;
}

int gp_threads_for(int64_t n_elems)
{
    if (n_elems < MIN_ELEMS_THREADED)
        return 1;
    int64_t worth = n_elems / MIN_ELEMS_PER_THREAD;
    int limit = gp_threads_limit_now();
    return worth < limit ? (int)worth : limit;
}
