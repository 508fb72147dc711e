/* Large conversions to the host, in chunks that are made, copied and unloaded at the same time. */
#ifndef GP_CUDA_TRANSFER_H
#define GP_CUDA_TRANSFER_H

#include "../core/tensor/conversion.h"

/* For conversions that are too large for one step, or whose target has gaps. */
gp_status gp_cuda_transfer(const gp_conversion *plan, const gp_progress *progress, gp_error *error) GP_MUST_CHECK;

#endif
