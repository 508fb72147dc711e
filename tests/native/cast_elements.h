/* What tests of conversions share: elements cast one by one through casts.h, random ones, and memory of just the right size. */
#ifndef GP_CAST_ELEMENTS_H
#define GP_CAST_ELEMENTS_H

#include "../../native/core/tensor/casts.h"
#include "../../native/core/tensor/conversion.h"

enum { MAX_ITEM_BYTES = 32 };

/* A plan that must succeed. */
gp_conversion plan_of(const gp_tensor *tensor, const gp_target *target);

/* Whether elements of one dtype become another. */
bool is_pair(gp_dtype from, gp_dtype to);

/* One part of a complex element, or a real one; and a whole element. */
void cast_part(const char *from, gp_dtype from_dtype, gp_dtype to_dtype, char *to);
void cast_element(const char *from, gp_dtype from_dtype, gp_dtype to_dtype, char *to);

uint64_t random_bits(void);

/* Random bytes are elements of any dtype, but for long doubles: not all of their codes are numbers. */
void fill_random(gp_dtype dtype, int64_t n, char *out);

/* Bit for bit; the padding of a long double is nobody's. */
void check_same(const char *got, const char *want, gp_dtype dtype);

/* Memory that ends where the bytes end, so that a sanitizer sees the first one beyond; `shift` unused bytes come first. */
char *exactly(int64_t n_bytes, int shift);

#endif
