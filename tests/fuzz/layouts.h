/* gp_layout: how the elements of one array lie in memory of just the right size, as a fuzzer's input says. */
#ifndef GP_FUZZ_LAYOUTS_H
#define GP_FUZZ_LAYOUTS_H

#include "input.h"
#include "../../native/core/tensor/tensor.h"

enum { MAX_LAYOUT_DIMS = 5, MAX_LAYOUT_ELEMS = 4096 };

typedef struct gp_layout {
    int64_t strides[MAX_LAYOUT_DIMS];
    int64_t first, n_bytes; /* where element [0, ..., 0] is; of the whole array, 0 where it has no elements */
} gp_layout;

/* Sizes of n_dims axes, some of them 0, with MAX_LAYOUT_ELEMS elements at most. Returns their number. */
int64_t input_shape(gp_input *input, int n_dims, int64_t *shape);

/* Axes in any order in memory, with gaps, turned round; where elements may share memory some have no stride. */
gp_layout input_layout(gp_input *input, int n_dims, const int64_t *shape, int64_t item_bytes, bool may_share);

/* Where element number i is, counted in row-major order. */
int64_t layout_offset(const gp_layout *layout, int n_dims, const int64_t *shape, int64_t i);

/* A dtype by one byte of the input. */
gp_dtype input_dtype(gp_input *input);

/* Elements of a dtype from a seed, all or a third of them small numbers: random bits alone are seldom equal, or whole. Every byte
 * is written, and long doubles are numbers. */
void input_elements(gp_input *input, gp_dtype dtype, bool is_byteswapped, int64_t n_bytes, char *out);

/* The bytes of an element, of each part of it, turned round. */
void swap_element(char *item, gp_dtype dtype);

#endif
