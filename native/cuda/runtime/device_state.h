/* The states of all devices: made, reset and freed. */
#ifndef GP_CUDA_DEVICE_STATE_H
#define GP_CUDA_DEVICE_STATE_H

#include "state.h"

enum { GP_MAX_DEVICES = 64 };

/* The state of the device with this ordinal, or NULL if there is none yet. Takes no lock of the device. */
gp_cuda_device *gp_cuda_find_device(int ordinal);

/* The same, added if there is none; an error without a device of this number. */
gp_status gp_cuda_find_or_add(const gp_cuda_api *api, int ordinal, gp_cuda_device **out, gp_error *error) GP_MUST_CHECK;

/* Makes the context, stream, event and memory pool of a state, and sets is_ready; unmake frees all that the device has. As the functions
 * below, these need the device's mutex. */
gp_status gp_cuda_state_make(gp_cuda_device *device, const gp_cuda_api *api, gp_error *error) GP_MUST_CHECK;
void gp_cuda_state_unmake(gp_cuda_device *device);

/* Whether the device was reset (cudaDeviceReset, numba.cuda.close), which ends all handles and frees all memory, even if the new context
 * has the old handle. Drivers before CUDA 12 cannot tell; there the first failing call shows it. */
bool gp_cuda_state_is_reset(gp_cuda_device *device);

/* Forgets handles that a reset has ended, without passing them to the driver; an error while transfers are in progress. */
gp_status gp_cuda_state_forget(gp_cuda_device *device, gp_error *error) GP_MUST_CHECK;

#endif
