/* Lines to cells on a device: some lines, or a part of one, at a time, kernels compute places of samples and add lines to a table. */
#include "cuda.h"

#include "../core/base/alloc.h"
#include "../core/base/arithmetic.h"
#include "element_class.h"
#include "kernels/bin_lines_args.h"
#include "runtime/cells.h"
#include "runtime/cells_memory.h"
#include "runtime/device.h"
#include "runtime/launch.h"
#include "runtime/scratch.h"
#include "runtime/staging.h"

/* The most samples whose places are computed at once, and the most bytes of borders and of bits: 8 MB of scratch memory each. */
#define CHUNK_SAMPLES ((int64_t)1 << 20)
#define CHUNK_BYTES ((int64_t)8 << 20)
enum { BLOCKS_PER_PROCESSOR = 6, LEAST_LANE_SAMPLES = 4, MOST_LOG2_LANES = 5 };

typedef struct lines_job {
    gp_cuda_device *device;
    const gp_lines *lines;
    gp_bin_lines_args args; /* with knots, table and cells on the device */
    int64_t n_samples, n_at_once;
    bool has_one_x;
    uint32_t *ways; /* of the present lines, in host memory; a single one if has_one_x */
} lines_job;

/* Samples begin..end-1 of lines line0..line1-1. */
typedef struct lines_part {
    int64_t line0, line1, begin, end;
} lines_part;

/* ---- kernels -------------------------------------------------------------------------------------------------------- */

static gp_status launch(const lines_job *job, const char *kernel, int64_t n_items, gp_error *error)
{
    if (n_items == 0)
        return GP_OK;
    return gp_cuda_launch_items(job->device, "bin_lines", kernel, n_items, &job->args, error);
}

static gp_status place(const lines_job *job, const gp_plane *plane, const gp_line_axis *axis, double *places, gp_error *error)
{
    gp_place_lines_args args = {.axis = *axis, .places = places};
    return gp_cuda_launch_in_place(job->device, plane, "place_lines", BLOCKS_PER_PROCESSOR, &args.plane, &args.positions, error);
}

static gp_status place_x(lines_job *job, const lines_part *p, gp_error *error)
{
    int64_t row0 = job->has_one_x ? 0 : p->line0, row1 = job->has_one_x ? 1 : p->line1;
    job->args.n_samples = p->end - p->begin, job->args.begin = p->begin;
    job->args.x_step = job->has_one_x ? 0 : job->args.n_samples;
    if (job->lines->x == NULL)
        return launch(job, "number_samples", job->args.n_samples, error);
    gp_plane plane = gp_plane_crop(job->lines->x, row0, row1, p->begin, p->end);
    return place(job, &plane, &job->args.options.x, job->args.x, error);
}

static gp_status place_y(lines_job *job, const lines_part *p, gp_error *error)
{
    gp_plane plane = gp_plane_crop(job->lines->y, p->line0, p->line1, p->begin, p->end);
    job->args.n_lines = p->line1 - p->line0;
    return place(job, &plane, &job->args.options.y, job->args.y, error);
}

/* Finds for each line, or for the x that all share, whether its x rises, falls, or neither. Needs the places of whole lines. */
static gp_status look_for_ways(lines_job *job, int64_t n_lines, gp_error *error)
{
    gp_bin_lines_args *args = &job->args;
    args->n_lines = n_lines, args->way_step = job->has_one_x ? 0 : 1;
    return launch(job, "find_line_ways", n_lines * args->n_samples, error);
}

static gp_status clear(const lines_job *job, void *memory, size_t n_bytes, gp_error *error)
{
    return gp_cuda_fill(job->device, gp_cuda_address(memory), 0, n_bytes, error);
}

/* ---- some lines ------------------------------------------------------------------------------------------------------ */

static bool is_sorted(const lines_job *job, int64_t line)
{
    if (job->lines->order != GP_LINE_FOUND)
        return job->lines->order == GP_LINE_SORTED;
    return job->ways[job->has_one_x ? 0 : line] != (GP_LINE_NOT_RISING | GP_LINE_NOT_FALLING);
}

