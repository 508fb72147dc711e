/* One CUDA device and many threads: its first use, draws, transfers, cells that others free, pinned memory, and closing meanwhile. */
#define _GNU_SOURCE
#include "at_once.h"
#include "check.h"
#include "draws.h"

#include "cuda/cuda.h"
#include "cuda/runtime/interop.h"
#include "cuda/runtime/module.h"
#include "cuda/runtime/runtime.h"
#include "cuda/runtime/nvrtc.h"
#include "cuda/runtime/pinned.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <string.h>

enum { N_DRAWERS = 3, N_OTHERS = 4, N_ROUNDS = 200, N_ROWS = 600, N_COLS = 900, N_CLOSES = 100, N_MAILBOXES = 4 };

typedef struct stub_api {
    long long (*n_objects)(void);
    int (*context_depth)(void);
    CUresult (*init)(unsigned flags);
    CUresult (*retain)(CUcontext *context, CUdevice device);
    CUresult (*release)(CUdevice device);
    CUresult (*push)(CUcontext context);
    CUresult (*pop)(CUcontext *context);
    CUresult (*memAlloc)(CUdeviceptr *pointer, size_t n_bytes);
    CUresult (*memFree)(CUdeviceptr pointer);
} stub_api;

typedef struct scene {
    gp_tensor tensor;
    _Atomic(gp_cells *) mailboxes[N_MAILBOXES]; /* cells on their way to a thread that frees them */
    atomic_int n_drawers_left;
} scene;

static stub_api stub;
static bool is_emulated; /* kernels run, one after the other: fewer rounds do */

#define FIND(field, name)                                                                                                        \
    symbol = dlsym(library, name);                                                                                               \
    memcpy(&stub.field, &symbol, sizeof symbol);                                                                                 \
    is_found = is_found && symbol != NULL;

static void find_stub(void)
{
    void *library = dlopen(getenv("GPUPLOT_CUDA_DRIVER"), RTLD_NOW | RTLD_LOCAL), *symbol;
    CHECK(library != NULL);
    bool is_found = true;
    FIND(n_objects, "stub_n_objects")
    is_emulated = !is_found;
    is_found = true;
    FIND(context_depth, is_emulated ? "emu_context_depth" : "stub_context_depth")
    FIND(init, "cuInit")
    FIND(retain, "cuDevicePrimaryCtxRetain")
    FIND(release, "cuDevicePrimaryCtxRelease_v2")
    FIND(push, "cuCtxPushCurrent_v2")
    FIND(pop, "cuCtxPopCurrent_v2")
    FIND(memAlloc, "cuMemAlloc_v2")
    FIND(memFree, "cuMemFree_v2")
    CHECK(is_found);
}

/* ---- what threads do --------------------------------------------------------------------------------------------------- */

static void post(scene *s, int k, gp_cells *cells)
{
    gp_cells *before = atomic_exchange(&s->mailboxes[k], cells);
    if (before != NULL)
        gp_cuda_backend.cells_free(before);
    free(before);
}

static void draw(scene *s, int k, draw_results *out)
{
    gp_plane plane = draw_plane(&s->tensor);
    gp_cells *cells = malloc(sizeof *cells);
    CHECK(cells != NULL);
    *cells = draw_cells(&gp_cuda_backend, &plane, (gp_agg)(k % GP_N_AGGS));
    draw_shade(&gp_cuda_backend, cells, out);
    draw_cells_of_cells(&gp_cuda_backend, cells, out);
    draw_elements_into_cells(&gp_cuda_backend, &plane, out);
    post(s, k % N_MAILBOXES, cells);
}

/* What holds no memory of gpuplot's between two calls, so that another thread may close the device. */
static void ask(scene *s, draw_results *out, float *array)
{
    gp_plane plane = draw_plane(&s->tensor);
    draw_facts(&gp_cuda_backend, &plane, false, out);
    draw_series(&gp_cuda_backend, &plane, out);
    draw_slices(&gp_cuda_backend, &s->tensor, is_emulated, out);
    draw_elements(&gp_cuda_backend, &plane, array);
    draw_array(&gp_cuda_backend, &s->tensor, array);
}

