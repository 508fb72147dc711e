/* Includes LOOPS for one dtype: a part of each_dtype.h, which defines NAME, T and others; at the end all names are undefined. */

/*
 * T       storage of an element
 * E       float or double: the type in which its value is exact (64-bit integers: nearest), with ELEM: T -> E
 * VALUE   T -> double
 * EXTREME the type of columns of extremes, which holds every value exactly, with EXACT: T -> EXTREME
 * PART    the type in which a few rows are added up, with PART_ELEM: T -> PART; it must not overflow for PASS_ROWS of them
 * PASS_ROWS, MOMENT_ROWS   how many rows are added up at a time, or their moments: ten where these gain by it
 * BITS    for floats: the signed integer of T's width, with SIGN_BIT and INF_BITS (the bits of +Inf)
 * HAS_VECTORS   whether vectors.h loads elements of this dtype
 * ORDER   for integers: T -> gp_order
 */
#define FN_JOIN_(name, suffix) name##_##suffix
#define FN_JOIN(name, suffix) FN_JOIN_(name, suffix)
#define FN(name) FN_JOIN(name, NAME)

#if FLOAT_BITS > 0 && FLOAT_BITS < 64 && defined(GP_LANES)
#define HAS_VECTORS 1
#else
#define HAS_VECTORS 0
#endif

#if FLOAT_BITS == 64
#define E double
#define BITS int64_t
#define SIGN_BIT INT64_MIN
#elif FLOAT_BITS == 32
#define E float
#define BITS int32_t
#define SIGN_BIT INT32_MIN
#elif FLOAT_BITS == 16
#define E float
#define BITS int16_t
#define SIGN_BIT INT16_MIN
#elif INT_BITS == 64
#define E double
#define EXTREME T
#define EXACT(x) (x)
#define VALUE(x) ELEM(x)
#elif INT_BITS == 32
#define E double
#else
#define E float
#define PART_ELEM(x) (x)
#define PASS_ROWS 8
#endif

#if FLOAT_BITS
#define IS_FLOAT 1
#define VALUE(x) ((double)ELEM(x))
#else
#define IS_FLOAT 0
#endif
#ifndef ELEM
#define ELEM(x) ((E)(x))
#endif
#ifndef VALUE
#define VALUE(x) ((double)(x))
#endif
#ifndef EXTREME
#define EXTREME E
#define EXACT(x) ELEM(x)
#endif
#ifndef PART
#define PART double
#define PART_ELEM(x) ((double)ELEM(x))
#if FLOAT_BITS == 32 || INT_BITS == 32 || HAS_VECTORS
#define PASS_ROWS 10
#define MOMENT_ROWS 10
#else
#define PASS_ROWS 5
#endif
#endif
#ifndef MOMENT_ROWS
#define MOMENT_ROWS 4
#endif
#ifndef ORDER
#define ORDER(x) ((int64_t)(x))
#endif

#include LOOPS

#undef FN
#undef FN_JOIN
#undef FN_JOIN_
#undef NAME
#undef T
#undef FLOAT_BITS
#undef INT_BITS
#undef IS_FLOAT
#undef IS_NEG
#undef HAS_VECTORS
#undef E
#undef ELEM
#undef WIDEN
#undef VALUE
#undef EXTREME
#undef EXACT
#undef PART
#undef PART_ELEM
#undef PASS_ROWS
#undef MOMENT_ROWS
#undef BITS
#undef SIGN_BIT
#undef INF_BITS
#undef ORDER
