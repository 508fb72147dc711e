/* Cells on a device to pixels on the host: uploads the style, colors the cells by a kernel, and downloads pixels. */
#include "cuda.h"

#include "../core/base/alloc.h"
#include "../core/color/shading.h"
#include "kernels/shade_args.h"
#include "ranks.h"
#include "runtime/cells.h"
#include "runtime/device.h"
#include "runtime/launch.h"
#include "runtime/scratch.h"
#include "runtime/staging.h"
#include "shade.h"

/* Opacities of so many cells are on the device at a time; without them a picture is one piece. */
enum { OPACITIES_PER_PIECE = 1 << 22, LEAST_OPACITIES = 1 << 12 };

/* What goes to the device once for a call, as offsets into one piece of memory; the opacities of a piece follow. */
typedef struct style_bytes {
    size_t edges, rows, colors, n_bytes;
} style_bytes;

typedef struct shade_job {
    gp_cuda_device *device;
    const gp_cells *cells;
    const gp_style *style;
    gp_shade_args args;
    CUdeviceptr alpha_cells; /* 0: there are none */
    int64_t piece, cells_per_piece; /* first cell of the piece, and how many it has */
} shade_job;

/* ---- the style ------------------------------------------------------------------------------------------------------ */

/* Doubles first, so that everything is aligned. */
static style_bytes layout_of(const gp_scale *scale)
{
    style_bytes layout = {0};
    bool has_rows = scale->norm == GP_NORM_BOUNDARY;
    size_t n_edges = has_rows || scale->norm == GP_NORM_EQ_HIST ? (size_t)scale->n_edges : 0;
    layout.rows = n_edges * sizeof(double);
    layout.colors = layout.rows + (has_rows ? (n_edges - 1) * sizeof(int32_t) : 0);
    layout.n_bytes = layout.colors + ((size_t)scale->n_colors + 3 + GP_N_MARK_ROWS) * sizeof(uint32_t);
    return layout;
}

static void pack_colors(const gp_style *style, uint32_t *colors)
{
    float alpha = style->alpha_cells != NULL ? 1 : style->alpha;
    for (int i = 0; i < style->n_colors + 3; i++)
        colors[i] = gp_color_word(style->table + 4 * (size_t)i, alpha);
    gp_mark_words(style, alpha, colors + style->n_colors + 3);
}

/* Room for the style, and for as many opacities as there are cells or as the device has memory for. */
static gp_status make_room(shade_job *job, size_t n_bytes, CUdeviceptr *out, gp_error *error)
{
    int64_t n_cells = job->cells->n_rows * job->cells->n_cols, n_style = (int64_t)(n_bytes / sizeof(float)), n;
    if (job->style->alpha_cells == NULL) {
        job->cells_per_piece = n_cells;
        return gp_cuda_scratch(job->device, GP_SLOT_STYLE, n_bytes, out, error);
    }
    int64_t wanted = n_cells < OPACITIES_PER_PIECE ? n_cells : OPACITIES_PER_PIECE;
    int64_t least = wanted < LEAST_OPACITIES ? wanted : LEAST_OPACITIES;
    GP_TRY(gp_cuda_scratch_pieces(job->device, GP_SLOT_STYLE, sizeof(float), n_style + wanted, n_style + least, out, &n, error));
    job->alpha_cells = *out + n_bytes;
    job->cells_per_piece = n - n_style;
    return GP_OK;
}

/* Edges, rows of regions and colors in one copy; the kernel's pointers are set to where they arrive. */
static gp_status upload_style(shade_job *job, gp_error *error)
{
    gp_scale *scale = &job->args.scale;
    style_bytes layout = layout_of(scale);
    GP_FREED char *packed = NULL;
    CUdeviceptr at = 0;
    GP_TRY(gp_alloc(layout.n_bytes, &packed, error));
    if (layout.rows > 0)
        memcpy(packed + layout.edges, scale->edges, layout.rows);
    if (layout.colors > layout.rows)
        memcpy(packed + layout.rows, scale->edge_rows, layout.colors - layout.rows);
    pack_colors(job->style, (uint32_t *)(packed + layout.colors));
    GP_TRY(make_room(job, layout.n_bytes, &at, error));
    GP_TRY(gp_cuda_upload(job->device, at, packed, layout.n_bytes, error));
    scale->edges = (const double *)(uintptr_t)(at + layout.edges);
    scale->edge_rows = (const int32_t *)(uintptr_t)(at + layout.rows);
    job->args.colors = (const uint32_t *)(uintptr_t)(at + layout.colors);
    return GP_OK;
}

