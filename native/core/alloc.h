/* Memory of the host: had with a status, and let go where a scope ends. */
#ifndef GP_ALLOC_H
#define GP_ALLOC_H

#include "status.h"

#include <stdlib.h>
#include <string.h>

/*
 * Memory of so many bytes, at least one, to the pointer at `out`, which is NULL where there is none; free() it. What gp_alloc gives is
 * aligned to 64 bytes, and not cleared.
 */
gp_status gp_alloc(size_t n_bytes, void *out, gp_error *error) GP_MUST_CHECK;
gp_status gp_alloc_zeroed(size_t n_bytes, void *out, gp_error *error) GP_MUST_CHECK;

/* A pointer whose memory, if it has some, is let go where its scope ends, on every way out. */
#define GP_FREED __attribute__((cleanup(gp_free_at)))

static inline void gp_free_at(void *pointer)
{
    void *memory;
    memcpy(&memory, pointer, sizeof memory);
    free(memory);
}

#endif
