/* Devices: entering and leaving balance, every call may fail, broken contexts say so, threads share one state. */
#include "check.h"
#include "emulated.h"
#include "cuda/runtime/cells.h"
#include "cuda/runtime/cells_memory.h"
#include "cuda/runtime/device.h"
#include "cuda/runtime/runtime.h"
#include "cuda/runtime/scratch.h"
#include "cuda/runtime/staging.h"
#include "cuda/runtime/stream.h"

#include <pthread.h>
#include <string.h>

static void test_enter(void)
{
    gp_cuda_device *device = NULL, *other = NULL;
    gp_error error = {0};
    CHECK(gp_cuda_enter(1, &device, &error) == GP_OK);
    CHECK(emulated()->context_depth() == 1 && gp_cuda_stream(device) != NULL);
    CHECK(gp_cuda_n_processors(device) > 0 && gp_cuda_wanted_blocks(device) == 8 * gp_cuda_n_processors(device));
    CHECK(gp_cuda_enter(0, &other, &error) == GP_ERR_DEVICE && strstr(error.message, "internal") != NULL);
    gp_cuda_leave(device);
    CHECK(emulated()->context_depth() == 0);
    CHECK(emulated_count("cuDevicePrimaryCtxRetain") == 1); /* device 0 has nothing to do with it */
    CHECK(gp_cuda_enter(1, &device, &error) == GP_OK);
    gp_cuda_leave(device);
    CHECK(emulated_count("cuDevicePrimaryCtxRetain") == 1 && emulated_count("cuStreamCreate") == 1);
    for (int i = 0; i < 3; i++) {
        static const int wrong[] = {-1, 2, 1000};
        CHECK(gp_cuda_enter(wrong[i], &device, &error) == GP_ERR_DEVICE && strstr(error.message, "sees 2") != NULL);
    }
    emulated_check_clean();
}

/* A user's own context stays current. */
static void test_foreign_context(void)
{
    gp_cuda_device *device = NULL;
    const gp_cuda_api *api = NULL;
    CUcontext context = NULL, current = NULL;
    gp_error error = {0};
    CHECK(gp_cuda_load(&api, &error) == GP_OK);
    CHECK(emulated()->ctxCreate(&context, 0, 0) == CUDA_SUCCESS);
    CHECK(gp_cuda_enter(0, &device, &error) == GP_OK);
    gp_cuda_leave(device);
    CHECK(api->ctxGetCurrent(&current) == CUDA_SUCCESS && current == context);
    CHECK(emulated()->ctxDestroy(context) == CUDA_SUCCESS);
    emulated_check_clean();
}

/* Some of everything: what it needs must be made on the way. */
static gp_status work(gp_error *error)
{
    gp_cuda_device *device = NULL;
    CUdeviceptr scratch = 0, cells = 0;
    char bytes[100] = "bytes", back[100] = "";
    GP_TRY(gp_cuda_enter(0, &device, error));
    gp_status status = gp_cuda_scratch(device, GP_SLOT_STATES, sizeof bytes, &scratch, error);
    if (status == GP_OK)
        status = gp_cuda_cells_alloc(device, sizeof bytes, &cells, error);
    if (status == GP_OK)
        status = gp_cuda_upload(device, scratch, bytes, sizeof bytes, error);
    if (status == GP_OK)
        status = gp_cuda_download(device, back, scratch, sizeof bytes, error);
    if (status == GP_OK)
        status = gp_cuda_wait(device, error);
    gp_cuda_leave(device);
    gp_cuda_cells_free(0, cells);
    CHECK(status != GP_OK || memcmp(bytes, back, sizeof bytes) == 0);
    return status;
}

/* The nth call of the driver fails: one clean error, nothing stays current, nothing leaks, and the next time works. */
static void test_every_call_fails(int code, bool is_closed_between)
{
    int n_failed = 0;
    for (int64_t nth = 1; nth < 200; nth++) {
        gp_error error = {0};
        emulated()->fail("*", nth, code, 0);
        gp_status status = work(&error);
        bool is_done = emulated()->failures() == 0;
        CHECK(is_done ? status == GP_OK : true); /* a failing release is nobody's business */
        CHECK(status == GP_OK || (error.message[0] != '\0' && error.driver_code == code));
        n_failed += status != GP_OK;
        CHECK(emulated()->context_depth() == 0);
        emulated()->fail_clear();
        CHECK(work(&error) == GP_OK);
        if (is_closed_between)
            emulated_check_clean();
        if (is_done)
            break;
    }
    CHECK(n_failed >= (is_closed_between ? 15 : 5));
    emulated_check_clean();
}

