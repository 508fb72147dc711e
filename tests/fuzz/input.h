/* gp_input: the bytes of a fuzzer's input as numbers, one after the other; after the last byte every number is zero. */
#ifndef GP_FUZZ_INPUT_H
#define GP_FUZZ_INPUT_H

#include "../../native/core/base/portable.h"

#include <stddef.h>

typedef struct gp_input {
    const uint8_t *at;
    size_t n_left;
} gp_input;

/* What libFuzzer and replay.c call. Returns 0; a claim that is not true ends the process. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n_bytes);

/* The next n_bytes, at most 8, as one number. */
uint64_t input_bits(gp_input *input, int n_bytes);

/* Of low..high, both included, from one byte where these are at most 256 numbers, else from eight. */
int64_t input_between(gp_input *input, int64_t low, int64_t high);

/* True for one byte in n. */
bool input_one_in(gp_input *input, int n);

/* Small numbers, numbers at the ends of the types, and any bits. */
int64_t input_int64(gp_input *input);

/* Eighths near 0..n, decimals, numbers beside whole ones, and any bits: NaN and infinities too. */
double input_double(gp_input *input, int64_t n);

/* Bytes of the input to memory; zeros where they end. */
void input_fill(gp_input *input, void *out, size_t n_bytes);

/* Fills memory from a seed of four bytes, so that a short input can be a large array. */
void input_fill_random(gp_input *input, void *out, size_t n_bytes);

#endif
