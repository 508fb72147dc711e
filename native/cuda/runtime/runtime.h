/* What is counted of a device, and the end of all devices. */
#ifndef GP_CUDA_RUNTIME_H
#define GP_CUDA_RUNTIME_H

#include "handle.h"

gp_status gp_cuda_count(int ordinal, gp_cuda_counts *out, gp_error *error) GP_MUST_CHECK;

/* Waits for transfers, frees everything of every device, except pinned memory in use, and releases the primary contexts; the
 * next call starts anew. Not called at exit, as the driver may have ended. Does nothing inside a transfer. */
void gp_cuda_close(void);

#endif
