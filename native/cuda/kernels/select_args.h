/* Arguments of the kernels of select.cu, and how keys are cut into digits. */
#ifndef GP_SELECT_ARGS_H
#define GP_SELECT_ARGS_H

#include "../../core/base/ordered.h"
#include "../../core/tensor/view.h"

/* Counters in a block's shared memory: a power of two, divided among the values of a digit. */
#define GP_SELECT_LOG2_COUNTERS 13
#define GP_SELECT_COUNTERS (1 << GP_SELECT_LOG2_COUNTERS)

/* The most bits of a digit, and the most prefixes that one pass follows. */
#define GP_SELECT_MOST_BITS 12
#define GP_SELECT_MOST_PREFIXES 32

/*
 * One pass. The key of an element is an unsigned integer in the order of the values: of integers the number itself, of
 * floats gp_ordered_*, without the `n_dropped` low bits that no value of a narrow dtype has. Keys first..first + span are
 * counted, by their distance from the first: the digit at `shift` of digit_bits bits, in the first pass of all of them, in
 * later ones of those whose higher bits are a prefix.
 */
typedef struct gp_select_args {
    gp_plane plane;
    uint64_t first, span;
    int n_dropped, shift, digit_bits;
    int n_prefixes;
    uint64_t prefixes[GP_SELECT_MOST_PREFIXES];
    uint64_t *counts; /* for each prefix (of the first pass: once) 1 << digit_bits, zero at first */
} gp_select_args;

/* The most ranges that one pass of select_between looks for. */
#define GP_COLLECT_RANGES 32

/* The keys, as distances from `first`, that are in any of some ranges lows[i]..highs[i] are appended in any order behind their number,
 * which also counts those beyond `most`, for which there is no room. */
typedef struct gp_collect_args {
    gp_plane plane;
    uint64_t first;
    int n_dropped, n_ranges;
    uint64_t lows[GP_COLLECT_RANGES], highs[GP_COLLECT_RANGES];
    uint64_t most, *found;
} gp_collect_args;

/* How many counters each value of a digit has: slots for threads of the first pass, for prefixes of later ones. */
GP_FN int gp_select_log2_slots(int digit_bits)
{
    int log2_slots = GP_SELECT_LOG2_COUNTERS - digit_bits;
    return log2_slots < 5 ? log2_slots : 5;
}

#endif
