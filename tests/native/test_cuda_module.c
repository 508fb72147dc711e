/* Kernels: loaded once for each device, compiled where the build's do not fit, kept on disk whatever is there. */
#define _GNU_SOURCE
#include "cuda/runtime/image_pack.h"
#include "check.h"
#include "emulated.h"
#include "cuda/runtime/device.h"
#include "cuda/runtime/module.h"
#include "cuda/runtime/runtime.h"

#include <dlfcn.h>
#include <ftw.h>
#include <glob.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[64] = "/tmp/gpuplot_kernels_XXXXXX";

static int remove_entry(const char *path, const struct stat *status, int kind, struct FTW *at)
{
    (void)status, (void)kind, (void)at;
    return remove(path);
}

static void remove_folder(void) { (void)nftw(folder, remove_entry, 8, FTW_DEPTH | FTW_PHYS); }

/* The one kept file of a module; its path lives until the next call. NULL: none. */
static const char *kept_file(const char *module)
{
    static char path[512];
    glob_t found;
    snprintf(path, sizeof path, "%s/gpuplot/%s-*.kernels", folder, module);
    bool is_there = glob(path, 0, NULL, &found) == 0;
    CHECK(!is_there || found.gl_pathc == 1);
    if (is_there) {
        snprintf(path, sizeof path, "%s", found.gl_pathv[0]);
        globfree(&found);
    }
    return is_there ? path : NULL;
}

/* ---- compiling and keeping ------------------------------------------------------------------------------------------- */

static const char source[] = "GP_KERNEL(nothing, int, 1) {}\n";

static gp_status compile(const char *module, const char *define, gp_cuda_binary *out, gp_error *error)
{
    gp_cuda_image image = {.module = module, .define = define, .source = source, .source_end = source + sizeof source - 1};
    return gp_cuda_compile(&image, 90, 13000, true, out, error);
}

static gp_cuda_binary compiled(const char *module, bool is_from_disk)
{
    gp_cuda_binary binary = {0};
    gp_error error = {0};
    CHECK(compile(module, "", &binary, &error) == GP_OK);
    CHECK(binary.is_from_disk == is_from_disk && binary.n_bytes > 0);
    return binary;
}

static void compile_and_free(const char *module, bool is_from_disk)
{
    gp_cuda_binary binary = compiled(module, is_from_disk);
    gp_cuda_binary_free(&binary);
    gp_cuda_binary_free(&binary);
}

static void set_folder_of_emulator(void)
{
    char folders[4096];
    const char *path = getenv("GPUPLOT_CUDA_DRIVER");
    snprintf(folders, sizeof folders, "/nowhere::%.*s:", (int)(strrchr(path, '/') - path), path);
    gp_cuda_set_nvrtc_folders(folders);
}

/* Without GPUPLOT_NVRTC: the loader's own places, which have none where this is tested, then the folders that Python knows. */
static void test_finding(void)
{
    char named[4096];
    gp_cuda_binary binary = {0};
    gp_error error = {0};
    if (dlopen("libnvrtc.so.13", RTLD_NOW) || dlopen("libnvrtc.so.12", RTLD_NOW) || dlopen("libnvrtc.so", RTLD_NOW))
        return;
    snprintf(named, sizeof named, "%s", getenv("GPUPLOT_NVRTC"));
    setenv("GPUPLOT_NVRTC", "/nowhere/libnvrtc.so", 1);
    CHECK(compile("found", "", &binary, &error) == GP_ERR_DEVICE && strstr(error.message, "/nowhere/libnvrtc.so") != NULL);
    unsetenv("GPUPLOT_NVRTC");
    CHECK(compile("found", "", &binary, &error) == GP_ERR_DEVICE);
    CHECK(strstr(error.message, "no libnvrtc") != NULL && strstr(error.message, "pip install nvidia-cuda-nvrtc") != NULL);
    CHECK(gp_cuda_nvrtc_version() == 0);
    set_folder_of_emulator();
    compile_and_free("found", false);
    gp_cuda_set_nvrtc_folders(NULL);
    setenv("GPUPLOT_NVRTC", named, 1);
}

static void test_kept_on_disk(void)
{
    gp_cuda_binary first = compiled("kept", false), again = compiled("kept", true);
    CHECK(first.n_bytes == again.n_bytes && memcmp(first.data, again.data, first.n_bytes) == 0);
    CHECK(kept_file("kept") != NULL && strstr(kept_file("kept"), "sm_90") != NULL);
    gp_cuda_binary_free(&first);
    gp_cuda_binary_free(&again);
    gp_error error = {0};
    CHECK(compile("kept", "GP_CLASS=F32", &again, &error) == GP_OK && !again.is_from_disk); /* something else */
    gp_cuda_binary_free(&again);
    CHECK(gp_cuda_nvrtc_version() == 12040);
}

/* Whatever has become of the file: cut short, one byte changed, empty, or not ours. */
static void test_damaged_file(void)
{
    for (int damage = 0; damage < 4; damage++) {
        compile_and_free("damaged", false);
        const char *path = kept_file("damaged");
        struct stat status;
        CHECK(path != NULL && stat(path, &status) == 0);
        if (damage == 0)
            CHECK(truncate(path, status.st_size - 1) == 0);
        if (damage == 1)
            CHECK(truncate(path, 0) == 0);
        FILE *file = fopen(path, "r+b");
        CHECK(file != NULL);
        if (damage == 2)
            CHECK(fseek(file, -2, SEEK_END) == 0 && fputc('~', file) == '~');
        if (damage == 3)
            CHECK(fputs("this is not a file of ours", file) >= 0);
        CHECK(fclose(file) == 0);
        compile_and_free("damaged", false);
        compile_and_free("damaged", true); /* written anew */
        CHECK(unlink(kept_file("damaged")) == 0);
    }
}

