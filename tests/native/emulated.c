/* Finds the emulated driver's functions by name, and looks for what a test left behind. */
#define _GNU_SOURCE
#include "emulated.h"

#include "check.h"
#include "cuda/runtime/runtime.h"

#include <dlfcn.h>
#include <string.h>

#define FUNCTIONS(X)                                                                                                             \
    X(reset, "emu_reset")                                                                                                        \
    X(fail, "emu_fail")                                                                                                          \
    X(fail_clear, "emu_fail_clear")                                                                                              \
    X(failures, "emu_failures")                                                                                                  \
    X(set_streams, "emu_set_streams")                                                                                            \
    X(set_devices, "emu_set_devices")                                                                                            \
    X(set_memory_limit, "emu_set_memory_limit")                                                                                  \
    X(counts, "emu_counts")                                                                                                      \
    X(problems, "emu_problems")                                                                                                  \
    X(leaks, "emu_leaks")                                                                                                        \
    X(context_depth, "emu_context_depth")                                                                                        \
    X(recover, "emu_recover")                                                                                                    \
    X(queue_write, "emu_queue_write")                                                                                            \
    X(peek, "emu_peek")                                                                                                          \
    X(poke, "emu_poke")                                                                                                          \
    X(pending, "emu_pending")                                                                                                    \
    X(images, "emu_images")                                                                                                      \
    X(ctxCreate, "cuCtxCreate_v2")                                                                                               \
    X(ctxDestroy, "cuCtxDestroy_v2")                                                                                             \
    X(memAllocManaged, "cuMemAllocManaged")                                                                                      \
    X(memAllocAsync, "cuMemAllocAsync")                                                                                          \
    X(streamBeginCapture, "cuStreamBeginCapture_v2")                                                                             \
    X(streamEndCapture, "cuStreamEndCapture")

static void *find(void *library, const char *name)
{
    void *symbol = dlsym(library, name);
    if (symbol == NULL)
        fprintf(stderr, "the emulated driver has no %s\n", name);
    CHECK(symbol != NULL);
    return symbol;
}

#define FIND(field, name)                                                                                                        \
    symbol = find(library, name);                                                                                                \
    memcpy(&api.field, &symbol, sizeof symbol);

const emulated_api *emulated(void)
{
    static emulated_api api;
    if (api.reset == NULL) {
        const char *path = getenv("GPUPLOT_CUDA_DRIVER");
        CHECK(path != NULL);
        void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL), *symbol;
        CHECK(library != NULL);
        FUNCTIONS(FIND)
    }
    return &api;
}

int64_t emulated_count(const char *call)
{
    char text[8192], line[128];
    long long count = 0;
    int n = snprintf(line, sizeof line, "%s ", call);
    emulated()->counts(text, sizeof text);
    for (const char *at = text; at != NULL && *at != '\0'; at = strchr(at, '\n') + 1) {
        if (strncmp(at, line, (size_t)n) == 0)
            sscanf(at + n, "%lld", &count);
    }
    return count;
}

void emulated_check_clean(void)
{
    static char text[16384];
    emulated()->fail_clear();
    gp_cuda_close();
    CHECK(emulated()->context_depth() == 0);
    if (emulated()->leaks(text, sizeof text) > 1)
        fprintf(stderr, "left behind: %s", text);
    CHECK(emulated()->leaks(text, sizeof text) == 1);
    if (emulated()->problems(text, sizeof text) > 1)
        fprintf(stderr, "done wrong: %s", text);
    CHECK(emulated()->problems(text, sizeof text) == 1);
    emulated()->reset();
}
