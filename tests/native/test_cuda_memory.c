/* Device memory: scratch grows, is bounded and used again; cells are kept for the next cells, oldest given up first. */
#include "check.h"
#include "emulated.h"
#include "cuda/runtime/cells.h"
#include "cuda/runtime/cells_memory.h"
#include "cuda/runtime/device.h"
#include "cuda/runtime/runtime.h"
#include "cuda/runtime/scratch.h"
#include "cuda/runtime/staging.h"

#include <stdlib.h>
#include <string.h>

static const size_t MB = (size_t)1 << 20;

static gp_cuda_device *enter(void)
{
    gp_cuda_device *device = NULL;
    gp_error error = {0};
    CHECK(gp_cuda_enter(0, &device, &error) == GP_OK);
    return device;
}

static CUdeviceptr scratch(gp_cuda_device *device, gp_cuda_slot slot, size_t n_bytes)
{
    CUdeviceptr pointer = 0;
    gp_error error = {0};
    CHECK(gp_cuda_scratch(device, slot, n_bytes, &pointer, &error) == GP_OK && pointer != 0);
    return pointer;
}

static gp_cuda_counts count(void)
{
    gp_cuda_counts counts;
    gp_error error = {0};
    CHECK(gp_cuda_count(0, &counts, &error) == GP_OK);
    return counts;
}

/* With memory pools, or as devices are that have none: EMU_POOLS=0. */
static bool has_pools(void)
{
    const char *told = getenv("EMU_POOLS");
    return told == NULL || strcmp(told, "0") != 0;
}

/* The call by which memory is given back. */
static const char *freeing(void) { return has_pools() ? "cuMemFreeAsync" : "cuMemFree_v2"; }

static void test_scratch_is_used_again(void)
{
    gp_cuda_device *device = enter();
    CUdeviceptr axes = scratch(device, GP_SLOT_AXES, 1000), states = scratch(device, GP_SLOT_STATES, 5 * MB);
    CHECK(axes != states && scratch(device, GP_SLOT_AXES, 10) == axes && scratch(device, GP_SLOT_STATES, 5 * MB) == states);
    gp_cuda_leave(device);
    CHECK(count().n_device_allocs == 2);
    device = enter();
    CHECK(scratch(device, GP_SLOT_AXES, 1001) == axes); /* a little more fits too */
    (void)scratch(device, GP_SLOT_STATES, 6 * MB);
    CHECK(scratch(device, GP_SLOT_PIXELS, 0) != 0);
    gp_cuda_leave(device);
    CHECK(count().n_device_allocs == 4 && count().scratch_bytes >= (int64_t)(6 * MB + 1000) &&
          count().scratch_bytes < (int64_t)(7 * MB));
    emulated_check_clean();
}

static void test_scratch_is_bounded(void)
{
    gp_cuda_device *device = enter();
    CUdeviceptr pointer = 0;
    gp_error error = {0};
    (void)scratch(device, GP_SLOT_PIXELS, 40 * MB);
    CHECK(gp_cuda_scratch(device, GP_SLOT_STATES, 30 * MB, &pointer, &error) == GP_ERR_DEVICE && pointer == 0);
    CHECK(strstr(error.message, "internal") != NULL && gp_cuda_is_out_of_memory(&error));
    CHECK(gp_cuda_scratch(device, GP_SLOT_STATES, (size_t)-1, &pointer, &error) == GP_ERR_DEVICE && pointer == 0);
    (void)scratch(device, GP_SLOT_STATES, 24 * MB); /* exactly full */
    gp_cuda_leave(device);
    device = enter();
    (void)scratch(device, GP_SLOT_GATHER, 64 * MB); /* what the work before left makes room */
    CHECK(gp_cuda_scratch(device, GP_SLOT_AXES, 1, &pointer, &error) == GP_ERR_DEVICE);
    gp_cuda_leave(device);
    CHECK(count().scratch_bytes == (int64_t)(64 * MB));
    emulated_check_clean();
}

/* Growing waits for what is queued: the old piece may be in use. */
static void test_growing_waits(void)
{
    gp_cuda_device *device = enter();
    gp_error error = {0};
    char bytes[100] = "abc", back[100];
    emulated()->set_streams(PACE_LATE, 1);
    CUdeviceptr small = scratch(device, GP_SLOT_STYLE, sizeof bytes);
    CHECK(gp_cuda_upload(device, small, bytes, sizeof bytes, &error) == GP_OK);
    (void)scratch(device, GP_SLOT_STYLE, 10 * MB);
    CUdeviceptr other = scratch(device, GP_SLOT_AXES, sizeof bytes);
    CHECK(gp_cuda_upload(device, other, bytes, sizeof bytes, &error) == GP_OK);
    CHECK(gp_cuda_download(device, back, other, sizeof back, &error) == GP_OK && memcmp(bytes, back, sizeof back) == 0);
    gp_cuda_leave(device);
    emulated_check_clean();
}

static CUdeviceptr cells(size_t n_bytes)
{
    gp_cuda_device *device = enter();
    CUdeviceptr pointer = 0;
    gp_error error = {0};
    CHECK(gp_cuda_cells_alloc(device, n_bytes, &pointer, &error) == GP_OK && pointer != 0);
    gp_cuda_leave(device);
    return pointer;
}

