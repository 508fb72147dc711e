/* Allocation of host memory: with a status, and freed at the end of a scope. */
#ifndef GP_ALLOC_H
#define GP_ALLOC_H

#include "status.h"

#include <stdlib.h>
#include <string.h>

/*
 * Memory of so many bytes, at least one, to the pointer at `out`, which is NULL on failure; free() it. Memory of gp_alloc is aligned to
 * 64 bytes, and not cleared.
 */
gp_status gp_alloc(size_t n_bytes, void *out, gp_error *error) GP_MUST_CHECK;
gp_status gp_alloc_zeroed(size_t n_bytes, void *out, gp_error *error) GP_MUST_CHECK;

/* A pointer whose memory, if any, is freed at the end of its scope, on every way out. */
#define GP_FREED __attribute__((cleanup(gp_free_at)))

static inline void gp_free_at(void *pointer)
{
    void *memory;
    memcpy(&memory, pointer, sizeof memory);
    free(memory);
}

#endif
