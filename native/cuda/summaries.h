/* From what kernels have seen of elements to what is known about them. */
#ifndef GP_CUDA_SUMMARIES_H
#define GP_CUDA_SUMMARIES_H

#include "elements.h"

#include "../core/summary.h"

/* An element as it was compared (gp_exact_order), as float64; zeros are +0.0. */
double gp_cuda_value_of(const gp_cuda_elements *elements, gp_order compared);

void gp_cuda_to_summary(const gp_cuda_elements *elements, const gp_summary_state *state, gp_summary *out);

#endif