static void test_cells_are_kept(void)
{
    CUdeviceptr first = cells(8 * MB), second = cells(8 * MB);
    CHECK(first != second && count().n_device_allocs == 2);
    gp_cuda_cells_free(0, first);
    gp_cuda_cells_free(0, first); /* again: nothing */
    gp_cuda_cells_free(1, second); /* of a device that nobody used: nothing */
    gp_cuda_cells_free(0, first + 8); /* no block begins there: nothing */
    CHECK(count().cached_cells_bytes == (int64_t)(8 * MB));
    CHECK(cells(8 * MB - 100) == first && count().cached_cells_bytes == 0);
    CHECK(count().n_device_allocs == 2);
    gp_cuda_cells_free(0, first);
    CHECK(cells(1 * MB) != first); /* too large a block for that */
    gp_cuda_close();               /* second and the last one are still in use: given back, too */
    gp_cuda_cells_free(0, second);
    emulated_check_clean();
}

static void test_kept_cells_are_bounded(void)
{
    CUdeviceptr blocks[10];
    for (int i = 0; i < 10; i++)
        blocks[i] = cells(10 * MB);
    for (int i = 0; i < 10; i++)
        gp_cuda_cells_free(0, blocks[i]);
    CHECK(count().cached_cells_bytes == (int64_t)(60 * MB) && emulated_count(freeing()) == 4);
    int n_found = 0;
    for (int i = 0; i < 6; i++) {
        CUdeviceptr again = cells(10 * MB);
        for (int k = 4; k < 10; k++) /* the first four were given up */
            n_found += again == blocks[k];
        CHECK(count().n_device_allocs == 10);
    }
    CHECK(n_found == 6);
    gp_cuda_cells_free(0, cells(100 * MB)); /* more than may be kept: given back at once */
    CHECK(emulated_count(freeing()) == 5 && count().cached_cells_bytes == 0);
    emulated_check_clean();
}

/* A finalizer runs while the device is in use: it must not wait, and the device's user tidies on leaving. */
static void test_cells_freed_inside(void)
{
    CUdeviceptr big = cells(100 * MB);
    gp_cuda_device *device = enter();
    gp_cuda_cells_free(0, big);
    CHECK(emulated_count(freeing()) == 0);
    gp_cuda_leave(device);
    CHECK(emulated_count(freeing()) == 1);
    emulated_check_clean();
}

/* More cells than are kept, made and given back again and again, by finalizers, too: no call that waits for the device. */
static void test_memory_of_the_pool_waits_for_nothing(void)
{
    cells(1);
    for (int i = 0; i < 5; i++) {
        gp_cuda_cells_free(0, cells(100 * MB));
        gp_cuda_device *device = enter();
        (void)scratch(device, GP_SLOT_STATES, (size_t)(i + 1) * 8 * MB);
        gp_cuda_leave(device);
    }
    int n_waits = (int)(emulated_count("cuStreamSynchronize") + emulated_count("cuCtxSynchronize"));
    int n_of_driver = (int)(emulated_count("cuMemAlloc_v2") + emulated_count("cuMemFree_v2"));
    CHECK(has_pools() ? n_waits == 0 && n_of_driver == 0 : n_waits == 5 && n_of_driver > 0);
    CHECK(emulated_count("cuMemAllocFromPoolAsync") == (has_pools() ? 11 : 0));
    emulated_check_clean();
}

/* A driver that has the calls, and makes no pool or does not let it be bounded: memory is had all the same. */
static void test_pools_that_cannot_be_made(void)
{
    static const char *const calls[] = {"cuMemPoolCreate", "cuMemPoolSetAttribute"};
    for (int i = 0; i < 2; i++) {
        emulated()->fail(calls[i], 1, CUDA_ERROR_INVALID_VALUE, 0);
        gp_cuda_cells_free(0, cells(1 * MB));
        CHECK(emulated_count("cuMemAllocFromPoolAsync") == 0 && emulated_count("cuMemAlloc_v2") == 1);
        emulated()->fail_clear();
        emulated_check_clean();
    }
}

static void test_out_of_memory(void)
{
    CUdeviceptr kept = cells(30 * MB), pointer = 0;
    gp_error error = {0};
    gp_cuda_cells_free(0, kept);
    emulated()->set_memory_limit(0, 50 * MB);
    gp_cuda_device *device = enter();
    (void)scratch(device, GP_SLOT_STATES, 40 * MB); /* only without what was kept */
    CHECK(gp_cuda_scratch(device, GP_SLOT_PIXELS, 20 * MB, &pointer, &error) == GP_ERR_DEVICE);
    CHECK(gp_cuda_is_out_of_memory(&error) && strstr(error.message, " failed: CUDA_ERROR_OUT_OF_MEMORY (2)"));
    (void)scratch(device, GP_SLOT_PIXELS, 5 * MB); /* less: as the caller would try */
    CHECK(gp_cuda_cells_alloc(device, 20 * MB, &pointer, &error) == GP_ERR_DEVICE && gp_cuda_is_out_of_memory(&error));
    CHECK(gp_cuda_cells_alloc(device, (size_t)-1, &pointer, &error) == GP_ERR_OVERFLOW);
    gp_cuda_leave(device);
    CHECK(count().cached_cells_bytes == 0);
    emulated_check_clean();
}

int main(void)
{
    emulated();
    test_scratch_is_used_again();
    test_scratch_is_bounded();
    test_growing_waits();
    test_cells_are_kept();
    test_kept_cells_are_bounded();
    test_cells_freed_inside();
    test_memory_of_the_pool_waits_for_nothing();
    test_pools_that_cannot_be_made();
    test_out_of_memory();
    return 0;
}
