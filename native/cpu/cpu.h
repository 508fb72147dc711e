/* The operations of the CPU backend, which fill its struct gp_backend; see backend.h. */
#ifndef GP_CPU_H
#define GP_CPU_H

#include "../backend.h"

GP_OPERATIONS(GP_OPERATION_DECLARE, cpu)

#endif
