/* The keys by which select kernels order elements, and the value of a key. */
#ifndef GP_CUDA_KEYS_H
#define GP_CUDA_KEYS_H

#include "element_class.h"

/* Blocks of a select kernel for each multiprocessor: a multiple of 3, 4 and 6, the numbers that may be resident at once. */
enum { GP_SELECT_BLOCKS_PER_PROCESSOR = 12 };

/* Keys first..first + span of select_args.h, those of finite values, without the n_dropped low bits that values of the dtype lack. */
typedef struct gp_cuda_key_range {
    gp_cuda_keys type;
    uint64_t first, span;
    int n_dropped;
} gp_cuda_key_range;

/* Those of all finite values of the elements' class and dtype, or of those above zero. */
gp_cuda_key_range gp_cuda_keys_of(const gp_cuda_elements *elements, bool positive_only);

/* The value of the key at a distance from the first. */
double gp_cuda_value_of_key(const gp_cuda_key_range *keys, uint64_t distance);

#endif
