/* The parameters of the kernels in planted.cu. */
#ifndef GP_EMU_PLANTED_ARGS_H
#define GP_EMU_PLANTED_ARGS_H

#include "../../native/core/base/portable.h"

typedef struct planted_args {
    const float *in;
    float *out;
    int64_t n;
} planted_args;

#endif
