/* Finds the keys of some ranks among many, in place, without sorting the others. */
#ifndef GP_RANKS_H
#define GP_RANKS_H

#include "portable.h"

/* A wanted rank (0: the least key) and, once it is known, its key. */
typedef struct gp_ranked {
    int64_t rank;
    uint64_t key;
} gp_ranked;

/* Inserts a rank where ranks do not fall; those that are there already come to be twice. */
void gp_ranks_insert(gp_ranked *ranks, int *n, int64_t rank);

/* Finds the keys of ranks, which do not fall and are below n; the n keys change places. */
void gp_ranks_find(uint64_t *keys, int64_t n, gp_ranked *ranks, int n_ranks);

/* The key of a rank that is among those that were found. */
uint64_t gp_ranks_key(const gp_ranked *ranks, int n, int64_t rank);

#endif