static bool is_any_sorted(const lines_job *job, int64_t n_lines, bool is_it)
{
    for (int64_t i = 0; i < (job->has_one_x ? 1 : n_lines); i++)
        if (is_sorted(job, i) == is_it)
            return true;
    return false;
}

/* Adds lines whose x rises or falls, from places of all or of a part of their samples. */
static gp_status fill_columns(lines_job *job, bool is_first, bool is_last, bool has_borders, gp_error *error)
{
    gp_bin_lines_args *args = &job->args;
    int64_t n_cols = args->options.x.n_cells, each = args->n_samples / n_cols / LEAST_LANE_SAMPLES;
    args->border_step = job->has_one_x ? 0 : n_cols + 1;
    args->is_first = is_first, args->is_last = is_last;
    for (args->log2_lanes = 0; args->log2_lanes < MOST_LOG2_LANES && (int64_t)1 << (args->log2_lanes + 1) <= each;)
        args->log2_lanes++;
    if (!has_borders)
        GP_TRY(launch(job, "find_borders", (job->has_one_x ? 1 : args->n_lines) * (n_cols + 1), error));
    return launch(job, "fill_columns", (args->n_lines * n_cols) << args->log2_lanes, error);
}

/* Adds the current lines whose x neither rises nor falls, as many at a time as there is memory for their bits. */
static gp_status fill_bits(lines_job *job, gp_error *error)
{
    gp_bin_lines_args all = job->args, *args = &job->args;
    int64_t line_bytes = all.options.x.n_cells * all.n_words * (int64_t)sizeof *all.bits;
    int64_t at_once = CHUNK_BYTES / line_bytes > 1 ? CHUNK_BYTES / line_bytes : 1;
    gp_status status = GP_OK;
    for (int64_t line = 0; status == GP_OK && line < all.n_lines; line += at_once) {
        args->n_lines = gp_smaller(at_once, all.n_lines - line);
        args->x = all.x + line * all.x_step, args->y = all.y + line * all.n_samples;
        args->ways = all.ways + line * all.way_step;
        status = clear(job, all.bits, (size_t)(args->n_lines * line_bytes), error);
        if (status == GP_OK)
            status = launch(job, "set_line_bits", args->n_lines * all.n_samples, error);
        if (status == GP_OK)
            status = launch(job, "add_line_bits", args->n_lines * all.options.x.n_cells, error);
    }
    job->args = all;
    return status;
}

/* Adds whole lines. If all share an x, its places, way and borders are computed for the first lines only. */
static gp_status take_lines(lines_job *job, const lines_part *p, gp_error *error)
{
    bool is_known = job->has_one_x && p->line0 > 0;
    int64_t n_ways = job->has_one_x ? 1 : p->line1 - p->line0;
    if (!is_known)
        GP_TRY(place_x(job, p, error));
    if (!is_known && job->lines->order == GP_LINE_FOUND) {
        GP_TRY(clear(job, job->args.ways, (size_t)n_ways * sizeof *job->ways, error));
        GP_TRY(look_for_ways(job, n_ways, error));
        GP_TRY(
            gp_cuda_download(job->device, job->ways, gp_cuda_address(job->args.ways), (size_t)n_ways * sizeof *job->ways, error));
    }
    GP_TRY(place_y(job, p, error));
    if (is_any_sorted(job, n_ways, true))
        GP_TRY(fill_columns(job, true, true, is_known, error));
    return is_any_sorted(job, n_ways, false) ? fill_bits(job, error) : GP_OK;
}

/* ---- a long line ----------------------------------------------------------------------------------------------------- */

/* The samples of part i of a line, with one more on either side. */
static lines_part part_of(const lines_job *job, int64_t line, int64_t i)
{
    int64_t each = CHUNK_SAMPLES - 2, begin = i * each, end = begin + each + 1;
    return (lines_part){line, line + 1, begin > 0 ? begin - 1 : 0, gp_smaller(end, job->n_samples)};
}

