/* Finds the loops over blocks of elements of this machine's level. */
#include "block_loops.h"

GP_DECLARE_LEVELS(gp_block_loops, gp_block_loops, [GP_N_DTYPES]);

const gp_block_loops *gp_block_loops_for(gp_dtype dtype) { return &(*GP_AT_LEVEL_HERE(gp_block_loops))[dtype]; }

gp_order_type gp_block_order(gp_dtype dtype)
{
    return dtype == GP_U64 ? GP_ORDER_U64 : gp_dtype_is_float(dtype) ? GP_ORDER_F64 : GP_ORDER_I64;
}
