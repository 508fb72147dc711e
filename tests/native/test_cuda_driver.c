/* Loading the driver: each way in which there is none says which one it is, and a forked child keeps away. */
#define _GNU_SOURCE
#include "check.h"
#include "emulated.h"
#include "cuda/runtime/cells.h"
#include "cuda/runtime/cells_memory.h"
#include "cuda/runtime/device.h"
#include "cuda/runtime/runtime.h"

#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void check_fails(const char *words, const char *more_words)
{
    const gp_cuda_api *api = NULL;
    gp_error error = {0};
    CHECK(gp_cuda_load(&api, &error) == GP_ERR_DEVICE && api == NULL);
    if (strstr(error.message, words) == NULL || strstr(error.message, more_words) == NULL)
        fprintf(stderr, "%s\n", error.message);
    CHECK(strstr(error.message, words) != NULL && strstr(error.message, more_words) != NULL);
}

static void check_loads(void)
{
    const gp_cuda_api *api = NULL;
    gp_error error = {0};
    CHECK(gp_cuda_load(&api, &error) == GP_OK && api->n_devices == 2 && api->version == 13000);
    gp_cuda_close();
}

static void test_library(const char *path)
{
    char old[4096];
    setenv("GPUPLOT_CUDA_DRIVER", "/nowhere/libcuda.so.1", 1);
    check_fails("no CUDA driver", "/nowhere");
    snprintf(old, sizeof old, "%.*s/old/libcuda.so.1", (int)(strrchr(path, '/') - path), path);
    setenv("GPUPLOT_CUDA_DRIVER", old, 1);
    check_fails("too old", "CUDA 13.0 and has no cu");
    setenv("GPUPLOT_CUDA_DRIVER", path, 1);
    check_loads();
}

static void test_codes_of_init(void)
{
    emulated()->fail("cuInit", 1, CUDA_ERROR_NO_DEVICE, 0);
    check_fails("cuInit failed: CUDA_ERROR_NO_DEVICE (100)", "CUDA_VISIBLE_DEVICES");
    emulated()->fail("cuInit", 1, CUDA_ERROR_STUB_LIBRARY, 0);
    check_fails("cuInit failed: CUDA_ERROR_STUB_LIBRARY (34)", "LD_LIBRARY_PATH");
    emulated()->fail("cuInit", 1, CUDA_ERROR_NOT_INITIALIZED, 0);
    check_fails("cuInit failed: CUDA_ERROR_NOT_INITIALIZED (3)", "'spawn'");
    emulated()->fail("cuInit", 1, CUDA_ERROR_SYSTEM_DRIVER_MISMATCH, 0);
    check_fails("cuInit failed: CUDA_ERROR_SYSTEM_DRIVER_MISMATCH (803)", "restart the machine");
    emulated()->fail("cuInit", 1, 12345, 0); /* a code that the driver has no name for */
    check_fails("cuInit failed:", "(12345)");
    emulated()->fail("cuDriverGetVersion", 1, CUDA_ERROR_INVALID_VALUE, 0);
    check_fails("cuDriverGetVersion failed", "CUDA_ERROR_INVALID_VALUE (1)");
    emulated()->fail("cuDeviceGetCount", 1, CUDA_ERROR_INVALID_VALUE, 0);
    check_fails("cuDeviceGetCount failed", "CUDA_ERROR_INVALID_VALUE (1)");
    emulated()->set_devices(0);
    check_fails("no", "CUDA_VISIBLE_DEVICES");
    emulated()->set_devices(2);
    check_loads();
}

static void test_codes(void)
{
    const gp_cuda_api *api = NULL;
    gp_error error = {0};
    CHECK(gp_cuda_load(&api, &error) == GP_OK);
    CHECK(gp_cuda_check(CUDA_SUCCESS, "cuMemAlloc", &error) == GP_OK && error.message[0] == '\0');
    CHECK(gp_cuda_check(CUDA_ERROR_OUT_OF_MEMORY, "cuMemAlloc", &error) == GP_ERR_DEVICE);
    CHECK(strstr(error.message, "cuMemAlloc failed: CUDA_ERROR_OUT_OF_MEMORY (2)") == error.message);
    CHECK(strcmp(error.call, "cuMemAlloc") == 0 && strcmp(error.code, "CUDA_ERROR_OUT_OF_MEMORY") == 0);
    CHECK(gp_cuda_is_out_of_memory(&error));
    CHECK(gp_cuda_check(CUDA_ERROR_ILLEGAL_ADDRESS, "cuStreamSynchronize", &error) == GP_ERR_DEVICE);
    CHECK(strstr(error.message, "every library") != NULL && strstr(error.message, "restart it") != NULL);
    CHECK(!gp_cuda_is_out_of_memory(&error) && gp_cuda_is_sticky(CUDA_ERROR_LAUNCH_FAILED));
    CHECK(!gp_cuda_is_sticky(CUDA_ERROR_OUT_OF_MEMORY) && !gp_cuda_is_sticky(CUDA_ERROR_NOT_READY));
    CHECK(gp_fail(&error, GP_ERR_VALUE, "no") == GP_ERR_VALUE && error.driver_code == 0 && error.call == NULL);
    gp_cuda_close();
}

/* What a worker forked by multiprocessing does, its garbage collection included. */
static void run_child(CUdeviceptr cells)
{
    gp_cuda_device *device = NULL;
    gp_error error = {0};
    CHECK(gp_cuda_is_forked());
    check_fails("forked", "'spawn'");
    CHECK(gp_cuda_enter(0, &device, &error) == GP_ERR_DEVICE && device == NULL);
    gp_cuda_cells_free(0, cells);
    gp_cuda_close();
    CHECK(emulated()->problems(NULL, 0) == 1); /* not one call reached the driver */
}

static void test_fork(void)
{
    gp_cuda_device *device = NULL;
    CUdeviceptr cells = 0;
    gp_error error = {0};
    int status = -1;
    CHECK(gp_cuda_enter(0, &device, &error) == GP_OK);
    CHECK(gp_cuda_cells_alloc(device, 1000, &cells, &error) == GP_OK);
    pid_t child = fork(); /* while the parent holds the device's lock */
    CHECK(child >= 0);
    if (child == 0) {
        run_child(cells);
        _exit(0);
    }
    CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0);
    gp_cuda_leave(device);
    CHECK(!gp_cuda_is_forked());
    gp_cuda_cells_free(0, cells);
}

int main(void)
{
    char path[4096];
    CHECK(getenv("GPUPLOT_CUDA_DRIVER") != NULL);
    snprintf(path, sizeof path, "%s", getenv("GPUPLOT_CUDA_DRIVER"));
    CHECK(!gp_cuda_is_forked());
    emulated();
    test_library(path);
    test_codes_of_init();
    emulated_check_clean();
    test_codes();
    test_fork();
    emulated_check_clean();
    return 0;
}
