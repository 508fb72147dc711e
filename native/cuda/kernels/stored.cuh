/* gp_read_stored: an element's bytes at any address and in either byte order; and GP_DEVICE_CALL, for functions that are not inlined. */
#ifndef GP_STORED_CUH
#define GP_STORED_CUH

#include "device.cuh"
#include "../../core/base/portable.h"

/* A function of the device that is worth a call: inlining it everywhere would only make kernels large. */
#if defined(GP_EMULATED)
#define GP_DEVICE_CALL static inline
#else
#define GP_DEVICE_CALL static __device__ __noinline__
#endif

/* One load where the address allows it, else byte by byte. */
template <class T> GP_DEVICE T gp_read_stored(const char *at, bool is_byteswapped)
{
    if (!is_byteswapped && (uint64_t)at % sizeof(T) == 0)
        return *(const T *)at;
    uint64_t bits = 0;
    for (int i = 0; i < (int)sizeof(T); i++)
        bits |= (uint64_t)(unsigned char)at[is_byteswapped ? (int)sizeof(T) - 1 - i : i] << (8 * i);
    T stored;
    memcpy(&stored, &bits, sizeof stored);
    return stored;
}

#endif
