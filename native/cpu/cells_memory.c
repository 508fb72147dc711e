/* Memory of cells: the last freed blocks are kept for the next cells, as each page that is new to a process costs a page fault. */
#include "cells_memory.h"
#include "../core/base/alloc.h"

#include <stdatomic.h>
#include <stdbool.h>

#define UNIT_BYTES ((size_t)1 << 20)

/* Smaller blocks are left to the C library; larger ones get huge pages, which fault rarely. */
#define LEAST_KEPT_BYTES UNIT_BYTES
#define MOST_KEPT_BYTES (8 * UNIT_BYTES)

enum { N_KEPT = 4 };

/* Free blocks, each of which begins with its size. A thread takes one by an exchange, so that no lock can stay held in a forked child. */
static _Atomic(size_t *) kept[N_KEPT];
static atomic_uint n_freed;

static size_t rounded(size_t n_bytes) { return (n_bytes + UNIT_BYTES - 1) / UNIT_BYTES * UNIT_BYTES; }

static bool is_kept_size(size_t n_bytes) { return GP_KEEPS_CELLS && n_bytes >= LEAST_KEPT_BYTES && n_bytes <= MOST_KEPT_BYTES; }

static void put(unsigned slot, size_t *memory) { free(atomic_exchange(&kept[slot], memory)); }

/* A kept block of n_bytes to twice as many, or NULL. */
static void *take(size_t n_bytes)
{
    for (unsigned slot = 0; slot < N_KEPT; slot++) {
        size_t *memory = atomic_exchange(&kept[slot], NULL);
        if (memory != NULL && *memory >= n_bytes && *memory / 2 <= n_bytes)
            return memory;
        if (memory != NULL)
            put(slot, memory);
    }
    return NULL;
}

gp_status gp_cells_memory_alloc(size_t n_bytes, double **out, gp_error *error)
{
    size_t n = is_kept_size(n_bytes) ? rounded(n_bytes) : n_bytes;
    *out = is_kept_size(n_bytes) ? take(n) : NULL;
    return *out != NULL ? GP_OK : gp_alloc(n, out, error);
}

void gp_cells_memory_free(double *memory, size_t n_bytes)
{
    size_t n = rounded(n_bytes);
    if (memory == NULL || !is_kept_size(n_bytes)) {
        free(memory);
        return;
    }
    memcpy(memory, &n, sizeof n);
    put(atomic_fetch_add(&n_freed, 1) % N_KEPT, (size_t *)memory);
}
