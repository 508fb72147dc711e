/* Reads elements of any plane in kernels: typed runs of the plain dtypes, and one slow loader that knows everything. */
#ifndef GP_ELEMENTS_CUH
#define GP_ELEMENTS_CUH

#include "device.cuh"
#include "../../core/view.h"

#endif
