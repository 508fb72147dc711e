/* The words of CUDA C that native/cuda/kernels/device.cuh lists, for kernels compiled as C++: each CUDA thread is a fiber. */
#ifndef GP_EMU_H
#define GP_EMU_H

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

/* ---- vector types ------------------------------------------------------------------------------------------------- */

struct uint2 {
    unsigned x, y;
} __attribute__((aligned(8)));
struct uint3 {
    unsigned x, y, z;
};
struct uint4 {
    unsigned x, y, z, w;
} __attribute__((aligned(16)));
typedef uint3 dim3;

static inline __attribute__((unused)) uint4 make_uint4(unsigned x, unsigned y, unsigned z, unsigned w)
{
    uint4 value = {x, y, z, w};
    return value;
}

namespace gp_emu {

/* ---- what the scheduler provides (scheduler.cpp) ------------------------------------------------------------------ */

/* What a kernel may ask about the thread that runs it. `self` changes with every switch of fibers. */
struct Self {
    uint3 thread_index;
    unsigned lane;
};
extern Self *self;
extern uint3 block_index;
extern dim3 block_size, grid_size;

enum class Meet { sync, shuffle, shuffle_down, shuffle_xor, any, all, ballot };

/* Where in the source a thread waits, for messages and to tell barriers apart. */
struct Place {
    const char *file;
    int line;
};

void meet_block(Place place);
uint64_t meet_warp(Meet what, unsigned mask, uint64_t value, int operand, int width, Place place);
void *shared_array(const char *name, size_t n_bytes, size_t alignment);

typedef void (*Body)(const void *args);

/* One object for each kernel, made before main(), lists it by name. */
struct Registration {
    Registration(const char *name, const char *module, bool is_float64_slow, size_t args_bytes, unsigned max_threads, Body body);
};

template <typename T> uint64_t to_bits(T value)
{
    static_assert(std::is_arithmetic<T>::value && (sizeof(T) == 4 || sizeof(T) == 8),
                  "warp functions take 32- and 64-bit numbers");
    uint64_t bits = 0;
    memcpy(&bits, &value, sizeof value);
    return bits;
}

template <typename T> T from_bits(uint64_t bits)
{
    T value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

} // namespace gp_emu

/* ---- where a thread is -------------------------------------------------------------------------------------------- */

#define threadIdx (gp_emu::self->thread_index)
#define blockIdx (gp_emu::block_index)
#define blockDim (gp_emu::block_size)
#define gridDim (gp_emu::grid_size)
static constexpr int warpSize = 32;

/* ---- barriers and warps ------------------------------------------------------------------------------------------- */

/* As default arguments these two tell where the function was called. */
#define GP_EMU_HERE const char *file = __builtin_FILE(), int line = __builtin_LINE()

static inline __attribute__((unused)) void __syncthreads(GP_EMU_HERE) { gp_emu::meet_block({file, line}); }

static inline __attribute__((unused)) void __syncwarp(unsigned mask = 0xffffffffu, GP_EMU_HERE)
{
    gp_emu::meet_warp(gp_emu::Meet::sync, mask, 0, 0, 32, {file, line});
}

template <typename T> T __shfl_sync(unsigned mask, T value, int lane, int width = 32, GP_EMU_HERE)
{
    return gp_emu::from_bits<T>(
        gp_emu::meet_warp(gp_emu::Meet::shuffle, mask, gp_emu::to_bits(value), lane, width, {file, line}));
}

template <typename T>
T __shfl_down_sync(unsigned mask, T value, unsigned delta, int width = 32, GP_EMU_HERE)
{
    return gp_emu::from_bits<T>(
        gp_emu::meet_warp(gp_emu::Meet::shuffle_down, mask, gp_emu::to_bits(value), (int)delta, width, {file, line}));
}

template <typename T>
T __shfl_xor_sync(unsigned mask, T value, int lane_mask, int width = 32, GP_EMU_HERE)
{
    return gp_emu::from_bits<T>(
        gp_emu::meet_warp(gp_emu::Meet::shuffle_xor, mask, gp_emu::to_bits(value), lane_mask, width, {file, line}));
}

static inline __attribute__((unused)) int __any_sync(unsigned mask, int claim, GP_EMU_HERE)
{
    return (int)gp_emu::meet_warp(gp_emu::Meet::any, mask, claim != 0, 0, 32, {file, line});
}

static inline __attribute__((unused)) int __all_sync(unsigned mask, int claim, GP_EMU_HERE)
{
    return (int)gp_emu::meet_warp(gp_emu::Meet::all, mask, claim != 0, 0, 32, {file, line});
}

static inline __attribute__((unused)) unsigned __ballot_sync(unsigned mask, int claim, GP_EMU_HERE)
{
    return (unsigned)gp_emu::meet_warp(gp_emu::Meet::ballot, mask, claim != 0, 0, 32, {file, line});
}

/* ---- atomics: fibers switch nowhere else than at barriers and warp functions --------------------------------------- */

static inline __attribute__((unused)) unsigned atomicAdd(unsigned *at, unsigned value)
{
    unsigned before = *at;
    *at = before + value;
    return before;
}

static inline __attribute__((unused)) unsigned long long atomicAdd(unsigned long long *at, unsigned long long value)
{
    unsigned long long before = *at;
    *at = before + value;
    return before;
}

static inline __attribute__((unused)) double atomicAdd(double *at, double value)
{
    double before = *at;
    *at = before + value;
    return before;
}

static inline __attribute__((unused)) unsigned atomicOr(unsigned *at, unsigned bits)
{
    unsigned before = *at;
    *at = before | bits;
    return before;
}

static inline __attribute__((unused)) unsigned long long atomicMin(unsigned long long *at, unsigned long long value)
{
    unsigned long long before = *at;
    *at = value < before ? value : before;
    return before;
}

static inline __attribute__((unused)) unsigned long long atomicMax(unsigned long long *at, unsigned long long value)
{
    unsigned long long before = *at;
    *at = value > before ? value : before;
    return before;
}

static inline __attribute__((unused)) long long atomicMin(long long *at, long long value)
{
    long long before = *at;
    *at = value < before ? value : before;
    return before;
}

static inline __attribute__((unused)) long long atomicMax(long long *at, long long value)
{
    long long before = *at;
    *at = value > before ? value : before;
    return before;
}

/* ---- bits --------------------------------------------------------------------------------------------------------- */

static inline __attribute__((unused)) unsigned __funnelshift_r(unsigned low, unsigned high, unsigned shift)
{
    return (unsigned)((((uint64_t)high << 32) | low) >> (shift & 31u));
}
static inline __attribute__((unused)) int __popc(unsigned bits) { return __builtin_popcount(bits); }
static inline __attribute__((unused)) int __ffs(int bits) { return __builtin_ffs(bits); }
static inline __attribute__((unused)) int __clz(int bits) { return bits ? __builtin_clz((unsigned)bits) : 32; }
static inline __attribute__((unused)) int __clzll(long long bits)
{
    return bits ? __builtin_clzll((unsigned long long)bits) : 64;
}

/* ---- kernels and shared memory ------------------------------------------------------------------------------------ */

#ifndef GP_EMU_MODULE
#define GP_EMU_MODULE ""
#endif

/* Whether the kernel is one of a device whose float64 is slow. */
#ifndef GP_FLOAT64_IS_SLOW
#define GP_FLOAT64_IS_SLOW 0
#endif

/* The indirection lets `name` be a macro that adds the element class. */
#define GP_KERNEL(name, Args, threads) GP_EMU_KERNEL(name, Args, threads)
#define GP_EMU_KERNEL(name, Args, threads)                                                                                       \
    static void name(const Args &args);                                                                                          \
    static_assert(std::is_trivially_copyable<Args>::value && sizeof(Args) <= 4000, "parameters are copied as bytes");            \
    static const gp_emu::Registration name##_registration(#name, GP_EMU_MODULE, GP_FLOAT64_IS_SLOW, sizeof(Args), threads,       \
                                                          [](const void *args) { name(*static_cast<const Args *>(args)); });     \
    static void name(const Args &args)

/* A reference to an array, so that sizeof and indexing mean what they mean in CUDA. */
#define GP_SHARED(type, name, count)                                                                                             \
    type(&name)[count] = *static_cast<type(*)[count]>(gp_emu::shared_array(#name, sizeof(type) * (count), alignof(type)))

#endif
