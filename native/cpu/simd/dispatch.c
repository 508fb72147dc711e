/* Returns the loops of reductions for this machine's level of vector instructions. */
#include "hidden_loops.h"
#include "loops.h"

GP_DECLARE_LEVELS(gp_loops, gp_loops, [GP_N_DTYPES]);
GP_DECLARE_LEVELS(gp_folds, gp_folds, );
GP_DECLARE_LEVELS(gp_hidden_loops, gp_hidden_loops, );

const gp_loops *gp_loops_for(gp_dtype dtype) { return &(*GP_AT_LEVEL_HERE(gp_loops))[dtype]; }

const gp_folds *gp_folds_here(void) { return GP_AT_LEVEL_HERE(gp_folds); }

const gp_hidden_loops *gp_hidden_loops_here(void) { return GP_AT_LEVEL_HERE(gp_hidden_loops); }
