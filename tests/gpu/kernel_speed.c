/* How fast the kernels of the CUDA backend read a large plane: time on the device of each operation and dtype. */
#define _GNU_SOURCE
#include "kernels/memory.h"

#include "../../native/core/tensor/dlpack_abi.h"
#include "cuda/runtime/device.h"
#include "cuda/runtime/interop.h"
#include "cuda/runtime/stream.h"

#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * usage: kernel_speed [--side N] [--rows N] [--cols N] [--only OPERATION] [--dtype NAME] [--rounds N]
 *
 *   --side N     a plane of N x N elements (default 16384)
 *   --rows, --cols   of the grid of cells (default 800 x 1000)
 *   --rounds N   the best of so many (default 12)
 *
 * A line for each operation and dtype: its best time between two events on gpuplot's stream, with what is copied up for it,
 * and bytes of the plane a second. Elements are normal numbers.
 * Status 77 without a device.
 */

enum { PATTERN_BYTES = 1 << 24, NO_DEVICE = 77 };

typedef struct options {
    int64_t side, n_rows, n_cols;
    const char *only, *dtype;
    int n_rounds;
} options;

typedef struct bench {
    const options *options;
    CUdeviceptr block;
    gp_plane plane;
    gp_axis rows, cols;
    gp_cells cells;
    CUevent begin, end;
} bench;

typedef CUresult (*elapsed_fn)(float *, CUevent, CUevent);
static elapsed_fn elapsed;

/* ---- elements ----------------------------------------------------------------------------------------------------------- */

/* Normal numbers, by the sum of twelve uniform ones. */
static double normal(uint64_t *state)
{
    double sum = -6;
    for (int i = 0; i < 12; i++) {
        *state = *state * 6364136223846793005u + 1442695040888963407u;
        sum += (double)(*state >> 11) / 9007199254740992.0;
    }
    return sum;
}

/* The bits of the upper half of a float32 are bfloat16's; those of float16 between 2^-14 and 2^15 are moved into place. */
static uint16_t f16_from(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    if (fabsf(x) < 6.2e-5f)
        return 0;
    return (uint16_t)((bits >> 16 & 0x8000u) | ((bits >> 13 & 0x3ffffu) - ((127 - 15) << 10)));
}

static void put(gp_dtype dtype, double x, int64_t i, void *out)
{
    float single = (float)x;
    switch (dtype) {
    case GP_F64: ((double *)out)[i] = x; return;
    case GP_F32: ((float *)out)[i] = single; return;
    case GP_F16: ((uint16_t *)out)[i] = f16_from(single); return;
    case GP_BF16: memcpy((uint16_t *)out + i, (char *)&single + 2, 2); return;
    case GP_I32: ((int32_t *)out)[i] = (int32_t)(x * 1e6); return;
    case GP_I64: ((int64_t *)out)[i] = (int64_t)(x * 1e12); return;
    case GP_I16: ((int16_t *)out)[i] = (int16_t)(x * 1e3); return;
    default: ((uint8_t *)out)[i] = (uint8_t)(0x38 + (int)(x * 4)); return; /* uint8, and numbers about 1 of float8 */
    }
}

/* The same 16 MB again and again. */
static gp_status fill(CUdeviceptr block, size_t n_bytes, gp_dtype dtype, gp_error *error)
{
    gp_cuda_device *device;
    uint64_t state = 1;
    void *pattern = malloc(PATTERN_BYTES);
    if (pattern == NULL)
        return gp_fail(error, GP_ERR_MEMORY, "no memory for a pattern");
    for (int64_t i = 0; i < PATTERN_BYTES / gp_dtype_size_bytes(dtype); i++)
        put(dtype, normal(&state), i, pattern);
    gp_status status = gp_cuda_enter(0, &device, error);
    for (size_t at = 0; status == GP_OK && at < n_bytes; at += PATTERN_BYTES) {
        size_t n = n_bytes - at < PATTERN_BYTES ? n_bytes - at : PATTERN_BYTES;
        status = gp_cuda_check(gp_cuda_api_of(device)->memcpyHtoDAsync(block + at, pattern, n, gp_cuda_stream(device)),
                               "cuMemcpyHtoDAsync", error);
    }
    if (status == GP_OK)
        status = gp_cuda_wait(device, error);
    gp_cuda_leave(device);
    free(pattern);
    return status;
}

