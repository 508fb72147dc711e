/* Memory of cells, which is kept when they are freed and given to the next ones. */
#ifndef GP_CELLS_MEMORY_H
#define GP_CELLS_MEMORY_H

#include "../core/base/status.h"

#include <stddef.h>

/* Nothing is kept for programs that find uses after free(). */
#if defined(__has_feature)
#define GP_HAS_FEATURE(x) __has_feature(x)
#else
#define GP_HAS_FEATURE(x) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || GP_HAS_FEATURE(address_sanitizer)
#define GP_KEEPS_CELLS 0
#else
#define GP_KEEPS_CELLS 1
#endif

/* Memory of so many bytes, aligned to 64 bytes and not cleared. */
gp_status gp_cells_memory_alloc(size_t n_bytes, double **out, gp_error *error) GP_MUST_CHECK;

/* n_bytes: as many as at the allocation. At most 32 MB in four blocks are kept by the process. */
void gp_cells_memory_free(double *memory, size_t n_bytes);

#endif
