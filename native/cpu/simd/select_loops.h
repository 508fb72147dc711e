/* The loops of selection: what one look at the keys of some elements finds out about them. */
#ifndef GP_SELECT_LOOPS_H
#define GP_SELECT_LOOPS_H

#include "keys.h"
#include "level.h"

#define GP_MOST_BRACKETS 8
#define GP_SELECT_BINS 4096

/* Ranges of sortable keys that hold wanted ranks. Only keys of the range `valid` are counted at all. */
typedef struct gp_brackets {
    gp_key_range valid;
    int n;
    uint64_t low[GP_MOST_BRACKETS], high[GP_MOST_BRACKETS];
} gp_brackets;

/* What a pass found: counts relative to the ends of each bracket, and the sortable keys strictly inside any of them.
 * at_high is 0 where both ends are one key. */
typedef struct gp_key_tally {
    int64_t n_valid, below[GP_MOST_BRACKETS], at_low[GP_MOST_BRACKETS], at_high[GP_MOST_BRACKETS];
    uint64_t *kept;
    int64_t n_kept, capacity;
    bool is_full; /* there was no room for more: of brackets with low < high only n_valid and below are complete */
} gp_key_tally;

/* Loops over n contiguous elements of a dtype that row_reader.h delivers. */
typedef struct gp_select_loops {
    /* 32- and 64-bit dtypes. */
    void (*tally)(gp_dtype dtype, const void *row, int64_t n, const gp_brackets *brackets, gp_key_tally *tally);
    /* 32- and 64-bit dtypes: counts[(key - low) >> shift] for keys low..high. */
    void (*histogram)(gp_dtype dtype, const void *row, int64_t n, int64_t low, int64_t high, int shift, int64_t *counts);
    /* 8- and 16-bit dtypes: counts[key + 32768]. */
    void (*count_codes)(gp_dtype dtype, const void *row, int64_t n, int64_t *counts);
} gp_select_loops;

/* Of the level of vector instructions that this machine has. */
const gp_select_loops *gp_select_loops_now(void);

/* The one key of an element of a 32- or 64-bit dtype. */
int64_t gp_key_at(gp_dtype dtype, const void *element);

/* Keys counted from the first valid one: unsigned, with few leading bits, for sorting; and back. */
GP_FN uint64_t gp_sortable(int64_t key, gp_key_range valid) { return (uint64_t)key - (uint64_t)valid.first; }
GP_FN int64_t gp_key_of_sortable(uint64_t key, gp_key_range valid) { return (int64_t)(key + (uint64_t)valid.first); }

#endif