/* ---- operations --------------------------------------------------------------------------------------------------------- */

static gp_status reduce(bench *b, gp_agg agg, unsigned want, gp_error *error)
{
    gp_reduce_options wanted = {.agg = agg, .nan = GP_NAN_SHOW, .want = want};
    gp_limits_state limits;
    return gp_cuda_backend.reduce(&b->plane, &b->rows, &b->cols, &wanted, &b->cells, want ? &limits : NULL, error);
}

static gp_status mean(bench *b, gp_error *error) { return reduce(b, GP_AGG_MEAN, 0, error); }
static gp_status mean_and_limits(bench *b, gp_error *error) { return reduce(b, GP_AGG_MEAN, GP_WANT_RANGE, error); }
static gp_status max(bench *b, gp_error *error) { return reduce(b, GP_AGG_MAX, 0, error); }
static gp_status std(bench *b, gp_error *error) { return reduce(b, GP_AGG_STD, 0, error); }

static gp_status limits(bench *b, gp_error *error)
{
    gp_limits_state state;
    return gp_cuda_backend.limits(&b->plane, GP_WANT_RANGE | GP_WANT_POSITIVE | GP_WANT_COUNTS, &state, error);
}

static gp_status summarize(bench *b, gp_error *error)
{
    gp_summary_state state;
    return gp_cuda_backend.summarize(&b->plane, &state, error);
}

static gp_status histogram(bench *b, gp_error *error)
{
    enum { N_BINS = 64 };
    double edges[N_BINS + 1];
    int64_t counts[N_BINS];
    for (int i = 0; i <= N_BINS; i++)
        edges[i] = -4 + 8.0 * i / N_BINS;
    return gp_cuda_backend.histogram(&b->plane, edges, N_BINS, NULL, counts, error);
}

static gp_status percentiles(bench *b, gp_error *error)
{
    double out[2];
    return gp_cuda_backend.percentiles(&b->plane, (double[]){2, 98}, 2, false, out, error);
}

static const struct {
    const char *name;
    gp_status (*run)(bench *b, gp_error *error);
} operations[] = {{"mean", mean},
                  {"mean and limits", mean_and_limits},
                  {"max", max},
                  {"std", std},
                  {"limits", limits},
                  {"summarize", summarize},
                  {"histogram", histogram},
                  {"percentiles", percentiles}};

static const struct {
    const char *name;
    gp_dtype dtype;
} dtypes[] = {{"float32", GP_F32}, {"float16", GP_F16}, {"bfloat16", GP_BF16}, {"uint8", GP_U8},
              {"int16", GP_I16},   {"int32", GP_I32},   {"float64", GP_F64},   {"float8_e4m3fn", GP_F8_E4M3FN}};

/* ---- time --------------------------------------------------------------------------------------------------------------- */

static gp_status record(CUevent event, gp_error *error)
{
    gp_cuda_device *device;
    GP_TRY(gp_cuda_enter(0, &device, error));
    gp_status status = gp_cuda_check(gp_cuda_api_of(device)->eventRecord(event, gp_cuda_stream(device)), "cuEventRecord", error);
    gp_cuda_leave(device);
    return status;
}

/* Milliseconds on the device, the best of some rounds after one that nobody looks at. */
static gp_status best_of(bench *b, size_t operation, double *out, gp_error *error)
{
    *out = INFINITY;
    for (int round = 0; round <= b->options->n_rounds; round++) {
        float ms = 0;
        GP_TRY(record(b->begin, error));
        GP_TRY(operations[operation].run(b, error));
        GP_TRY(record(b->end, error));
        GP_TRY(gp_cuda_synchronize(0, error));
        elapsed(&ms, b->begin, b->end);
        *out = round > 0 && ms < *out ? ms : *out;
    }
    return GP_OK;
}

