/* Runs every kernel of the CUDA backend on memory of its own and holds the results against the CPU backend's. */
#define _POSIX_C_SOURCE 200809L
#include "kernels/checks.h"
#include "kernels/emulation.h"

#include "../../native/core/base/threads.h"
#include "cuda/runtime/device.h"
#include "cuda/runtime/module.h"
#include "cuda/runtime/runtime.h"
#include "cuda/runtime/stream.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/*
 * usage: every_kernel [--every N] [--scale N] [--only GROUP] [--huge] [--kernels] [--order N] [--pace N] [--complete]
 *
 *   --every N   each N-th case only (default 1: all of them); the first of each group always runs
 *   --scale N   planes N times as high and wide (default 1)
 *   --only G    one group: reduce repeats limits percentiles summarize histogram joint difference bin_points bin_lines find series
 *               summarize_slices histogram_slices percentiles_slices gather convert points shade shade_rgb angle filter huge
 *   --huge      planes of 4.4 GB, too
 *   --kernels   also prints the names of the kernels that were launched, one on a line
 *
 * On the emulated device only:
 *   --order N   threads run forward (1), backward (2), in random order (3), or in all of these and are compared (4)
 *   --pace N    streams run at once (1), as late as they can (2) or in random turns (3)
 *   --complete  a small set of cases that takes every path, beside the others; a kernel that was never launched is a failure
 *
 * The last line says how it went; the status is 1 where a result was wrong, 2 where nothing could run, 77 without a device.
 * compute-sanitizer runs this program; on the emulated device (GPUPLOT_CUDA_DRIVER) it is an ordinary test.
 */

typedef struct options {
    tally all;
    check_sizes sizes;
    int64_t order, pace;
    bool is_huge, lists_kernels, is_complete;
} options;

enum { NOTHING_RAN = 2, NO_DEVICE = 77 };

/* ---- which kernels were launched ------------------------------------------------------------------------------------ */

enum { MOST_KERNELS = 1024 };
static char *launched[MOST_KERNELS];
static int n_launched;
static int64_t n_launches;

#if defined(GP_TEST_WRAPS_LAUNCH)
gp_status __real_gp_cuda_launch(gp_cuda_device *device, const char *module, const char *kernel, int64_t grid_x, int64_t grid_y,
                                int64_t grid_z, int n_threads, const void *args, gp_error *error);
gp_status __wrap_gp_cuda_launch(gp_cuda_device *device, const char *module, const char *kernel, int64_t grid_x, int64_t grid_y,
                                int64_t grid_z, int n_threads, const void *args, gp_error *error);

/* The linker sends every launch through here, on its way to the real one. */
gp_status __wrap_gp_cuda_launch(gp_cuda_device *device, const char *module, const char *kernel, int64_t grid_x, int64_t grid_y,
                                int64_t grid_z, int n_threads, const void *args, gp_error *error)
{
    int i = 0;
    n_launches++;
    while (i < n_launched && strcmp(launched[i], kernel) != 0)
        i++;
    if (i == n_launched && n_launched < MOST_KERNELS)
        launched[n_launched++] = strdup(kernel);
    return __real_gp_cuda_launch(device, module, kernel, grid_x, grid_y, grid_z, n_threads, args, error);
}
#endif

static bool was_launched(const char *kernel)
{
    for (int i = 0; i < n_launched; i++)
        if (strcmp(launched[i], kernel) == 0)
            return true;
    return false;
}

