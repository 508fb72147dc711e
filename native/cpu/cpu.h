/* What the files of the CPU backend provide for its struct gp_backend; meanings are in backend.h. */
#ifndef GP_CPU_H
#define GP_CPU_H

#include "../backend.h"

GP_OPERATIONS(GP_OPERATION_DECLARE, cpu)

/* Memory aligned to 64 bytes, of at least one byte; free() it. NULL: there is none. */
void *gp_cpu_alloc(size_t n_bytes);

#endif
