/* The loops of conversions: casts of elements side by side, and moves of items of any size. */
#ifndef GP_CONVERT_LOOPS_H
#define GP_CONVERT_LOOPS_H

#include "../../core/tensor/casts.h"
#include "../../core/tensor/dtypes.h"
#include "level.h"

/* Converts n elements, or parts of complex ones, side by side in `from`, possibly unaligned, to others side by side in `to`. */
typedef void (*gp_cast_loop)(const char *restrict from, int64_t n, char *restrict to);

typedef struct gp_cast_loops {
    gp_cast_loop load[GP_N_DTYPES];              /* stored elements to values of their kind; NULL: they are values */
    gp_cast_loop odd[GP_N_KINDS]; /* values to floats from which narrow floats are rounded; NULL: they are such */
    gp_cast_loop store[GP_N_DTYPES][GP_N_KINDS]; /* values to stored elements; narrow floats only from floats */
} gp_cast_loops;

/* Items that the loops move: elements, or a few elements that stay together. X(bytes) */
#define GP_ITEM_SIZES(X) X(1) X(2) X(4) X(8) X(16) X(3) X(6) X(12) X(24)
#define GP_N_ITEM_SIZES 9

/* The index of a size in tables by size; -1: the loops do not move such items. */
int gp_item_size(int64_t n_bytes);

typedef struct gp_layout_loops {
    /* Copies n items that are `stride` bytes apart to be side by side; and back. */
    void (*pick[GP_N_ITEM_SIZES])(const char *restrict from, int64_t stride, int64_t n, char *restrict to);
    void (*put[GP_N_ITEM_SIZES])(const char *restrict from, int64_t n, char *restrict to, int64_t stride);
    /* Copies n items at `places`, in bytes, to be side by side; and back. */
    void (*follow[GP_N_ITEM_SIZES])(const char *restrict from, const int64_t *places, int64_t n, char *restrict to);
    void (*spread[GP_N_ITEM_SIZES])(const char *restrict from, const int64_t *places, int64_t n, char *restrict to);
    /* n_runs runs of n items, `stride` bytes from run to run, to n rows of n_runs items without gaps: a transposition. */
    void (*turn[GP_N_ITEM_SIZES])(const char *restrict from, int64_t stride, int64_t n_runs, int64_t n, char *restrict to);
    /* Reverses the bytes of n items. */
    gp_cast_loop swap[GP_N_ITEM_SIZES];
    /* n parts to pairs of a part and a zero. */
    gp_cast_loop pair[GP_N_ITEM_SIZES];
    /* Overwrites items with *nan where the mask, of bytes `stride` apart, hides them. */
    void (*hide[GP_N_ITEM_SIZES])(const uint8_t *mask, int64_t stride, bool is_inverted, const char *nan, int64_t n, char *to);
    /* Copies memory past the caches, if the processor can; stream_end before another thread may read it. */
    void (*stream)(const char *restrict from, int64_t n_bytes, char *restrict to);
    void (*stream_end)(void);
} gp_layout_loops;

/* The loops for this machine. */
const gp_cast_loops *gp_cast_loops_here(void);
const gp_layout_loops *gp_layout_loops_here(void);

#endif
