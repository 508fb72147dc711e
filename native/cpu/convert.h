/* Conversions on the CPU: their loops, the steps of a cast, and the blocks that a plan is cut into. */
#ifndef GP_CPU_CONVERT_H
#define GP_CPU_CONVERT_H

#include "../core/casts.h"
#include "../core/conversion.h"
#include "level.h"
#include "../core/nontemporal.h"

/* ---- loops, compiled for each level of vector instructions -------------------------------------------------------- */

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

/* ---- the steps of a cast ------------------------------------------------------------------------------------------ */

#define GP_CAST_MAX_STEPS 5

/* The loops of a cast, none to five, which run one after the other through small buffers. */
typedef struct gp_cast {
    gp_cast_loop steps[GP_CAST_MAX_STEPS];
    int bytes[GP_CAST_MAX_STEPS + 1]; /* size of an item before each step, and after the last */
    int n_steps;
    int64_t n_parts; /* items of an element */
} gp_cast;

gp_cast gp_cast_make(gp_dtype from, gp_dtype to, bool is_byteswapped);

/* Casts n elements. Without steps they are copied. */
void gp_cast_run(const gp_cast *cast, const char *from, int64_t n, char *to);

/* ---- blocks --------------------------------------------------------------------------------------------------------- */

/*
 * A box of the plan: sizes along its axes T (the target's fastest), S and R. Elements are gathered with T fastest, then S,
 * then R, cast, and written.
 */
typedef struct gp_box {
    const char *from;
    char *to;
    const uint8_t *mask;
    int64_t n_t, n_s, n_r;
} gp_box;

typedef struct gp_block_work {
    gp_conversion plan;
    gp_conversion_axis t, s, r; /* of size 1 where the plan has no such axis */
    int64_t n_t, n_s, n_r; /* sizes of a block */
    int64_t block_elems; /* most elements of a block */
    gp_cast cast;
    const gp_layout_loops *loops;
    int64_t n_together; /* elements that form an item: the plan's elements and axes are counted in items */
    int64_t from_bytes, to_bytes;
    int from_size, to_size; /* indices of the sizes of items, for the loops' tables */
    bool is_turned; /* the source is gathered along S, not T */
    bool is_streamed; /* the target is written past the caches */
    char nan[16]; /* what a masked element becomes */
} gp_block_work;

/* Bytes of memory that gp_block_convert needs, for one thread. */
int64_t gp_block_scratch_bytes(const gp_block_work *work);

void gp_block_convert(const gp_block_work *work, const gp_box *box, char *scratch);

/* ---- lists --------------------------------------------------------------------------------------------------------- */

/* For plans in which three axes make only small blocks: the places of elements along several axes, from the first one, in plan's order. */
typedef struct gp_list {
    bool has_axis[GP_MAX_NDIM];
    int64_t n, run; /* elements; how many of them in a row lie side by side in the target */
    int64_t *from, *to, *mask; /* bytes: of each element; of each run; of each element */
} gp_list;

gp_status gp_list_make(const gp_block_work *work, gp_list *out, gp_error *error) GP_MUST_CHECK;
void gp_list_free(gp_list *list);
int64_t gp_list_scratch_bytes(const gp_block_work *work, const gp_list *list);

/* The box tells where the first element is; its sizes are not used. */
void gp_list_convert(const gp_block_work *work, const gp_list *list, const gp_box *box, char *scratch);

#endif
