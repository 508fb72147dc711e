/* Other libraries: what a pointer is, waiting for what a producer queued, and keeping out of graphs that are captured. */
#include "check.h"
#include "emulated.h"
#include "cuda/runtime/device.h"
#include "cuda/runtime/interop.h"
#include "cuda/runtime/scratch.h"
#include "cuda/runtime/staging.h"
#include "cuda/runtime/stream.h"

#include <string.h>

static const gp_cuda_api *api;
static CUcontext primary;

/* A producer: it has loaded the driver and made the device's primary context current, as PyTorch does. */
static void begin_producer(void)
{
    gp_error error = {0};
    CHECK(gp_cuda_load(&api, &error) == GP_OK);
    CHECK(api->primaryCtxRetain(&primary, 0) == CUDA_SUCCESS && api->ctxPushCurrent(primary) == CUDA_SUCCESS);
}

static void end_producer(void)
{
    CUcontext popped;
    CHECK(emulated()->context_depth() == 1);
    CHECK(api->ctxPopCurrent(&popped) == CUDA_SUCCESS && popped == primary);
    CHECK(api->primaryCtxRelease(0) == CUDA_SUCCESS);
    emulated_check_clean();
}

/* ---- pointers ------------------------------------------------------------------------------------------------------ */

static void check_refused(uint64_t low, uint64_t high, gp_status want, const char *words)
{
    gp_cuda_memory memory = {.ordinal = 77};
    gp_error error = {0};
    CHECK(gp_cuda_inspect(low, high, -1, &memory, &error) == want && memory.ordinal == 77);
    if (strstr(error.message, words) == NULL)
        fprintf(stderr, "%s\n", error.message);
    CHECK(strstr(error.message, words) != NULL);
}

static gp_cuda_memory inspect(uint64_t low, uint64_t high, int hint)
{
    gp_cuda_memory memory = {0};
    gp_error error = {0};
    CHECK(gp_cuda_inspect(low, high, hint, &memory, &error) == GP_OK);
    return memory;
}

static void test_device_memory(void)
{
    CUdeviceptr pointer = 0;
    begin_producer();
    CHECK(api->memAlloc(&pointer, 1000) == CUDA_SUCCESS);
    gp_cuda_memory memory = inspect(pointer + 100, pointer + 1000, -1);
    CHECK(memory.pointer == pointer + 100 && memory.ordinal == 0 && !memory.is_managed && !memory.is_host);
    check_refused(pointer + 100, pointer + 1001, GP_ERR_DEVICE, "reaches 1 bytes beyond");
    CHECK(api->memFree(pointer) == CUDA_SUCCESS);
    check_refused(pointer, pointer + 1, GP_ERR_DEVICE, "no memory that CUDA knows");
    check_refused((uint64_t)(uintptr_t)&pointer, (uint64_t)(uintptr_t)&pointer + 8, GP_ERR_DEVICE, "on the host?");
    end_producer();
}

static void test_other_kinds(void)
{
    CUdeviceptr managed = 0, pooled = 0, as_device = 0;
    void *pinned = NULL;
    begin_producer();
    CHECK(emulated()->memAllocManaged(&managed, 100, 1) == CUDA_SUCCESS);
    CHECK(emulated()->memAllocAsync(&pooled, 100, CU_STREAM_LEGACY) == CUDA_SUCCESS);
    CHECK(api->memHostAlloc(&pinned, 100, CU_MEMHOSTALLOC_DEVICEMAP) == CUDA_SUCCESS);
    CHECK(api->memHostGetDevicePointer(&as_device, pinned, 0) == CUDA_SUCCESS);
    gp_cuda_memory memory = inspect(managed, managed + 100, 0);
    CHECK(memory.is_managed && !memory.is_host && memory.pointer == managed && memory.ordinal == 0);
    memory = inspect(pooled, pooled + 100, -1); /* has no context of its own */
    CHECK(!memory.is_managed && !memory.is_host && memory.pointer == pooled && memory.ordinal == 0);
    memory = inspect((uint64_t)(uintptr_t)pinned + 1, (uint64_t)(uintptr_t)pinned + 100, -1);
    CHECK(memory.is_host && !memory.is_managed && memory.pointer == as_device + 1);
    CHECK(api->memFreeHost(pinned) == CUDA_SUCCESS && api->memFree(managed) == CUDA_SUCCESS);
    CHECK(api->memFree(pooled) == CUDA_SUCCESS);
    end_producer();
}

/* PyCUDA makes contexts of its own. */
static void test_foreign_context(void)
{
    CUcontext own = NULL;
    CUdeviceptr pointer = 0;
    begin_producer();
    CHECK(emulated()->ctxCreate(&own, 0, 0) == CUDA_SUCCESS && api->memAlloc(&pointer, 100) == CUDA_SUCCESS);
    check_refused(pointer, pointer + 100, GP_ERR_UNSUPPORTED, "pycuda.autoprimaryctx");
    CHECK(api->memFree(pointer) == CUDA_SUCCESS && emulated()->ctxDestroy(own) == CUDA_SUCCESS);
    end_producer();
}

