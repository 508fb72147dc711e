/* Counts of a device, and closing all devices. */
#include "runtime.h"

#include "cells_memory.h"
#include "device.h"
#include "device_state.h"
#include "pinned.h"

gp_status gp_cuda_count(int ordinal, gp_cuda_counts *out, gp_error *error)
{
    gp_cuda_device *device = NULL;
    GP_TRY(gp_cuda_enter(ordinal, &device, error));
    *out = device->counts;
    for (int i = 0; i < GP_N_SLOTS; i++)
        out->scratch_bytes += (int64_t)device->slots[i].block.n_bytes;
    pthread_mutex_lock(&device->cells.mutex);
    out->cached_cells_bytes = (int64_t)device->cells.free_bytes;
    pthread_mutex_unlock(&device->cells.mutex);
    gp_cuda_leave(device);
    gp_cuda_pinned_counts pinned = gp_cuda_pinned_count();
    out->pinned_live_bytes = pinned.live_bytes, out->pinned_kept_bytes = pinned.kept_bytes;
    return GP_OK;
}

void gp_cuda_close(void)
{
    if (gp_cuda_is_forked() || gp_cuda_is_in_transfer())
        return;
    for (int i = 0; i < GP_MAX_DEVICES; i++) {
        gp_cuda_device *device = gp_cuda_find_device(i);
        if (device == NULL)
            continue;
        pthread_mutex_lock(&device->mutex);
        while (device->n_transfers > 0)
            pthread_cond_wait(&device->transfers_done, &device->mutex);
        if (device->is_ready)
            gp_cuda_state_unmake(device);
        pthread_mutex_unlock(&device->mutex);
    }
    gp_cuda_pinned_close();
    gp_cuda_unload();
}
