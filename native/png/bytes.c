/* Frees bytes on the heap. */
#include "bytes.h"

#include <stdlib.h>

void gp_bytes_free(gp_bytes *bytes)
{
    free(bytes->data);
    *bytes = (gp_bytes){0};
}