static void test_second_device(void)
{
    CUcontext other = NULL, popped;
    CUdeviceptr pointer = 0;
    begin_producer();
    CHECK(api->primaryCtxRetain(&other, 1) == CUDA_SUCCESS && api->ctxPushCurrent(other) == CUDA_SUCCESS);
    CHECK(api->memAlloc(&pointer, 100) == CUDA_SUCCESS && api->ctxPopCurrent(&popped) == CUDA_SUCCESS);
    CHECK(inspect(pointer, pointer + 100, 0).ordinal == 1); /* whatever device the producer named */
    CHECK(api->ctxPushCurrent(other) == CUDA_SUCCESS && api->memFree(pointer) == CUDA_SUCCESS);
    CHECK(api->ctxPopCurrent(&popped) == CUDA_SUCCESS && api->primaryCtxRelease(1) == CUDA_SUCCESS);
    end_producer();
}

/* A driver that answers only where a context is current. */
static void test_asking_again(void)
{
    CUdeviceptr pointer = 0;
    begin_producer();
    CHECK(api->memAlloc(&pointer, 100) == CUDA_SUCCESS);
    emulated()->fail("cuPointerGetAttributes", 1, CUDA_ERROR_INVALID_CONTEXT, 0);
    CHECK(inspect(pointer, pointer + 100, -1).pointer == pointer);
    emulated()->fail("cuPointerGetAttributes", 1, CUDA_ERROR_INVALID_VALUE, 0);
    check_refused(pointer, pointer + 100, GP_ERR_DEVICE, "cuPointerGetAttributes failed: CUDA_ERROR_INVALID_VALUE (1)");
    CHECK(api->memFree(pointer) == CUDA_SUCCESS);
    end_producer();
}

/* ---- streams ------------------------------------------------------------------------------------------------------- */

/* Reads what a producer's late write has put there. */
static uint32_t read_word(CUdeviceptr pointer)
{
    gp_cuda_device *device = NULL;
    uint32_t word = 0;
    gp_error error = {0};
    CHECK(gp_cuda_enter(0, &device, &error) == GP_OK);
    CHECK(gp_cuda_download(device, &word, pointer, sizeof word, &error) == GP_OK);
    gp_cuda_leave(device);
    return word;
}

static void check_waits(CUdeviceptr pointer, uint64_t stream, int pace)
{
    static uint32_t word = 41;
    gp_error error = {0};
    word++;
    emulated()->set_streams(pace, word);
    CHECK(emulated()->queue_write(0, stream, pointer, &word, sizeof word) == 0);
    CHECK(gp_cuda_order_after(0, stream, &error) == GP_OK);
    CHECK(read_word(pointer) == word);
}

static void test_ordering(int pace)
{
    CUdeviceptr pointer = 0;
    CUstream stream = NULL;
    begin_producer();
    CHECK(api->memAlloc(&pointer, 4) == CUDA_SUCCESS && api->streamCreate(&stream, CU_STREAM_NON_BLOCKING) == CUDA_SUCCESS);
    check_waits(pointer, 1, pace);
    check_waits(pointer, (uint64_t)(uintptr_t)stream, pace);
    CHECK(api->streamDestroy(stream) == CUDA_SUCCESS && api->memFree(pointer) == CUDA_SUCCESS);
    end_producer();
}

/* A stream of device 1, after which device 0 is to work. */
static void test_ordering_across_devices(int pace)
{
    CUcontext other = NULL, popped;
    CUdeviceptr pointer = 0;
    CUstream stream = NULL;
    gp_cuda_device *device = NULL;
    uint32_t word = 4711, found = 0;
    gp_error error = {0};
    begin_producer();
    CHECK(api->primaryCtxRetain(&other, 1) == CUDA_SUCCESS && api->ctxPushCurrent(other) == CUDA_SUCCESS);
    CHECK(api->memAlloc(&pointer, 4) == CUDA_SUCCESS && api->streamCreate(&stream, CU_STREAM_NON_BLOCKING) == CUDA_SUCCESS);
    CHECK(api->ctxPopCurrent(&popped) == CUDA_SUCCESS);
    emulated()->set_streams(pace, 5);
    CHECK(emulated()->queue_write(1, (uint64_t)(uintptr_t)stream, pointer, &word, sizeof word) == 0);
    CHECK(gp_cuda_order_after(0, (uint64_t)(uintptr_t)stream, &error) == GP_OK);
    CHECK(gp_cuda_enter(0, &device, &error) == GP_OK && gp_cuda_wait(device, &error) == GP_OK);
    gp_cuda_leave(device);
    CHECK(emulated()->peek(pointer, &found, sizeof found) == 0 && found == word);
    CHECK(api->ctxPushCurrent(other) == CUDA_SUCCESS && api->streamDestroy(stream) == CUDA_SUCCESS);
    CHECK(api->memFree(pointer) == CUDA_SUCCESS && api->ctxPopCurrent(&popped) == CUDA_SUCCESS);
    CHECK(api->primaryCtxRelease(1) == CUDA_SUCCESS);
    end_producer();
}

