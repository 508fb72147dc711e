/* gp_bytes: bytes on the heap, such as an encoded file. */
#ifndef GP_BYTES_H
#define GP_BYTES_H

#include "../core/base/portable.h"

#include <stddef.h>

/* Free with gp_bytes_free. */
typedef struct gp_bytes {
    uint8_t *data;
    size_t n_bytes;
} gp_bytes;

void gp_bytes_free(gp_bytes *bytes);

#endif
