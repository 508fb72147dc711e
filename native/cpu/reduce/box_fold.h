/* Limits of a box's elements, which states and values need alike. */
#ifndef GP_BOX_FOLD_H
#define GP_BOX_FOLD_H

#include "box.h"

/* Limits of owned elements, where they are wanted. Those that sums have seen on the way are good where nothing was infinite; there was
 * a NaN if has_nan. */
void gp_box_add_wanted(const gp_box *box, bool is_range_good, bool has_nan);

#endif