/* A cache folder that cannot be written, or none at all, costs a compilation each time and nothing else. */
static void test_no_folder(void)
{
    setenv("XDG_CACHE_HOME", "/dev/null", 1);
    compile_and_free("nowhere", false);
    compile_and_free("nowhere", false);
    unsetenv("XDG_CACHE_HOME");
    char home[4096];
    snprintf(home, sizeof home, "%s", getenv("HOME") != NULL ? getenv("HOME") : "");
    setenv("HOME", "relative", 1);
    compile_and_free("nowhere", false);
    compile_and_free("nowhere", false);
    setenv("HOME", home, 1);
    setenv("XDG_CACHE_HOME", folder, 1);
}

static void test_failing_compiler(void)
{
    gp_cuda_binary binary = {0};
    gp_error error = {0};
    setenv("EMU_NVRTC_FAIL", "COMPILATION", 1);
    CHECK(compile("broken", "", &binary, &error) == GP_ERR_DEVICE && binary.data == NULL);
    CHECK(strstr(error.message, "NVRTC 12.4 does not compile the kernels broken for sm_90") != NULL);
    CHECK(strstr(error.message, "there is no kernel here") != NULL && kept_file("broken") == NULL);
    unsetenv("EMU_NVRTC_FAIL");
    compile_and_free("broken", false);
}

/* ---- launching ------------------------------------------------------------------------------------------------------- */

static void check_launch_fails(gp_cuda_device *device, const char *module, const char *kernel, int64_t grid, int n_threads,
                               const char *words)
{
    gp_error error = {0};
    char args[256] = "";
    CHECK(gp_cuda_launch(device, module, kernel, grid, 1, 1, n_threads, args, &error) == GP_ERR_DEVICE);
    if (strstr(error.message, words) == NULL)
        fprintf(stderr, "%s\n", error.message);
    CHECK(strstr(error.message, words) != NULL);
}

static void test_refused_launches(void)
{
    gp_cuda_device *device = NULL;
    gp_error error = {0};
    CHECK(gp_cuda_enter(0, &device, &error) == GP_OK);
    check_launch_fails(device, "nonsense", "nonsense", 1, 32, "internal: there is no kernel module nonsense");
    check_launch_fails(device, "shade", "nonsense", 1, 32, "internal: there is no kernel nonsense");
    check_launch_fails(device, "shade", "nonsense", 0, 32, "0 x 1 x 1 blocks");
    check_launch_fails(device, "shade", "nonsense", (int64_t)1 << 31, 32, "internal");
    check_launch_fails(device, "shade", "nonsense", 1, 2000, "2000 threads");
    gp_cuda_leave(device);
    CHECK(emulated_count("cuModuleLoadData") == 1 && emulated_count("cuLaunchKernel") == 0);
    emulated_check_clean();
}

/* Loads the module "shade" by asking for a kernel that it does not have. */
static void load_shade(const char *words)
{
    gp_cuda_device *device = NULL;
    gp_error error = {0};
    CHECK(gp_cuda_enter(0, &device, &error) == GP_OK);
    check_launch_fails(device, "shade", "nonsense", 1, 32, words);
    gp_cuda_leave(device);
}

/* So many of the next images are refused, after the build's own where it has some. */
static void refuse_images(int n, int code)
{
    const gp_cuda_pack_head *pack = gp_cuda_pack_of(&gp_cuda_images[0]);
    int chosen[2], n_own = pack != NULL ? gp_cuda_pack_choose(pack, 90, 13000, chosen) : 0;
    for (int nth = 1; nth <= n_own + n; nth++)
        emulated()->fail("cuModuleLoadData", nth, code, 0);
}

/* The build's image does not fit this driver: it is compiled, and found on disk the next time; what the driver then refuses
 * of what was kept is compiled again. */
static void test_unfit_image(int code)
{
    const char *path = kept_file("shade");
    CHECK(path == NULL || unlink(path) == 0);
    refuse_images(0, code);
    load_shade("there is no kernel nonsense");
    CHECK(strcmp(gp_cuda_kernels_kind(), "nvrtc") == 0 && kept_file("shade") != NULL);
    gp_cuda_close();
    refuse_images(1, code);
    load_shade("there is no kernel nonsense");
    gp_cuda_close();
    refuse_images(2, code); /* nothing fits */
    load_shade("cuModuleLoadData failed");
    emulated_check_clean();
}

static void test_other_codes_are_told(void)
{
    emulated()->fail("cuModuleLoadData", 1, CUDA_ERROR_OUT_OF_MEMORY, 0);
    load_shade("cuModuleLoadData failed: CUDA_ERROR_OUT_OF_MEMORY (2)");
    emulated()->fail("cuModuleGetFunction", 1, CUDA_ERROR_INVALID_VALUE, 0);
    load_shade("cuModuleGetFunction failed: CUDA_ERROR_INVALID_VALUE (1)");
    load_shade("there is no kernel nonsense");
    CHECK(emulated_count("cuModuleLoadData") == 2);
    emulated_check_clean();
}

int main(void)
{
    emulated();
    CHECK(mkdtemp(folder) != NULL);
    atexit(remove_folder);
    setenv("XDG_CACHE_HOME", folder, 1);
    test_finding();
    test_kept_on_disk();
    test_damaged_file();
    test_no_folder();
    test_failing_compiler();
    test_refused_launches();
    test_unfit_image(CUDA_ERROR_NO_BINARY_FOR_GPU);
    test_unfit_image(CUDA_ERROR_UNSUPPORTED_PTX_VERSION);
    test_unfit_image(CUDA_ERROR_JIT_COMPILATION_DISABLED);
    test_other_codes_are_told();
    return 0;
}
