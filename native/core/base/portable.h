/* Integer types and GP_FN, the prefix of shared functions, for headers that C17 on the host, nvcc and NVRTC compile. */
#ifndef GP_PORTABLE_H
#define GP_PORTABLE_H

#if defined(__CUDACC_RTC__) /* NVRTC has no standard headers */
typedef signed char int8_t;
typedef unsigned char uint8_t;
typedef short int16_t;
typedef unsigned short uint16_t;
typedef int int32_t;
typedef unsigned int uint32_t;
typedef long long int64_t;
typedef unsigned long long uint64_t;
#else
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#endif

/* GP_ON_DEVICE: kernels are being compiled, by nvcc, NVRTC or, for the emulated device, a C++ compiler. */
#if defined(__CUDACC__) || defined(GP_EMULATED)
#define GP_ON_DEVICE 1
#endif

/* GP_FN: a small function that is compiled for the host and for devices, so that a formula is written once. */
#if defined(__CUDACC__)
#define GP_FN static __device__ __forceinline__
#else
#define GP_FN static inline __attribute__((unused))
#endif

GP_FN float gp_f32_from_bits(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

GP_FN double gp_f64_from_bits(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

GP_FN uint32_t gp_bits_from_f32(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

GP_FN uint64_t gp_bits_from_f64(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

#endif
