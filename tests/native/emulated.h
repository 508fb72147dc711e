/* The emulated driver as C tests use it: what the library GPUPLOT_CUDA_DRIVER names exports beside the driver's calls. */
#ifndef GP_TEST_EMULATED_H
#define GP_TEST_EMULATED_H

#include "cuda/runtime/handle.h"

enum { PACE_EAGER, PACE_LATE, PACE_RANDOM, N_PACES };

typedef struct emulated_api {
    /* control: see tests/emulator/control.cpp */
    void (*reset)(void);
    void (*fail)(const char *call, int64_t nth, int code, int is_sticky);
    void (*fail_clear)(void);
    int64_t (*failures)(void);
    void (*set_streams)(int pace, uint64_t seed);
    void (*set_devices)(int n);
    void (*set_memory_limit)(int device, uint64_t n_bytes);
    int64_t (*counts)(char *out, int64_t n_bytes);
    int64_t (*problems)(char *out, int64_t n_bytes);
    int64_t (*leaks)(char *out, int64_t n_bytes);
    int (*context_depth)(void);
    void (*recover)(void);
    int (*queue_write)(int device, uint64_t stream, uint64_t to, const void *from, size_t n_bytes);
    int (*peek)(uint64_t from, void *to, size_t n_bytes);
    int (*poke)(uint64_t to, const void *from, size_t n_bytes);
    int64_t (*pending)(void);
    int64_t (*images)(char *out, int64_t n_bytes);
    /* calls of the driver that gpuplot does not make */
    CUresult (*ctxCreate)(CUcontext *context, unsigned flags, CUdevice device);
    CUresult (*ctxDestroy)(CUcontext context);
    CUresult (*memAllocManaged)(CUdeviceptr *pointer, size_t n_bytes, unsigned flags);
    CUresult (*memAllocAsync)(CUdeviceptr *pointer, size_t n_bytes, CUstream stream);
    CUresult (*streamBeginCapture)(CUstream stream, int mode);
    CUresult (*streamEndCapture)(CUstream stream, void **graph);
} emulated_api;

/* The table of the library, which gpuplot then uses as well. Ends the program where there is none. */
const emulated_api *emulated(void);

/* How often a call of the driver was made since the last reset. */
int64_t emulated_count(const char *call);

/* Everything gpuplot keeps is freed; then nothing may be left, nothing may have been done wrong, and no context may be
 * current. Resets the emulator. */
void emulated_check_clean(void);

#endif
