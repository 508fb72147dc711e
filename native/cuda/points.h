/* Single elements anywhere in a device's memory. */
#ifndef GP_CUDA_POINTS_H
#define GP_CUDA_POINTS_H

#include "../core/base/status.h"
#include "points.h"

#include <stdint.h>

/*
 * Elements of `item_bytes` anywhere in memory of one device, to host memory, one after the other: a copy of the addresses to
 * the device, a kernel, and a copy back, for any number of elements. Addresses are first checked by the driver.
 */
gp_status gp_cuda_gather_points(int ordinal, const uint64_t *addresses, int64_t n_points, int item_bytes, void *out,
                                gp_error *error) GP_MUST_CHECK;

#endif
