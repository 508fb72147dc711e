/* From what kernels have seen of elements to what is known about them. */
#ifndef GP_CUDA_SUMMARIES_H
#define GP_CUDA_SUMMARIES_H

#include "element_class.h"

#include "../core/statistics/summary.h"

/* An element as it was compared (gp_exact_order), as float64; zeros are +0.0. */
double gp_cuda_value_of(const gp_cuda_elements *elements, gp_order compared);

/* Extremes of a state that kernels left to those of this order, which is that of the elements or GP_ORDER_F64. */
void gp_cuda_settle_summary(const gp_cuda_elements *elements, gp_order_type order, gp_summary_state *state);

#endif