static void test_broken_context(void)
{
    gp_cuda_device *device = NULL;
    gp_error error = {0};
    CHECK(work(&error) == GP_OK);
    emulated()->fail("cuStreamSynchronize", 1, CUDA_ERROR_ILLEGAL_ADDRESS, 1);
    CHECK(work(&error) == GP_ERR_DEVICE && error.driver_code == CUDA_ERROR_ILLEGAL_ADDRESS);
    CHECK(gp_cuda_enter(0, &device, &error) == GP_ERR_DEVICE);
    CHECK(strstr(error.message, "an earlier call") != NULL && strstr(error.message, "restart it") != NULL);
    CHECK(emulated()->context_depth() == 0);
    CHECK(gp_cuda_enter(1, &device, &error) == GP_OK); /* the other device is well */
    gp_cuda_leave(device);
    emulated()->fail_clear();
    CHECK(work(&error) == GP_OK); /* it was not broken after all */
    emulated_check_clean();
}

/* ---- threads ------------------------------------------------------------------------------------------------------- */

enum { N_THREADS = 6, N_ROUNDS = 40, N_WORDS = 5000 };

static void *work_in_thread(void *argument)
{
    int number = *(int *)argument;
    uint32_t words[N_WORDS], back[N_WORDS];
    for (int round = 0; round < N_ROUNDS; round++) {
        gp_cuda_device *device = NULL;
        CUdeviceptr scratch = 0, cells = 0;
        gp_error error = {0};
        for (int i = 0; i < N_WORDS; i++)
            words[i] = (uint32_t)(number * 1000000 + round * 10000 + i);
        CHECK(gp_cuda_enter(number % 2, &device, &error) == GP_OK);
        CHECK(gp_cuda_scratch(device, GP_SLOT_STATES, sizeof words, &scratch, &error) == GP_OK);
        CHECK(gp_cuda_upload(device, scratch, words, sizeof words, &error) == GP_OK);
        CHECK(gp_cuda_cells_alloc(device, (size_t)(round % 7 + 1) << 20, &cells, &error) == GP_OK);
        CHECK(gp_cuda_download(device, back, scratch, sizeof words, &error) == GP_OK);
        gp_cuda_leave(device);
        gp_cuda_cells_free(number % 2, cells);
        CHECK(memcmp(words, back, sizeof words) == 0);
    }
    CHECK(emulated()->context_depth() == 0);
    return NULL;
}

static void test_threads(void)
{
    pthread_t threads[N_THREADS];
    int numbers[N_THREADS];
    gp_cuda_counts counts;
    gp_error error = {0};
    for (int i = 0; i < N_THREADS; i++) {
        numbers[i] = i;
        CHECK(pthread_create(&threads[i], NULL, work_in_thread, &numbers[i]) == 0);
    }
    for (int i = 0; i < N_THREADS; i++)
        CHECK(pthread_join(threads[i], NULL) == 0);
    CHECK(emulated_count("cuDevicePrimaryCtxRetain") == 2 && emulated_count("cuStreamCreate") == 2);
    CHECK(gp_cuda_count(0, &counts, &error) == GP_OK && counts.cached_cells_bytes <= 64 << 20);
    CHECK(counts.bytes_to_device == N_THREADS / 2 * N_ROUNDS * (int64_t)sizeof(uint32_t) * N_WORDS);
    emulated_check_clean();
}

int main(void)
{
    emulated();
    test_enter();
    test_foreign_context();
    test_every_call_fails(CUDA_ERROR_INVALID_VALUE, true);
    test_every_call_fails(CUDA_ERROR_INVALID_CONTEXT, false);
    test_every_call_fails(CUDA_ERROR_LAUNCH_FAILED, true);
    test_broken_context();
    test_threads();
    return 0;
}