static gp_status measure_dtype(bench *b, gp_dtype dtype, const char *name, gp_error *error)
{
    const options *o = b->options;
    int64_t item = gp_dtype_size_bytes(dtype);
    size_t n_bytes = (size_t)(o->side * o->side * item);
    GP_TRY(fill(b->block, n_bytes, dtype, error));
    b->plane = (gp_plane){.data = (const void *)(uintptr_t)b->block,
                          .dtype = dtype,
                          .device = {GP_DL_CUDA, 0},
                          .n_rows = o->side,
                          .n_cols = o->side,
                          .row_stride_bytes = o->side * item,
                          .col_stride_bytes = item};
    for (size_t i = 0; i < sizeof operations / sizeof *operations; i++) {
        double ms;
        if (o->only != NULL && strcmp(o->only, operations[i].name) != 0)
            continue;
        GP_TRY(best_of(b, i, &ms, error));
        printf("%-16s %-14s %8.3f ms %8.0f GB/s\n", operations[i].name, name, ms, (double)n_bytes / ms / 1e6);
        fflush(stdout);
    }
    return GP_OK;
}

static gp_status measure(bench *b, gp_error *error)
{
    const options *o = b->options;
    gp_cuda_device *device;
    GP_TRY(memory_upload(NULL, (size_t)(o->side * o->side) * sizeof(double), &b->block, error));
    GP_TRY(gp_axis_fit(o->side, 0, (double)o->side, o->n_rows, GP_TIE_UP, GP_REGIME_BY_WIDTH, &b->rows, error));
    GP_TRY(gp_axis_fit(o->side, 0, (double)o->side, o->n_cols, GP_TIE_UP, GP_REGIME_BY_WIDTH, &b->cols, error));
    GP_TRY(memory_cells(o->n_rows, o->n_cols, &b->cells, error));
    GP_TRY(gp_cuda_enter(0, &device, error));
    CUresult code = gp_cuda_api_of(device)->eventCreate(&b->begin, 0);
    if (code == CUDA_SUCCESS)
        code = gp_cuda_api_of(device)->eventCreate(&b->end, 0);
    gp_cuda_leave(device);
    GP_TRY_CUDA(code, "cuEventCreate", error);
    for (size_t i = 0; i < sizeof dtypes / sizeof *dtypes; i++)
        if (o->dtype == NULL || strcmp(o->dtype, dtypes[i].name) == 0)
            GP_TRY(measure_dtype(b, dtypes[i].dtype, dtypes[i].name, error));
    return GP_OK;
}

/* ---- the command line --------------------------------------------------------------------------------------------------- */

static bool take(options *o, const char *name, const char *value)
{
    int64_t number = strtoll(value, NULL, 10);
    if (strcmp(name, "--side") == 0)
        o->side = number;
    else if (strcmp(name, "--rows") == 0)
        o->n_rows = number;
    else if (strcmp(name, "--cols") == 0)
        o->n_cols = number;
    else if (strcmp(name, "--rounds") == 0)
        o->n_rounds = (int)number;
    else if (strcmp(name, "--only") == 0)
        o->only = value;
    else if (strcmp(name, "--dtype") == 0)
        o->dtype = value;
    else
        return false;
    return true;
}

int main(int argc, char **argv)
{
    options o = {.side = 16384, .n_rows = 800, .n_cols = 1000, .n_rounds = 12};
    bench b = {.options = &o};
    gp_error error = {0};
    for (int i = 1; i < argc; i += 2)
        if (i + 1 == argc || !take(&o, argv[i], argv[i + 1])) {
            fprintf(stderr, "kernel_speed: %s? See the first lines of kernel_speed.c\n", argv[i]);
            return 2;
        }
    void *driver = dlopen("libcuda.so.1", RTLD_NOW);
    elapsed = driver == NULL ? NULL : (elapsed_fn)(uintptr_t)dlsym(driver, "cuEventElapsedTime");
    if (elapsed == NULL) {
        fprintf(stderr, "kernel_speed: no CUDA driver\n");
        return NO_DEVICE;
    }
    if (measure(&b, &error) == GP_OK)
        return 0;
    fprintf(stderr, "kernel_speed: %s\n", error.message);
    return 1;
}