/* An order that nobody asked for must not be there: the test above could not fail otherwise. */
static void test_no_order(void)
{
    CUdeviceptr pointer = 0;
    uint32_t word = 4711;
    gp_error error = {0};
    begin_producer();
    CHECK(api->memAlloc(&pointer, 4) == CUDA_SUCCESS);
    emulated()->set_streams(PACE_LATE, 1);
    CHECK(emulated()->queue_write(0, 1, pointer, &word, sizeof word) == 0);
    CHECK(read_word(pointer) != word);
    CHECK(gp_cuda_synchronize(0, &error) == GP_OK && emulated()->pending() == 0);
    CHECK(read_word(pointer) == word);
    CHECK(api->memFree(pointer) == CUDA_SUCCESS);
    end_producer();
}

static void check_capture_refused(gp_status status, const gp_error *error)
{
    CHECK(status == GP_ERR_DEVICE);
    CHECK(strstr(error->message, "capturing a CUDA graph") != NULL);
}

/* Refused before anything is queued or allocated: the user's capture goes on. */
static void test_capture(unsigned flags)
{
    CUstream stream = NULL;
    void *graph = NULL;
    uint64_t handle;
    gp_error error = {0};
    begin_producer();
    CHECK(gp_cuda_stream_handle(0, &handle, &error) == GP_OK && handle > 2);
    CHECK(api->streamCreate(&stream, flags) == CUDA_SUCCESS);
    uint64_t captured = (uint64_t)(uintptr_t)stream;
    CHECK(gp_cuda_refuse_capture(0, captured, &error) == GP_OK && gp_cuda_refuse_capture(0, 2, &error) == GP_OK);
    CHECK(emulated()->streamBeginCapture(stream, 0) == CUDA_SUCCESS);
    check_capture_refused(gp_cuda_order_after(0, captured, &error), &error);
    check_capture_refused(gp_cuda_refuse_capture(0, captured, &error), &error);
    if (flags != CU_STREAM_NON_BLOCKING) { /* the legacy stream cannot even be asked: 906 */
        check_capture_refused(gp_cuda_order_after(0, 1, &error), &error);
        check_capture_refused(gp_cuda_synchronize(0, &error), &error);
    }
    CHECK(emulated()->streamEndCapture(stream, &graph) == CUDA_SUCCESS);
    CHECK(gp_cuda_order_after(0, captured, &error) == GP_OK);
    CHECK(gp_cuda_order_after(0, 0, &error) == GP_ERR_VALUE && strstr(error.message, "ambiguous") != NULL);
    CHECK(api->streamDestroy(stream) == CUDA_SUCCESS);
    end_producer();
}

/* This thread captures on some stream while a tensor of another one is drawn: our allocations leave the capture alone. */
static void test_work_beside_a_capture(void)
{
    CUstream stream = NULL;
    CUdeviceptr pointer = 0;
    gp_cuda_device *device = NULL;
    char bytes[100] = "bytes";
    void *graph = NULL;
    gp_error error = {0};
    begin_producer();
    CHECK(api->streamCreate(&stream, CU_STREAM_NON_BLOCKING) == CUDA_SUCCESS);
    CHECK(emulated()->streamBeginCapture(stream, 0) == CUDA_SUCCESS);
    CHECK(gp_cuda_enter(0, &device, &error) == GP_OK);
    CHECK(gp_cuda_scratch(device, GP_SLOT_STATES, sizeof bytes, &pointer, &error) == GP_OK);
    CHECK(gp_cuda_upload(device, pointer, bytes, sizeof bytes, &error) == GP_OK);
    CHECK(gp_cuda_download(device, bytes, pointer, sizeof bytes, &error) == GP_OK);
    gp_cuda_leave(device);
    CHECK(emulated()->streamEndCapture(stream, &graph) == CUDA_SUCCESS);
    CHECK(api->streamDestroy(stream) == CUDA_SUCCESS);
    end_producer();
}

int main(void)
{
    emulated();
    test_device_memory();
    test_other_kinds();
    test_foreign_context();
    test_second_device();
    test_asking_again();
    for (int pace = 0; pace < N_PACES; pace++)
        test_ordering(pace);
    for (int pace = 0; pace < N_PACES; pace++)
        test_ordering_across_devices(pace);
    test_no_order();
    test_capture(CU_STREAM_NON_BLOCKING);
    test_capture(0);
    test_work_beside_a_capture();
    return 0;
}