static int compare_names(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

static void print_kernels(void)
{
    qsort(launched, (size_t)n_launched, sizeof *launched, compare_names);
    for (int i = 0; i < n_launched; i++)
        printf("kernel %s\n", launched[i]);
}

/* ---- command line -------------------------------------------------------------------------------------------------- */

static int64_t number_of(const char *text)
{
    char *end;
    long long value = text ? strtoll(text, &end, 10) : 0;
    if (text == NULL || *end != '\0' || value < 1) {
        fprintf(stderr, "every_kernel: %s is not a positive number\n", text ? text : "nothing");
        exit(NOTHING_RAN);
    }
    return value;
}

static options options_of(int argc, char **argv)
{
    options o = {.all = {.every = 1}, .sizes = {1}, .order = 1, .pace = 1};
    for (int i = 1; i < argc; i++) {
        const char *value = i + 1 < argc ? argv[i + 1] : NULL;
        if (strcmp(argv[i], "--every") == 0)
            o.all.every = number_of(value), i++;
        else if (strcmp(argv[i], "--scale") == 0)
            o.sizes.scale = number_of(value), i++;
        else if (strcmp(argv[i], "--order") == 0)
            o.order = number_of(value), i++;
        else if (strcmp(argv[i], "--pace") == 0)
            o.pace = number_of(value), i++;
        else if (strcmp(argv[i], "--only") == 0 && value != NULL)
            o.all.only = value, i++;
        else if (strcmp(argv[i], "--huge") == 0)
            o.is_huge = true;
        else if (strcmp(argv[i], "--kernels") == 0)
            o.lists_kernels = true;
        else if (strcmp(argv[i], "--complete") == 0)
            o.is_complete = o.all.has_all_typical = true;
        else {
            fprintf(stderr, "every_kernel: what is %s? Its source's first comment lists the options\n", argv[i]);
            exit(NOTHING_RAN);
        }
    }
    return o;
}

/* ---- the run ------------------------------------------------------------------------------------------------------- */

static double seconds_now(void)
{
    struct timespec now;
    timespec_get(&now, TIME_UTC);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void run_all(options *o)
{
    check_reduce(&o->all, &o->sizes);
    check_repeats(&o->all, &o->sizes);
    check_limits(&o->all, &o->sizes);
    check_percentiles(&o->all, &o->sizes);
    check_collect(&o->all, &o->sizes);
    check_summarize(&o->all, &o->sizes);
    check_histogram(&o->all, &o->sizes);
    check_joint(&o->all, &o->sizes);
    check_difference(&o->all, &o->sizes);
    check_bin_points(&o->all, &o->sizes);
    check_bin_lines(&o->all, &o->sizes);
    check_find(&o->all, &o->sizes);
    check_series(&o->all, &o->sizes);
    check_summarize_slices(&o->all, &o->sizes);
    check_histogram_slices(&o->all, &o->sizes);
    check_percentiles_slices(&o->all, &o->sizes);
    check_gather(&o->all, &o->sizes);
    check_convert(&o->all, &o->sizes);
    check_points(&o->all);
    check_shade(&o->all, &o->sizes);
    check_shade_rgb(&o->all, &o->sizes);
    check_angle(&o->all, &o->sizes);
    check_filter(&o->all, &o->sizes);
    if (o->is_huge)
        check_huge(&o->all);
}

/* The device's name, or an error where there is none. */
static gp_status find_device(char *name, int n_bytes, int *n_processors, gp_error *error)
{
    gp_cuda_device *device;
    CUdevice handle;
    GP_TRY(gp_cuda_enter(0, &device, error));
    const gp_cuda_api *api = gp_cuda_api_of(device);
    *n_processors = gp_cuda_n_processors(device);
    gp_status status = gp_cuda_check(api->deviceGet(&handle, 0), "cuDeviceGet", error);
    if (status == GP_OK)
        status = gp_cuda_check(api->deviceGetName(name, n_bytes, handle), "cuDeviceGetName", error);
    gp_cuda_leave(device);
    return status;
}

int main(int argc, char **argv)
{
    options o = options_of(argc, argv);
    gp_error error = {0};
    char name[128] = "";
    int n_processors = 0, n_problems;
    double start = seconds_now();
    if (find_device(name, (int)sizeof name, &n_processors, &error) != GP_OK) {
        printf("every_kernel: not run: %s\n", error.message);
        return NO_DEVICE;
    }
    emulation_set((int)o.order - 1, (int)o.pace - 1);
    run_all(&o);
    gp_cuda_close();
    n_problems = emulation_problems() + (o.is_complete ? emulation_missing(was_launched) : 0);
    if (o.lists_kernels)
        print_kernels();
    printf("every_kernel: %lld cases, %lld wrong, %lld not run; %d kernels, %lld launches, kernels by %s, on %s (%d processors), "
           "%.1f s\n",
           (long long)o.all.n_cases, (long long)o.all.n_failed, (long long)o.all.n_skipped, n_launched, (long long)n_launches,
           gp_cuda_kernels_kind(), name, n_processors, seconds_now() - start);
    for (int i = 0; i < n_launched; i++)
        free(launched[i]);
    if (o.all.n_cases == 0)
        return NOTHING_RAN;
    return o.all.n_failed || n_problems ? 1 : 0;
}
