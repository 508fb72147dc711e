/* Small functions for arithmetic of sizes, places and strides. */
#ifndef GP_ARITHMETIC_H
#define GP_ARITHMETIC_H

#include "portable.h"

GP_FN int64_t gp_smaller(int64_t a, int64_t b) { return a < b ? a : b; }
GP_FN int64_t gp_larger(int64_t a, int64_t b) { return a > b ? a : b; }
GP_FN int64_t gp_clip(int64_t n, int64_t low, int64_t high) { return n < low ? low : n > high ? high : n; }
GP_FN int64_t gp_absolute(int64_t n) { return n < 0 ? -n : n; }

/* The number of parts of `size` that n >= 0 items need; the last one may be shorter. */
GP_FN int64_t gp_n_parts(int64_t n, int64_t size) { return n / size + (n % size != 0); }

#endif
