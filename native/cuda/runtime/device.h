/* Work on a device: entered by one thread at a time, and left. */
#ifndef GP_CUDA_DEVICE_H
#define GP_CUDA_DEVICE_H

#include "handle.h"

#include <stdbool.h>

/*
 * Begins a piece of work on a device: loads the driver and makes the device's state if this is the first time, locks the
 * state (one thread at a time uses it) and makes the primary context current. Ends with gp_cuda_leave, which restores the
 * context that was current before. On failure nothing is locked and no context was pushed.
 */
gp_status gp_cuda_enter(int ordinal, gp_cuda_device **out, gp_error *error) GP_MUST_CHECK;
void gp_cuda_leave(gp_cuda_device *device);

/*
 * Ends the work that gp_cuda_enter began: waits for the stream, also after a failure, because queued kernels read memory of
 * other libraries; then leaves. The first failure is reported.
 */
gp_status gp_cuda_finish(gp_cuda_device *device, gp_status status, gp_error *error) GP_MUST_CHECK;

/*
 * The same after kernels that read and write only cells and scratch memory, which are ours: does not wait, as later work is queued
 * after them. Their failure is reported by the next wait.
 */
gp_status gp_cuda_finish_queued(gp_cuda_device *device, gp_status status, gp_error *error) GP_MUST_CHECK;

/* ---- for the files that manage a device ---------------------------------------------------------------------------- */

/* Trims kept cells if they are too many and no thread is inside; a thread that is inside does it when it leaves. */
void gp_cuda_tidy(gp_cuda_device *device);

/* A transfer uses the device in many short pieces of work. begin is called inside the first one; end outside, with its status: a
 * sticky error that occurred while waiting is noted. */
void gp_cuda_transfer_begin(gp_cuda_device *device);
void gp_cuda_transfer_end(gp_cuda_device *device, CUresult code);

/* Whether the calling thread is inside a transfer. */
bool gp_cuda_is_in_transfer(void);

#endif
