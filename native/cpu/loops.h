/* The inner loops of reductions: one table of functions per dtype and level, and the folds along x. */
#ifndef GP_LOOPS_H
#define GP_LOOPS_H

#include "dtypes.h"
#include "grid.h"
#include "level.h"

/* At most so many tensor rows are added in one pass. */
#define GP_MAX_PASS_ROWS 8

/* The dtypes that rows.h delivers. X(NAME, storage, type that extremes are kept in, element -> that type, type that a few
 * rows are added up in) */
#define GP_LOOP_DTYPES(X)                                                                                              \
    X(U8)                                                                                                              \
    X(U16)                                                                                                             \
    X(U32)                                                                                                             \
    X(U64)                                                                                                             \
    X(I8)                                                                                                              \
    X(I16)                                                                                                             \
    X(I32)                                                                                                             \
    X(I64)                                                                                                             \
    X(F32)                                                                                                             \
    X(F64)                                                                                                             \
    X(F16)                                                                                                             \
    X(BF16)

/* Extremes over finite elements while they are collected: lo > hi where there was none. */
typedef struct gp_range {
    double lo, hi;
} gp_range;

typedef struct gp_loops {
    bool is_float; /* elements may be not finite */

    /* Elements as float64. */
    void (*values)(const void *row, int64_t n, double *out);
} gp_loops;

/* The loops for a dtype that rows.h delivers, at the level of this machine. */
const gp_loops *gp_loops_for(gp_dtype dtype);

#endif
