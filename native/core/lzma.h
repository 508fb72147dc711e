/* Expands bytes that were compressed by LZMA, as a bare stream without a header (Python's lzma.FORMAT_RAW, FILTER_LZMA1). */
#ifndef GP_LZMA_H
#define GP_LZMA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What the compressor must have been told: bits of the byte before, and of the position, that contexts look at. Positions count
 * by 16, the size of an instruction of a GPU. */
enum { GP_LZMA_LC = 0, GP_LZMA_LP = 4, GP_LZMA_PB = 4 };

/* The first n_out bytes of what was compressed. False where the stream is damaged or ends before; nothing outside of either
 * piece of memory is touched then, too. */
bool gp_lzma_expand(const uint8_t *in, size_t n_in, uint8_t *out, size_t n_out);

#endif
