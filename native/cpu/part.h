/* The answer about elements of a loop's dtype, but for where its extremes are. */
#ifndef GP_PART_H
#define GP_PART_H

#include "../core/summary.h"
#include "look.h"

gp_summary gp_summary_of_part(const gp_part *part, gp_dtype dtype);

#endif
