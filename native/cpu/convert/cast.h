/* gp_cast: a cast as a few loops, which run one after the other. */
#ifndef GP_CAST_H
#define GP_CAST_H

#include "simd/convert_loops.h"

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

#endif
