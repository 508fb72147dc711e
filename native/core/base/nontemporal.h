/* Stores that bypass the caches, if the compiler and the processor have them. */
#ifndef GP_CPU_STREAM_H
#define GP_CPU_STREAM_H

#include "portable.h"

/* Bytes of a cache line. */
#define GP_LINE_BYTES 64

/*
 * An ordinary store first reads the line that it overwrites, and pushes others out of the cache. That is a third of the
 * traffic of a large copy. gp_stream_line writes a whole, aligned line without either. Other threads may read what was
 * written after gp_stream_end.
 */
#if defined(__SSE2__)
#include <emmintrin.h>
GP_FN void gp_stream_line(char *to, const char *from)
{
    for (int i = 0; i < 4; i++)
        _mm_stream_si128((__m128i *)(void *)to + i, _mm_loadu_si128((const __m128i *)(const void *)from + i));
}
GP_FN void gp_stream_end(void) { _mm_sfence(); }
#else
GP_FN void gp_stream_line(char *to, const char *from) { memcpy(to, from, 64); }
GP_FN void gp_stream_end(void) {}
#endif

/* n_bytes to any address: whole lines bypass the caches, the rest is stored as usual. */
GP_FN void gp_stream_bytes(char *restrict to, const char *restrict from, int64_t n_bytes)
{
    int64_t at = (int64_t)(-(uintptr_t)to % GP_LINE_BYTES);
    at = at < n_bytes ? at : n_bytes;
    memcpy(to, from, (size_t)at);
    for (; at + GP_LINE_BYTES <= n_bytes; at += GP_LINE_BYTES)
        gp_stream_line(to + at, from + at);
    memcpy(to + at, from + at, (size_t)(n_bytes - at));
}

#endif
