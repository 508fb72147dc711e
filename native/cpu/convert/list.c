/* Converts many axes of few elements each: the places of a block's elements are listed once, and every block follows the list. */
#include "list.h"

#include "../../core/base/alloc.h"
#include "../../core/base/arithmetic.h"

/* LIST_SIDE: the number of elements that should be near each other, both in the source and in the target. */
#define LIST_SIDE 64
#define LIST_ELEMS 4096

static bool add_axis(const gp_conversion *plan, gp_list *list, int axis, int64_t at_most)
{
    if (list->has_axis[axis] || list->n * plan->axes[axis].size > at_most)
        return list->has_axis[axis];
    list->has_axis[axis] = true;
    list->n *= plan->axes[axis].size;
    return true;
}

/* The next slower axis of the source after `axis` (-1: the fastest one); -1 after the last. */
static int next_in_source(const gp_conversion *plan, int axis)
{
    int next = -1;
    for (int i = 0; i < plan->n_axes; i++) {
        int64_t stride = gp_absolute(plan->axes[i].from_stride);
        bool is_after = axis < 0 || stride > gp_absolute(plan->axes[axis].from_stride) ||
                        (stride == gp_absolute(plan->axes[axis].from_stride) && i > axis);
        if (is_after && (next < 0 || stride < gp_absolute(plan->axes[next].from_stride)))
            next = i;
    }
    return next;
}

/* Chooses the fastest axes of the target, then the fastest of the source, then more of the target's while the list has room. */
static void choose_axes(const gp_conversion *plan, gp_list *list)
{
    int64_t together = 1;
    for (int i = plan->n_axes - 1; i >= 0 && list->n < LIST_SIDE; i--)
        if (!add_axis(plan, list, i, LIST_ELEMS))
            break;
    for (int i = next_in_source(plan, -1); i >= 0 && together < LIST_SIDE; i = next_in_source(plan, i)) {
        if (!add_axis(plan, list, i, LIST_ELEMS))
            break;
        together *= plan->axes[i].size;
    }
    for (int i = plan->n_axes - 1; i >= 0; i--)
        if (!add_axis(plan, list, i, LIST_ELEMS))
            break;
}

/* The number of consecutive elements of the list that are contiguous in the target. */
static int64_t run_of(const gp_block_work *work, const gp_list *list)
{
    int64_t run = 1;
    for (int i = work->plan.n_axes - 1; i >= 0 && list->has_axis[i]; i--) {
        if (work->plan.axes[i].to_stride != run * work->to_bytes)
            break;
        run *= work->plan.axes[i].size;
    }
    return run;
}

static void fill_places(const gp_conversion *plan, gp_list *list)
{
    int64_t at[GP_MAX_NDIM] = {0}, from = 0, to = 0, mask = 0;
    for (int64_t i = 0; i < list->n; i++) {
        list->from[i] = from, list->mask[i] = mask;
        if (i % list->run == 0)
            list->to[i / list->run] = to;
        for (int k = plan->n_axes - 1; k >= 0; k--) {
            const gp_conversion_axis *axis = &plan->axes[k];
            if (!list->has_axis[k])
                continue;
            from += axis->from_stride, to += axis->to_stride, mask += axis->mask_stride;
            if (++at[k] < axis->size)
                break;
            from -= axis->size * axis->from_stride, to -= axis->size * axis->to_stride, mask -= axis->size * axis->mask_stride;
            at[k] = 0;
        }
    }
}

gp_status gp_list_make(const gp_block_work *work, gp_list *out, gp_error *error)
{
    gp_list list = {.n = 1};
    choose_axes(&work->plan, &list);
    list.run = run_of(work, &list);
    GP_TRY(gp_alloc((size_t)list.n * 3 * sizeof *list.from, &list.from, error));
    list.to = list.from + list.n, list.mask = list.to + list.n;
    fill_places(&work->plan, &list);
    *out = list;
    return GP_OK;
}

void gp_list_free(gp_list *list)
{
    free(list->from);
    *list = (gp_list){0};
}

int64_t gp_list_scratch_bytes(const gp_block_work *work, const gp_list *list)
{
    return list->n * (work->from_bytes + work->to_bytes);
}

void gp_list_convert(const gp_block_work *work, const gp_list *list, const gp_convert_box *box, char *scratch)
{
    char *gathered = scratch, *cast = scratch + list->n * work->from_bytes;
    int64_t run_bytes = list->run * work->to_bytes;
    work->loops->follow[work->from_size](box->from, list->from, list->n, gathered);
    if (work->cast.n_steps == 0 && box->mask == NULL)
        cast = gathered;
    else
        gp_cast_run(&work->cast, gathered, list->n, cast);
    for (int64_t i = 0; i < list->n && box->mask != NULL; i++)
        if ((box->mask[list->mask[i]] != 0) != work->plan.is_mask_inverted)
            memcpy(cast + i * work->to_bytes, work->nan, (size_t)work->to_bytes);
    if (list->run == 1) {
        work->loops->spread[work->to_size](cast, list->to, list->n, box->to);
        return;
    }
    for (int64_t i = 0; i < list->n / list->run; i++)
        memcpy(box->to + list->to[i], cast + i * run_bytes, (size_t)run_bytes);
}