static gp_status find_way_in_parts(lines_job *job, int64_t line, int64_t n_parts, gp_error *error)
{
    GP_TRY(clear(job, job->args.ways, sizeof *job->ways, error));
    for (int64_t i = 0; i < n_parts; i++) {
        lines_part p = part_of(job, line, i);
        GP_TRY(place_x(job, &p, error));
        GP_TRY(look_for_ways(job, 1, error));
    }
    return gp_cuda_download(job->device, job->ways, gp_cuda_address(job->args.ways), sizeof *job->ways, error);
}

static gp_status take_line_in_parts(lines_job *job, int64_t line, gp_error *error)
{
    gp_bin_lines_args *args = &job->args;
    int64_t n_parts = (job->n_samples - 1) / (CHUNK_SAMPLES - 2) + 1, n_cols = args->options.x.n_cells;
    if (job->lines->order == GP_LINE_FOUND && (!job->has_one_x || line == 0))
        GP_TRY(find_way_in_parts(job, line, n_parts, error));
    bool is_in_order = is_sorted(job, 0);
    if (!is_in_order)
        GP_TRY(clear(job, args->bits, (size_t)(n_cols * args->n_words) * sizeof *args->bits, error));
    for (int64_t i = 0; i < n_parts; i++) {
        lines_part p = part_of(job, line, i);
        GP_TRY(place_x(job, &p, error));
        GP_TRY(place_y(job, &p, error));
        if (is_in_order)
            GP_TRY(fill_columns(job, i == 0, i + 1 == n_parts, false, error));
        else
            GP_TRY(launch(job, "set_line_bits", args->n_samples, error));
    }
    return is_in_order ? GP_OK : launch(job, "add_line_bits", n_cols, error);
}

/* ---- memory ---------------------------------------------------------------------------------------------------------- */

/* Copies the knots of both axes, if any, to the device: values, then places. */
static gp_status upload_knots(lines_job *job, gp_error *error)
{
    gp_line_axis *axes[] = {&job->args.options.x, &job->args.options.y};
    size_t n_knots = (size_t)(axes[0]->n_knots + axes[1]->n_knots);
    double *at;
    if (n_knots == 0)
        return GP_OK;
    GP_TRY(gp_cuda_scratch(job->device, GP_SLOT_AXES, 2 * n_knots * sizeof *at, &at, error));
    for (int i = 0; i < 2; i++) {
        const double **knots[] = {&axes[i]->values, &axes[i]->places};
        for (int j = 0; axes[i]->n_knots > 0 && j < 2; j++, at += axes[i]->n_knots) {
            GP_TRY(gp_cuda_upload(job->device, gp_cuda_address(at), *knots[j], (size_t)axes[i]->n_knots * sizeof *at, error));
            *knots[j] = at;
        }
    }
    return GP_OK;
}

