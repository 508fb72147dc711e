/* The loops of all dtypes at one level of vector instructions, and their table. */
#include "loops_fold.h"
#include "loops_integers.h"
#include "reductions.h"

#define BLOCK 64
#define FACTS_BLOCK 2048
#define PREFETCH_BYTES 3072

/* What no value of a type is above, and what none is below. */
#define highest_float INFINITY
#define lowest_float (-INFINITY)
#define highest_double ((double)INFINITY)
#define lowest_double (-(double)INFINITY)
#define highest_int64_t INT64_MAX
#define lowest_int64_t INT64_MIN
#define highest_uint64_t UINT64_MAX
#define lowest_uint64_t ((uint64_t)0)

#define NAME U8
#define T uint8_t
#define E float
#define ELEM(x) ((float)(x))
#define PART uint16_t
#define PART_ELEM(x) (x)
#define PASS_ROWS 8
#define IS_FLOAT 0
#include "loops_dtype.h"

#define NAME I8
#define T int8_t
#define E float
#define ELEM(x) ((float)(x))
#define PART int16_t
#define PART_ELEM(x) (x)
#define PASS_ROWS 8
#define IS_FLOAT 0
#include "loops_dtype.h"

#define NAME U16
#define T uint16_t
#define E float
#define ELEM(x) ((float)(x))
#define PART int32_t
#define PART_ELEM(x) (x)
#define PASS_ROWS 8
#define IS_FLOAT 0
#include "loops_dtype.h"

#define NAME I16
#define T int16_t
#define E float
#define ELEM(x) ((float)(x))
#define PART int32_t
#define PART_ELEM(x) (x)
#define PASS_ROWS 8
#define IS_FLOAT 0
#include "loops_dtype.h"

#define NAME U32
#define T uint32_t
#define E double
#define ELEM(x) ((double)(x))
#define PART double
#define PART_ELEM(x) ((double)(x))
#define PASS_ROWS 4
#define IS_FLOAT 0
#include "loops_dtype.h"

#define NAME I32
#define T int32_t
#define E double
#define ELEM(x) ((double)(x))
#define PART double
#define PART_ELEM(x) ((double)(x))
#define PASS_ROWS 4
#define IS_FLOAT 0
#include "loops_dtype.h"

#define NAME U64
#define T uint64_t
#define E double
#define ELEM(x) f64_from_u64(x)
#define EXTREME uint64_t
#define EXACT(x) (x)
#define PART double
#define PART_ELEM(x) f64_from_u64(x)
#define PASS_ROWS 4
#define IS_FLOAT 0
#include "loops_dtype.h"

#define NAME I64
#define T int64_t
#define E double
#define ELEM(x) f64_from_i64(x)
#define EXTREME int64_t
#define EXACT(x) (x)
#define PART double
#define PART_ELEM(x) f64_from_i64(x)
#define PASS_ROWS 4
#define IS_FLOAT 0
#include "loops_dtype.h"

#define NAME F32
#define T float
#define E float
#define ELEM(x) (x)
#define PART double
#define PART_ELEM(x) ((double)(x))
#define PASS_ROWS 4
#define IS_FLOAT 1
#define BITS int32_t
#define SIGN_BIT INT32_MIN
#define INF_BITS 0x7f800000
#include "loops_dtype.h"

#define NAME F64
#define T double
#define E double
#define ELEM(x) (x)
#define PART double
#define PART_ELEM(x) (x)
#define PASS_ROWS 4
#define IS_FLOAT 1
#define BITS int64_t
#define SIGN_BIT INT64_MIN
#define INF_BITS 0x7ff0000000000000
#include "loops_dtype.h"

#define NAME F16
#define T uint16_t
#define E float
#define ELEM(x) gp_f32_from_f16(x)
#define PART double
#define PART_ELEM(x) ((double)gp_f32_from_f16(x))
#define PASS_ROWS 4
#define IS_FLOAT 1
#define BITS int16_t
#define SIGN_BIT INT16_MIN
#define INF_BITS 0x7c00
#include "loops_dtype.h"

#define NAME BF16
#define T uint16_t
#define E float
#define ELEM(x) gp_f32_from_bf16(x)
#define PART double
#define PART_ELEM(x) ((double)gp_f32_from_bf16(x))
#define PASS_ROWS 4
#define IS_FLOAT 1
#define BITS int16_t
#define SIGN_BIT INT16_MIN
#define INF_BITS 0x7f80
#include "loops_dtype.h"

extern const gp_loops GP_LEVELED(gp_loops)[GP_N_DTYPES];
extern const gp_folds GP_LEVELED(gp_folds);
const gp_folds GP_LEVELED(gp_folds) = {.sums = fold_sums, .even_sums = fold_even_sums, .settle_means = settle_means};

#define COMMON_LOOPS(NAME)                                                                                                       \
    .values = values_##NAME, .sum = sum_##NAME, .sum_range = sum_range_##NAME, .sum_weighted = sum_weighted_##NAME,              \
    .extremes = extremes_##NAME, .fold_extremes = fold_extremes_##NAME, .moments = moments_##NAME,                               \
    .moments_at = moments_at_##NAME, .facts = facts_##NAME, .positive = positive_##NAME
#define FLOAT_LOOPS(NAME)                                                                                                        \
    COMMON_LOOPS(NAME), .is_float = true, .sum_finite = sum_finite_##NAME, .extremes_finite = extremes_finite_##NAME,            \
        .worst = worst_##NAME, .fold_worst = fold_worst_##NAME, .kinds = kinds_##NAME, .fold_kinds = fold_kinds_##NAME,          \
        .classes = classes_##NAME

const gp_loops GP_LEVELED(gp_loops)[GP_N_DTYPES] = {
    [GP_U8] = {COMMON_LOOPS(U8), .extremes_dtype = GP_F32},   [GP_I8] = {COMMON_LOOPS(I8), .extremes_dtype = GP_F32},
    [GP_U16] = {COMMON_LOOPS(U16), .extremes_dtype = GP_F32}, [GP_I16] = {COMMON_LOOPS(I16), .extremes_dtype = GP_F32},
    [GP_U32] = {COMMON_LOOPS(U32), .extremes_dtype = GP_F64}, [GP_I32] = {COMMON_LOOPS(I32), .extremes_dtype = GP_F64},
    [GP_U64] = {COMMON_LOOPS(U64), .extremes_dtype = GP_U64}, [GP_I64] = {COMMON_LOOPS(I64), .extremes_dtype = GP_I64},
    [GP_F32] = {FLOAT_LOOPS(F32), .extremes_dtype = GP_F32},  [GP_F64] = {FLOAT_LOOPS(F64), .extremes_dtype = GP_F64},
    [GP_F16] = {FLOAT_LOOPS(F16), .extremes_dtype = GP_F32},  [GP_BF16] = {FLOAT_LOOPS(BF16), .extremes_dtype = GP_F32},
};