/* Limits and edges as the kernel wants them; edges of eq_hist are ranks among the cells of this very picture. */
static gp_status prepare(shade_job *job, gp_error *error)
{
    gp_scale *scale = &job->args.scale;
    GP_FREED double *edges = NULL;
    *scale = gp_scale_from(job->style);
    scale->n_edges = scale->norm == GP_NORM_BOUNDARY ? scale->n_edges : 0;
    if (scale->norm == GP_NORM_EQ_HIST && !scale->is_flat) {
        GP_TRY(gp_alloc((size_t)scale->n_colors * sizeof *edges, &edges, error));
        GP_TRY(gp_cuda_rank_edges(job->device, job->cells, scale, edges, error));
        scale->edges = edges, scale->n_edges = scale->n_colors - 1;
    }
    return upload_style(job, error);
}

/* ---- pieces ---------------------------------------------------------------------------------------------------------- */

static gp_status make_pixels(void *context, int64_t begin, int64_t *n_items, CUdeviceptr target, gp_error *error)
{
    shade_job *job = context;
    job->args.cells = job->cells->data + job->piece + begin, job->args.n_cells = *n_items;
    job->args.pixels = (uint32_t *)(uintptr_t)target;
    job->args.alpha_cells = job->alpha_cells != 0 ? (const float *)(uintptr_t)job->alpha_cells + begin : NULL;
    return gp_cuda_launch_items(job->device, "shade", "shade_cells", *n_items, &job->args, error);
}

static gp_status shade_piece(shade_job *job, int64_t n, uint8_t *rgba, gp_error *error)
{
    if (job->alpha_cells != 0)
        GP_TRY(gp_cuda_upload(job->device, job->alpha_cells, job->style->alpha_cells + job->piece, (size_t)n * sizeof(float),
                              error));
    return gp_cuda_fetch(job->device, rgba + 4 * job->piece, n, sizeof(uint32_t), GP_SLOT_PIXELS, make_pixels, job, error);
}

static gp_status shade_all(shade_job *job, gp_pixels *out, gp_error *error)
{
    int64_t n_cells = job->cells->n_rows * job->cells->n_cols;
    GP_TRY(prepare(job, error));
    for (; job->piece < n_cells; job->piece += job->cells_per_piece) {
        int64_t n_left = n_cells - job->piece;
        GP_TRY(shade_piece(job, n_left < job->cells_per_piece ? n_left : job->cells_per_piece, out->rgba, error));
    }
    return GP_OK;
}

gp_status gp_cuda_shade_entered(gp_cuda_device *device, const gp_cells *cells, const gp_style *style, const gp_ends *limits,
                                gp_pixels *out, gp_error *error)
{
    shade_job job = {.device = device, .cells = cells, .style = style, .args.limits = limits};
    GP_TRY(gp_shade_check(cells, style, out, error));
    return cells->n_rows == 0 || cells->n_cols == 0 ? GP_OK : shade_all(&job, out, error);
}

gp_status gp_cuda_shade(const gp_cells *cells, const gp_style *style, gp_pixels *out, gp_error *error)
{
    gp_cuda_device *device;
    GP_TRY(gp_shade_check(cells, style, out, error));
    if (cells->n_rows == 0 || cells->n_cols == 0)
        return GP_OK;
    GP_TRY(gp_cuda_enter_cells(cells, &device, error));
    return gp_cuda_finish(device, gp_cuda_shade_entered(device, cells, style, NULL, out, error), error);
}