/* Sets how many lines are processed at once, and gets memory for them. */
static gp_status make_room(lines_job *job, gp_error *error)
{
    gp_bin_lines_args *args = &job->args;
    int64_t n_cols = args->options.x.n_cells, n = job->n_samples, n_borders = n_cols + 1;
    int64_t line_bytes = n_cols * args->n_words * (int64_t)sizeof *args->bits,
            border_bytes = n_borders * (int64_t)sizeof *args->borders;
    int64_t by_borders = job->has_one_x ? INT32_MAX : CHUNK_BYTES / border_bytes, at_once = CHUNK_SAMPLES / n;
    at_once = gp_smaller(gp_smaller(at_once, by_borders), job->lines->y->n_rows);
    job->n_at_once = at_once > 1 ? at_once : 1;
    size_t n_places = (size_t)(job->n_at_once * gp_smaller(n, CHUNK_SAMPLES));
    size_t n_x = job->has_one_x ? (size_t)gp_smaller(n, CHUNK_SAMPLES) : n_places,
           n_own = job->has_one_x ? 1 : (size_t)job->n_at_once;
    GP_TRY(gp_cuda_scratch(job->device, GP_SLOT_GATHER, n_x * sizeof *args->x, &args->x, error));
    GP_TRY(gp_cuda_scratch(job->device, GP_SLOT_PIXELS, n_places * sizeof *args->y, &args->y, error));
    GP_TRY(gp_cuda_scratch(job->device, GP_SLOT_STATES, n_own * (size_t)border_bytes, &args->borders, error));
    GP_TRY(gp_cuda_scratch(job->device, GP_SLOT_STYLE, (size_t)n_cols * sizeof *args->spans, &args->spans, error));
    args->ways = NULL, args->way_step = 0, args->is_unsorted = job->lines->order == GP_LINE_UNSORTED;
    if (job->lines->order == GP_LINE_SORTED)
        return GP_OK;
    int64_t n_bits = gp_smaller(CHUNK_BYTES / line_bytes, job->n_at_once);
    GP_TRY(gp_cuda_scratch(job->device, GP_SLOT_SELECT, (size_t)((n_bits > 1 ? n_bits : 1) * line_bytes), &args->bits, error));
    if (args->is_unsorted)
        return GP_OK;
    GP_TRY(gp_cuda_scratch(job->device, GP_SLOT_FACTS, n_own * sizeof *args->ways, &args->ways, error));
    return gp_alloc(n_own * sizeof *job->ways, &job->ways, error);
}

/* Adds all lines of one length. */
static gp_status take_all(lines_job *job, gp_error *error)
{
    int64_t n_lines = job->lines->y->n_rows;
    if (n_lines == 0 || job->n_samples == 0)
        return GP_OK;
    GP_TRY(make_room(job, error));
    for (int64_t line = 0; line < n_lines; line += job->n_at_once) {
        lines_part all = {line, gp_smaller(line + job->n_at_once, n_lines), 0, job->n_samples};
        if (job->n_samples > CHUNK_SAMPLES)
            GP_TRY(take_line_in_parts(job, line, error));
        else
            GP_TRY(take_lines(job, &all, error));
    }
    return GP_OK;
}

static gp_status run(lines_job *job, const gp_lines *lines, int64_t n_lines, size_t table_bytes, gp_error *error)
{
    GP_TRY(clear(job, job->args.table, table_bytes, error));
    GP_TRY(upload_knots(job, error));
    for (int64_t i = 0; i < n_lines; i++) {
        job->lines = &lines[i], job->n_samples = lines[i].y->n_cols;
        job->has_one_x = lines[i].x == NULL || lines[i].x->n_rows == 1;
        gp_status status = take_all(job, error);
        free(job->ways);
        job->ways = NULL;
        if (status != GP_OK)
            return status;
    }
    return launch(job, "finish_lines", job->args.options.x.n_cells, error);
}

gp_status gp_cuda_bin_lines(const gp_lines *lines, int64_t n_lines, const gp_line_options *options, gp_cells *out,
                            gp_error *error)
{
    lines_job job = {.args = {.options = *options, .n_words = (gp_line_n_rows(options) + 31) / 32, .out = out->data}};
    size_t table_bytes = (size_t)(out->n_rows * out->n_cols) * sizeof *job.args.table;
    CUdeviceptr table = 0;
    GP_TRY(gp_lines_check(lines, n_lines, options, out, error));
    GP_TRY(gp_cuda_enter_cells(out, &job.device, error));
    gp_status status = gp_cuda_cells_alloc(job.device, table_bytes, &table, error);
    job.args.table = (uint64_t *)(uintptr_t)table;
    if (status == GP_OK)
        status = run(&job, lines, n_lines, table_bytes, error);
    status = gp_cuda_finish(job.device, status, error);
    gp_cuda_cells_free(out->device.id, table);
    return status;
}
