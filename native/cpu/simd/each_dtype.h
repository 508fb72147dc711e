/* Includes the file LOOPS once for each dtype that loops read in place; it has no include guard. */

/*
 * Defines, for each dtype, NAME and T, the storage of an element, and
 *
 *   for floats FLOAT_BITS, ELEM: T -> float or double, and INF_BITS, the bits of +Inf; and WIDEN, if the processor has instructions that
 *   convert vectors of elements to float32: it returns how many of n it converted;
 *   for integers INT_BITS and IS_NEG, and for narrow ones PART, in which 8 of them can be added up.
 *
 * one_dtype.h derives the other names. float16 and bfloat16 come after float32, as their loops use those of float32.
 */

#define NAME U8
#define T uint8_t
#define INT_BITS 8
#define IS_NEG(x) false
#define PART uint16_t
#include "one_dtype.h"

#define NAME I8
#define T int8_t
#define INT_BITS 8
#define IS_NEG(x) ((x) < 0)
#define PART int16_t
#include "one_dtype.h"

#define NAME U16
#define T uint16_t
#define INT_BITS 16
#define IS_NEG(x) false
#define PART int32_t
#include "one_dtype.h"

#define NAME I16
#define T int16_t
#define INT_BITS 16
#define IS_NEG(x) ((x) < 0)
#define PART int32_t
#include "one_dtype.h"

#define NAME U32
#define T uint32_t
#define INT_BITS 32
#define IS_NEG(x) false
#define VALUE(x) f64_from_u32(x)
#include "one_dtype.h"

#define NAME I32
#define T int32_t
#define INT_BITS 32
#define IS_NEG(x) ((x) < 0)
#include "one_dtype.h"

#define NAME U64
#define T uint64_t
#define INT_BITS 64
#define IS_NEG(x) false
#define ELEM(x) f64_from_u64(x)
#define ORDER(x) gp_order_of_u64(x)
#include "one_dtype.h"

#define NAME I64
#define T int64_t
#define INT_BITS 64
#define IS_NEG(x) ((x) < 0)
#define ELEM(x) f64_from_i64(x)
#include "one_dtype.h"

#define NAME F32
#define T float
#define FLOAT_BITS 32
#define ELEM(x) (x)
#define INF_BITS 0x7f800000
#include "one_dtype.h"

#define NAME F64
#define T double
#define FLOAT_BITS 64
#define ELEM(x) (x)
#define INF_BITS 0x7ff0000000000000
#include "one_dtype.h"

#define NAME F16
#define T uint16_t
#define FLOAT_BITS 16
#define ELEM(x) gp_f32_from_f16(x)
#if defined(__F16C__)
#define WIDEN(from, n, to) gp_widen_halves((const char *)(from), n, (char *)(to))
#endif
#define INF_BITS 0x7c00
#include "one_dtype.h"

#define NAME BF16
#define T uint16_t
#define FLOAT_BITS 16
#define ELEM(x) gp_f32_from_bf16(x)
#define INF_BITS 0x7f80
#include "one_dtype.h"

#undef LOOPS
