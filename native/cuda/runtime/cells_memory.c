/* Memory of cells: blocks outlive the work that allocated them, and freed ones are kept for the next cells. */
#include "cells_memory.h"

#include "pool.h"
#include "state.h"

#include <stdlib.h>

/* Functions that free memory remove blocks from the list under the cells' mutex, and call the driver after releasing it. */

static bool grow_list(gp_cuda_cells_cache *cells)
{
    if (cells->n_blocks < cells->capacity)
        return true;
    int capacity = cells->capacity > 0 ? 2 * cells->capacity : 16;
    gp_cuda_cells_block *blocks = realloc(cells->blocks, (size_t)capacity * sizeof *blocks);
    if (blocks == NULL)
        return false;
    cells->blocks = blocks, cells->capacity = capacity;
    return true;
}

/* The smallest kept block that is large enough and not much larger; -1: none. */
static int find_kept(const gp_cuda_cells_cache *cells, size_t n_bytes)
{
    int best = -1;
    for (int i = 0; i < cells->n_blocks; i++) {
        size_t size = cells->blocks[i].block.n_bytes;
        if (cells->blocks[i].is_free && size >= n_bytes && size / 2 <= n_bytes &&
            (best < 0 || size < cells->blocks[best].block.n_bytes))
            best = i;
    }
    return best;
}

static bool take_kept(gp_cuda_cells_cache *cells, size_t n_bytes, CUdeviceptr *out)
{
    pthread_mutex_lock(&cells->mutex);
    int at = find_kept(cells, n_bytes);
    if (at >= 0) {
        cells->blocks[at].is_free = false;
        cells->free_bytes -= cells->blocks[at].block.n_bytes;
        *out = cells->blocks[at].block.pointer;
    }
    pthread_mutex_unlock(&cells->mutex);
    return at >= 0;
}

gp_status gp_cuda_block_alloc(gp_cuda_device *device, size_t n_bytes, gp_cuda_block *out, gp_error *error)
{
    CUdeviceptr pointer = 0;
    CUresult code = gp_cuda_pool_take(device, n_bytes, &pointer);
    if (code == CUDA_ERROR_OUT_OF_MEMORY) { /* cached cells are freed, then it tries again */
        gp_cuda_cells_trim(device, 0);
        code = gp_cuda_pool_take(device, n_bytes, &pointer);
    }
    GP_TRY_CUDA(code, device->pool != NULL ? "cuMemAllocFromPoolAsync" : "cuMemAlloc", error);
    *out = (gp_cuda_block){pointer, n_bytes};
    device->counts.n_device_allocs++;
    device->counts.device_bytes += (int64_t)n_bytes;
    return GP_OK;
}

gp_status gp_cuda_cells_alloc(gp_cuda_device *device, size_t n_bytes, CUdeviceptr *out, gp_error *error)
{
    gp_cuda_cells_cache *cells = &device->cells;
    gp_cuda_block block;
    if (n_bytes > SIZE_MAX / 2)
        return gp_fail(error, GP_ERR_OVERFLOW, "%zu bytes of cells are more than memory can address", n_bytes);
    size_t wanted = gp_cuda_round_bytes(n_bytes);
    if (take_kept(cells, wanted, out))
        return GP_OK;
    GP_TRY(gp_cuda_block_alloc(device, wanted, &block, error));
    pthread_mutex_lock(&cells->mutex);
    bool is_listed = grow_list(cells);
    if (is_listed)
        cells->blocks[cells->n_blocks++] = (gp_cuda_cells_block){.block = block};
    pthread_mutex_unlock(&cells->mutex);
    if (!is_listed) {
        gp_cuda_block_free(device, &block);
        return gp_fail_memory(error, (double)(2 * (size_t)cells->capacity * sizeof *cells->blocks));
    }
    *out = block.pointer;
    return GP_OK;
}

void gp_cuda_cells_keep(gp_cuda_device *device, CUdeviceptr pointer)
{
    gp_cuda_cells_cache *cells = &device->cells;
    pthread_mutex_lock(&cells->mutex);
    for (int i = 0; i < cells->n_blocks; i++) {
        gp_cuda_cells_block *block = &cells->blocks[i];
        if (block->block.pointer == pointer && !block->is_free) {
            block->is_free = true;
            block->freed_at = ++cells->n_frees;
            cells->free_bytes += block->block.n_bytes;
            break;
        }
    }
    pthread_mutex_unlock(&cells->mutex);
}

bool gp_cuda_cells_is_full(gp_cuda_device *device)
{
    pthread_mutex_lock(&device->cells.mutex);
    bool is_full = device->cells.free_bytes > GP_KEPT_BYTES;
    pthread_mutex_unlock(&device->cells.mutex);
    return is_full;
}

/* Removes the block that was freed first from the list; false if the kept blocks are within the limit. */
static bool take_oldest(gp_cuda_cells_cache *cells, size_t n_bytes_kept, gp_cuda_block *out)
{
    int oldest = -1;
    pthread_mutex_lock(&cells->mutex);
    for (int i = 0; i < cells->n_blocks && cells->free_bytes > n_bytes_kept; i++) {
        if (cells->blocks[i].is_free && (oldest < 0 || cells->blocks[i].freed_at < cells->blocks[oldest].freed_at))
            oldest = i;
    }
    if (oldest >= 0) {
        *out = cells->blocks[oldest].block;
        cells->free_bytes -= out->n_bytes;
        cells->blocks[oldest] = cells->blocks[--cells->n_blocks];
    }
    pthread_mutex_unlock(&cells->mutex);
    return oldest >= 0;
}

void gp_cuda_cells_trim(gp_cuda_device *device, size_t n_bytes_kept)
{
    gp_cuda_block block;
    while (take_oldest(&device->cells, n_bytes_kept, &block))
        gp_cuda_block_free(device, &block);
}

bool gp_cuda_cells_is_live(gp_cuda_device *device, CUdeviceptr pointer)
{
    bool is_found = false;
    pthread_mutex_lock(&device->cells.mutex);
    for (int i = 0; i < device->cells.n_blocks && !is_found; i++)
        is_found = device->cells.blocks[i].block.pointer == pointer && !device->cells.blocks[i].is_free;
    pthread_mutex_unlock(&device->cells.mutex);
    return is_found;
}

void gp_cuda_cells_close(gp_cuda_device *device, bool is_context_gone)
{
    gp_cuda_cells_cache *cells = &device->cells;
    pthread_mutex_lock(&cells->mutex);
    gp_cuda_cells_block *blocks = cells->blocks;
    int n_blocks = cells->n_blocks;
    cells->blocks = NULL;
    cells->n_blocks = cells->capacity = 0;
    cells->free_bytes = 0;
    pthread_mutex_unlock(&cells->mutex);
    for (int i = 0; i < n_blocks && !is_context_gone; i++)
        gp_cuda_block_free(device, &blocks[i].block);
    free(blocks);
}
