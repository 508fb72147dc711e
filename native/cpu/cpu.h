/* What the files of the CPU backend provide for its struct gp_backend; meanings are in backend.h. */
#ifndef GP_CPU_H
#define GP_CPU_H

#include "../backend.h"

GP_OPERATIONS(GP_OPERATION_DECLARE, cpu)

#endif