static void use_pinned(int k)
{
    void *memory = NULL;
    gp_error error = {0};
    size_t n_bytes = (size_t)(1 + k % 7) << 18;
    CHECK(gp_cuda_pinned_alloc(0, n_bytes, &memory, &error) == GP_OK);
    if (memory != NULL)
        memset(memory, k, n_bytes);
    gp_cuda_pinned_free(memory);
}

static void look(int k)
{
    char folders[64];
    gp_error error = {0};
    gp_cuda_counts counts;
    uint64_t stream;
    snprintf(folders, sizeof folders, "/nowhere/%d:", k);
    gp_cuda_set_nvrtc_folders(folders);
    CHECK(gp_cuda_count(0, &counts, &error) == GP_OK && counts.pinned_live_bytes >= 0);
    CHECK(gp_cuda_stream_handle(0, &stream, &error) == GP_OK);
    CHECK(gp_cuda_order_after(0, 1, &error) == GP_OK && gp_cuda_synchronize(0, &error) == GP_OK);
    CHECK(gp_cuda_nvrtc_version() >= 0 && strcmp(gp_cuda_kernels_kind(), "none") != 0);
}

/* ---- phases -------------------------------------------------------------------------------------------------------------- */

/* Threads that draw, and others that free what these drew and use all the rest as long as there is somebody who draws. */
static void draw_and_free(void *context, int k)
{
    scene *s = context;
    draw_results *got = calloc(1, sizeof *got);
    float *array = malloc(sizeof(float) * N_ROWS * N_COLS);
    CHECK(got != NULL && array != NULL);
    for (int i = 0; k < N_DRAWERS && i < (is_emulated ? 2 : N_ROUNDS); i++) {
        draw(s, k + i, got);
        if (i % 8 == k)
            ask(s, got, array);
    }
    atomic_fetch_sub(&s->n_drawers_left, k < N_DRAWERS);
    for (int i = 0; atomic_load(&s->n_drawers_left) > 0; i++) {
        post(s, i % N_MAILBOXES, NULL);
        use_pinned(i + k);
        look(i);
    }
    CHECK(stub.context_depth() == 0);
    free(got);
    free(array);
}

static void ask_and_close(void *context, int k)
{
    scene *s = context;
    draw_results *got = calloc(1, sizeof *got);
    float *array = malloc(sizeof(float) * N_ROWS * N_COLS);
    CHECK(got != NULL && array != NULL);
    for (int i = 0; i < (is_emulated ? 5 : N_CLOSES); i++) {
        if (k == 0)
            gp_cuda_close();
        else if (k == 1 && i % 8 == 0)
            ask(s, got, array);
        else
            look(i), use_pinned(i);
    }
    CHECK(stub.context_depth() == 0);
    free(got);
    free(array);
}

int main(void)
{
    static scene s;
    CUdeviceptr memory = 0;
    CUcontext context;
    find_stub();
    CHECK(stub.init(0) == 0 && stub.retain(&context, 0) == 0 && stub.push(context) == 0);
    CHECK(stub.memAlloc(&memory, sizeof(float) * N_ROWS * N_COLS) == 0 && stub.pop(&context) == 0);
    s.tensor = (gp_tensor){.data = (const void *)(uintptr_t)memory,
                           .dtype = GP_F32,
                           .device = {GP_DL_CUDA, 0},
                           .n_dims = 2,
                           .shape = {N_ROWS, N_COLS},
                           .strides_bytes = {N_COLS * sizeof(float), sizeof(float)}};
    gp_threads_limit(3);
    atomic_store(&s.n_drawers_left, N_DRAWERS);
    run_at_once(N_DRAWERS + N_OTHERS, draw_and_free, &s); /* it is their first use of the device, too */
    for (int k = 0; k < N_MAILBOXES; k++)
        post(&s, k, NULL);
    run_at_once(5, ask_and_close, &s);
    gp_cuda_close();
    gp_cuda_set_nvrtc_folders(NULL);
    CHECK(stub.push(context) == 0 && stub.memFree(memory) == 0 && stub.pop(&context) == 0 && stub.release(0) == 0);
    long long n_left = is_emulated ? 0 : stub.n_objects();
    if (n_left != 0)
        fprintf(stderr, "%lld objects of the driver are left\n", n_left);
    CHECK(n_left == 0);
    return 0;
}
