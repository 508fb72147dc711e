/* Expands bytes that were compressed by LZMA, as a bare stream without a header (Python's lzma.FORMAT_RAW, FILTER_LZMA1). */
#ifndef GP_LZMA_H
#define GP_LZMA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Parameters that the compressor must have used: how many bits of the byte before, and of the position, select a context. Positions are
 * modulo 16, the size of an instruction of a GPU. */
enum { GP_LZMA_LC = 0, GP_LZMA_LP = 4, GP_LZMA_PB = 4 };

/* Expands the first n_out bytes. False if the stream is damaged or too short; memory outside of in and out is never touched. */
bool gp_lzma_expand(const uint8_t *in, size_t n_in, uint8_t *out, size_t n_out);

#endif
