/* The loops of all dtypes at one level of vector instructions, and their table. */
#include "halves.h"
#include "prefetch.h"
#include "loops_fold.h"
#include "loops_integers.h"
#include "vectors.h"
#include "../../core/states/reductions.h"

#define BLOCK 64
/* So many columns of all rows of a cell are worked out while they are near. */
#define STRIP 256
#define LIMITS_BLOCK 2048
/* Whether a vector is a whole cache line. */
#if defined(__AVX512F__)
#define READS_LINES 1
#else
#define READS_LINES 0
#endif

#define LOOPS "loops_dtype.h"
#include "each_dtype.h"

extern const gp_loops GP_LEVELED(gp_loops)[GP_N_DTYPES];
extern const gp_folds GP_LEVELED(gp_folds);
const gp_folds GP_LEVELED(gp_folds) = {.sums = fold_sums,
                                       .settle_means = settle_means,
                                       .unsign_zeros = unsign_zeros,
                                       .column_moments = column_moments,
                                       .deviations = deviations,
                                       .spreads = spreads};

#define COMMON_LOOPS(NAME)                                                                                                       \
    .values = values_##NAME, .sum = sum_##NAME, .sum_range = sum_range_##NAME, .sum_weighted = sum_weighted_##NAME,              \
    .sum_cell = sum_cell_##NAME, .moments_of_cell = moments_of_cell_##NAME, .extremes = extremes_##NAME,                         \
    .fold_extremes = fold_extremes_##NAME, .extreme_values = extreme_values_##NAME, .moments = moments_##NAME,                   \
    .moments_at = moments_at_##NAME, .sum_in_order = sum_in_order_##NAME, .moments_in_order = moments_in_order_##NAME,           \
    .extremes_dtype = (gp_dtype)extremes_dtype_##NAME, .limits = limits_##NAME, .positive = positive_##NAME
#define FLOAT_LOOPS(NAME)                                                                                                        \
    COMMON_LOOPS(NAME), .is_float = true, .has_far = has_far_##NAME, .sum_finite = sum_finite_##NAME,                            \
        .moments_finite = moments_finite_##NAME, .extremes_finite = extremes_finite_##NAME, .worst = worst_##NAME,               \
        .fold_worst = fold_worst_##NAME, .kinds = kinds_##NAME, .fold_kinds = fold_kinds_##NAME, .classes = classes_##NAME,      \
        .are_finite = are_finite_##NAME

#define INTEGER_ROW(NAME, ...) [GP_##NAME] = {COMMON_LOOPS(NAME)},
#define FLOAT_ROW(NAME, ...) [GP_##NAME] = {FLOAT_LOOPS(NAME)},
const gp_loops GP_LEVELED(gp_loops)[GP_N_DTYPES] = {GP_INTEGER_DTYPES(INTEGER_ROW) GP_FLOAT_DTYPES(FLOAT_ROW)
                                                        GP_FLOAT_16_DTYPES(FLOAT_ROW)};
