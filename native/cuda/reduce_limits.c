/* What comes with the cells of a reduction: limits of elements and of cells, the color limits that follow, and pixels. */
#include "reduction.h"

#include "kernels/shade_args.h"
#include "runtime/module.h"
#include "shade.h"

bool gp_cuda_limits_are_fused(const gp_cuda_reduction *job, const gp_reduce_options *options)
{
    return options->want != 0 && !(options->want & GP_WANT_COUNTS) && gp_agg_kind(job->agg) != GP_STATE_MOMENTS &&
           gp_axis_is_partition(&job->distinct) && gp_axis_is_partition(job->cols);
}

bool gp_cuda_asks_of_cells(const gp_cuda_reduction *job, const gp_reduce_options *options)
{
    return options->limits_of_cells != NULL && job->cells != NULL;
}

/* Limits that were found on the way; without NaN there are also those of what it marks. */
static void split_limits(gp_limits_state found[GP_N_LIMITS], const gp_reduce_options *options, gp_limits_state *limits)
{
    gp_limits_state *without_nan = &found[GP_LIMITS_MARKED];
    *limits = found[GP_LIMITS_ALL];
    gp_limits_state_join(without_nan, limits);
    if (options->limits_without_nan != NULL)
        *options->limits_without_nan = *without_nan;
}

/* Limits by a look of their own; without NaN there are others where hidden axes have left it out of elements. */
static gp_status limits_apart(const gp_cuda_reduction *job, gp_limits_state found[GP_N_LIMITS], const gp_reduce_options *options,
                              gp_limits_state *limits, gp_error *error)
{
    gp_plane finite = job->whole;
    gp_cuda_limits_settle(&job->whole, &found[GP_LIMITS_ALL]);
    *limits = found[GP_LIMITS_ALL];
    if (options->limits_without_nan == NULL)
        return GP_OK;
    *options->limits_without_nan = *limits;
    finite.splits_nan = false, finite.hidden_nan = GP_NAN_INFINITE;
    return job->whole.splits_nan && limits->n_nan > 0
               ? gp_cuda_limits_find(job->device, &finite, options->limits_without_nan, error)
               : GP_OK;
}

bool gp_cuda_searches_colors(const gp_cuda_reduction *job, const gp_reduce_options *options, bool has_elements)
{
    const gp_shading *shading = options->shading;
    if (shading == NULL || shading->search == NULL || job->cells == NULL || !gp_norm_is_searched(shading->style->norm))
        return false;
    bool is_of_elements = shading->search->origin != GP_ORIGIN_CELLS, is_of_cells = shading->search->origin != GP_ORIGIN_ELEMENTS;
    return (!is_of_elements || has_elements || shading->search->knows_elements) &&
           (!is_of_cells || gp_cuda_asks_of_cells(job, options));
}

/* Queues the kernel that chooses color limits. */
static gp_status choose_colors(const gp_cuda_reduction *job, gp_limits_found *found, const gp_shading *shading, gp_error *error)
{
    gp_search_args args = {.search = *shading->search,
                           .scale = gp_scale_from(shading->style),
                           .elements = &found->states[GP_LIMITS_ALL],
                           .cells = &found->states[GP_LIMITS_CELLS],
                           .out = &found->colors};
    return gp_cuda_launch(job->device, "shade", "shade_limits", 1, 1, 1, 1, &args, error);
}

gp_status gp_cuda_reduction_send(gp_cuda_reduction *job, gp_limits_found *found, bool is_apart, bool is_searched,
                                 const gp_reduce_options *options, const gp_limits_found **sent, gp_error *error)
{
    gp_plane whole = job->whole;
    whole.splits_nan = false;
    if (is_apart)
        GP_TRY(gp_cuda_limits_look(job->device, &whole, &found->states[GP_LIMITS_ALL], error));
    if (gp_cuda_asks_of_cells(job, options)) {
        gp_plane cells = gp_plane_of_cells(job->cells);
        GP_TRY(gp_cuda_limits_look(job->device, &cells, &found->states[GP_LIMITS_CELLS], error));
    }
    if (is_searched)
        GP_TRY(choose_colors(job, found, options->shading, error));
    return gp_cuda_limits_send(job->device, found, sent, error);
}

gp_status gp_cuda_reduction_end(gp_cuda_reduction *job, const gp_limits_found *sent, bool is_apart,
                                const gp_reduce_options *options, gp_limits_state *limits, gp_error *error)
{
    gp_limits_found found;
    GP_TRY(gp_cuda_limits_end(job->device, sent, &found, error));
    if (gp_cuda_asks_of_cells(job, options)) {
        gp_plane cells = gp_plane_of_cells(job->cells);
        gp_cuda_limits_settle(&cells, &found.states[GP_LIMITS_CELLS]);
        *options->limits_of_cells = found.states[GP_LIMITS_CELLS];
    }
    if (options->shading != NULL && options->shading->search != NULL)
        options->shading->limits = found.colors;
    if (is_apart)
        return limits_apart(job, found.states, options, limits, error);
    if (limits != NULL)
        split_limits(found.states, options, limits);
    return GP_OK;
}

gp_status gp_cuda_reduction_shade(const gp_cuda_reduction *job, gp_shading *shading, const gp_ends *colors, gp_error *error)
{
    if (shading == NULL || job->cells == NULL || (shading->search != NULL && colors == NULL))
        return GP_OK;
    GP_TRY(gp_cuda_shade_entered(job->device, job->cells, shading->style, colors, shading->out, error));
    shading->limits = (gp_ends){shading->style->vmin, shading->style->vmax};
    shading->is_made = true;
    return GP_OK;
}
