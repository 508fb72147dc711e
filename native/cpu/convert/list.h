/* gp_list: the places of a block's elements, for plans in which three axes make only small blocks. */
#ifndef GP_CONVERT_LIST_H
#define GP_CONVERT_LIST_H

#include "block.h"

/* For plans in which three axes make only small blocks: the places of elements along several axes, from the first one, in plan's order. */
typedef struct gp_list {
    bool has_axis[GP_MAX_NDIM];
    int64_t n, run; /* elements; how many of them in a row lie side by side in the target */
    int64_t *from, *to, *mask; /* bytes: of each element; of each run; of each element */
} gp_list;

gp_status gp_list_make(const gp_block_work *work, gp_list *out, gp_error *error) GP_MUST_CHECK;
void gp_list_free(gp_list *list);
int64_t gp_list_scratch_bytes(const gp_block_work *work, const gp_list *list);

/* The box tells where the first element is; its sizes are not used. */
void gp_list_convert(const gp_block_work *work, const gp_list *list, const gp_convert_box *box, char *scratch);

#endif
