/* Plans reading all slices once; if neighbors in memory belong to different slices, many slices are read together. */
#include "slice_scan.h"

#include "../../core/base/alloc.h"
#include "../../core/base/arithmetic.h"
#include "simd/convert_loops.h"
#include "../../core/base/threads.h"

enum {
    PIECE_ELEMS = 1 << 17,
    TILE_BYTES = 1 << 18,     /* stays in the second cache */
    LEAST_TILE_SLICES = 16,   /* of one line of a cache, as long as slices are not long themselves */
    LEAST_ACROSS_SLICES = 8,  /* below, the elements of each slice are picked */
    ACROSS_ELEMS = 256,
    ENOUGH_GROUPS = 64
};

/* ---- how slices lie ---------------------------------------------------------------------------------------------------- */

/* What the rows of either direction have to be aligned to. */
static int64_t all_strides(const gp_slices *slices)
{
    int64_t bits = 0;
    for (int i = 0; i < slices->n_between; i++)
        bits |= slices->between[i].stride_bytes;
    for (int i = 0; i < slices->n_inside; i++)
        bits |= slices->inside[i].stride_bytes;
    return bits;
}

static void init_rows(gp_slice_scan *scan)
{
    const gp_slice_axis *axis = scan->is_across ? &scan->slices->between[scan->slices->n_between - 1] : &scan->line;
    gp_plane plane = scan->slices->plane;
    plane.n_rows = 1, plane.n_cols = axis->size;
    plane.row_stride_bytes = all_strides(scan->slices);
    plane.col_stride_bytes = axis->stride_bytes, plane.mask_col_stride_bytes = axis->mask_stride_bytes;
    gp_row_reader_init(&plane, GP_NAN_SHOW, &scan->rows);
}

/* ---- pieces ------------------------------------------------------------------------------------------------------------ */

/* Blocks are parts of a line, or several lines where these are short and positions rise from each to the next. */
static void cut_blocks(gp_slice_scan *scan, int64_t most_elems)
{
    scan->n_lines = scan->slices->n_elems / scan->line.size;
    if (scan->n_lines > 1 && scan->line.size <= most_elems / 2 && (scan->slices->is_in_order || most_elems > GP_BLOCK_ELEMS)) {
        scan->lines_per_block = gp_smaller(most_elems / scan->line.size, scan->n_lines);
        scan->block_elems = scan->lines_per_block * scan->line.size;
        scan->n_blocks = gp_n_parts(scan->n_lines, scan->lines_per_block);
    } else {
        scan->lines_per_block = 0;
        scan->block_elems = gp_smaller(scan->line.size, most_elems);
        scan->n_blocks = scan->n_lines * gp_n_parts(scan->line.size, scan->block_elems);
    }
}

static void cut_groups(gp_slice_scan *scan, int64_t slot_elems)
{
    int n = scan->slices->n_between;
    int64_t item_bytes = scan->rows.item_bytes;
    scan->n_row_slices = scan->is_together ? scan->slices->between[n - 1].size : scan->slices->n_slices;
    scan->group_slices = gp_larger(PIECE_ELEMS / scan->slices->n_elems, 1);
    if (scan->is_together) {
        int64_t fit = TILE_BYTES / (scan->block_elems * item_bytes);
        fit = gp_smaller(gp_larger(fit, LEAST_TILE_SLICES), gp_larger(PIECE_ELEMS / gp_larger(slot_elems, 1), 1));
        scan->group_slices = gp_smaller(fit, GP_SCAN_SLICES);
    }
    scan->group_slices = gp_smaller(scan->group_slices, scan->n_row_slices);
    scan->n_groups = scan->slices->n_slices / scan->n_row_slices * gp_n_parts(scan->n_row_slices, scan->group_slices);
}

/* Few groups are cut into parts, as far as there is work for them. */
static void cut_parts(gp_slice_scan *scan, int64_t slot_elems)
{
    int64_t block_elems = scan->block_elems * (scan->is_together ? scan->group_slices : 1);
    int64_t n_wanted = scan->n_groups < ENOUGH_GROUPS ? gp_n_parts(2 * ENOUGH_GROUPS, scan->n_groups) : 1;
    int64_t least = gp_larger(gp_larger(PIECE_ELEMS / block_elems, 1), gp_n_parts(slot_elems, scan->block_elems));
    scan->part_blocks = gp_smaller(gp_larger(gp_n_parts(scan->n_blocks, n_wanted), least), scan->n_blocks);
    scan->n_parts = gp_n_parts(scan->n_blocks, scan->part_blocks);
    scan->n_pieces = scan->n_groups * scan->n_parts;
}

static size_t rounded_up(size_t n_bytes) { return (n_bytes + 127) / 64 * 64; }

static gp_status alloc(gp_slice_scan *scan, gp_error *error)
{
    int64_t item_bytes = scan->rows.item_bytes;
    scan->n_threads = gp_threads_for(scan->slices->n_slices * scan->slices->n_elems);
    scan->n_threads = (int)gp_smaller(scan->n_pieces, scan->n_threads);
    size_t tile_bytes = rounded_up((size_t)(scan->block_elems * item_bytes * (scan->is_across ? scan->group_slices : 1)));
    scan->row_bytes = scan->is_across ? tile_bytes : 0;
    scan->worker_bytes = scan->row_bytes + tile_bytes;
    GP_TRY(gp_alloc(scan->worker_bytes * (size_t)scan->n_threads, &scan->memory, error));
    GP_TRY(gp_alloc(sizeof(gp_row_reader) * (size_t)scan->n_threads, &scan->worker_rows, error));
    for (int worker = 0; worker < scan->n_threads; worker++)
        scan->worker_rows[worker] = scan->rows;
    return GP_OK;
}

gp_status gp_slice_scan_init(const gp_slices *slices, int64_t block_elems, int64_t slot_elems, gp_slice_scan *out,
                             gp_error *error)
{
    *out = (gp_slice_scan){.slices = slices, .line = {.size = 1}};
    if (slices->n_inside > 0)
        out->line = slices->inside[slices->n_inside - 1];
    out->is_together = gp_slices_are_interleaved(slices);
    out->is_across = out->is_together && slices->between[slices->n_between - 1].size >= LEAST_ACROSS_SLICES;
    init_rows(out);
    if (slices->n_slices == 0 || slices->n_elems == 0)
        return GP_OK;
    cut_blocks(out, out->is_across && block_elems == GP_BLOCK_ELEMS ? ACROSS_ELEMS : block_elems);
    cut_groups(out, slot_elems);
    cut_parts(out, slot_elems);
    return alloc(out, error);
}

void gp_slice_scan_free(gp_slice_scan *scan)
{
    free(scan->memory);
    free(scan->worker_rows);
    scan->memory = NULL, scan->worker_rows = NULL;
}

/* ---- blocks ------------------------------------------------------------------------------------------------------------ */

int64_t gp_slice_scan_position(const gp_slice_scan *scan, gp_block block, int64_t index)
{
    int64_t flat = block.at + index;
    gp_slice_place line = gp_slice_place_of(scan->slices->inside, scan->slices->n_inside - 1,
                                            block.line + flat / scan->line.size);
    return line.step + flat % scan->line.size * scan->line.step;
}

static gp_block block_at(const gp_slice_scan *scan, int64_t number, int64_t *n)
{
    if (scan->lines_per_block > 0) {
        gp_block block = {.line = number * scan->lines_per_block};
        *n = gp_smaller(scan->lines_per_block, scan->n_lines - block.line) * scan->line.size;
        return block;
    }
    int64_t per_line = gp_n_parts(scan->line.size, scan->block_elems);
    gp_block block = {number / per_line, number % per_line * scan->block_elems};
    *n = gp_smaller(scan->block_elems, scan->line.size - block.at);
    return block;
}

/* n elements along the rows' axis, from a place on. */
static const void *load_row(const gp_slice_scan *scan, gp_row_reader *rows, gp_slice_place place, int64_t n, void *buffer)
{
    rows->origin = scan->rows.origin + place.offset_bytes;
    const uint8_t *mask = scan->rows.plane.mask;
    rows->plane.mask = mask != NULL ? mask + place.mask_offset_bytes : NULL;
    return gp_row_reader_get(rows, 0, 0, n, buffer, NULL);
}

static gp_slice_place moved(gp_slice_place place, const gp_slice_axis *axis, int64_t n)
{
    place.offset_bytes += n * axis->stride_bytes, place.mask_offset_bytes += n * axis->mask_stride_bytes;
    return place;
}

static gp_slice_place both(gp_slice_place a, gp_slice_place b)
{
    return (gp_slice_place){a.offset_bytes + b.offset_bytes, a.mask_offset_bytes + b.mask_offset_bytes, a.step + b.step};
}

static gp_slice_place line_place(const gp_slice_scan *scan, int64_t line)
{
    return gp_slice_place_of(scan->slices->inside, scan->slices->n_inside - 1, line);
}

/* A block of one slice, whose first element is at `slice`: in place, or in the buffer. */
static const void *load_along(const gp_slice_scan *scan, gp_row_reader *rows, gp_slice_place slice, gp_block block, int64_t n,
                              char *buffer)
{
    if (scan->lines_per_block == 0 || n == scan->line.size) {
        gp_slice_place place = both(slice, line_place(scan, block.line));
        return load_row(scan, rows, moved(place, &scan->line, block.at), n, buffer);
    }
    size_t line_bytes = (size_t)scan->line.size * (size_t)rows->item_bytes;
    for (int64_t line = 0; line < n / scan->line.size; line++) {
        char *to = buffer + (size_t)line * line_bytes;
        const void *elems = load_row(scan, rows, both(slice, line_place(scan, block.line + line)), scan->line.size, to);
        if (elems != to)
            memcpy(to, elems, line_bytes);
    }
    return buffer;
}

/* n rows of elements of n_slices neighboring slices, side by side. */
static void load_rows(const gp_slice_scan *scan, gp_row_reader *rows, gp_slice_place first, int64_t n_slices, gp_block block,
                      int64_t n, char *to)
{
    size_t row_bytes = (size_t)n_slices * (size_t)rows->item_bytes;
    int64_t line = block.line, at = block.at;
    gp_slice_place place = moved(both(first, line_place(scan, line)), &scan->line, at);
    for (int64_t i = 0; i < n; i++, to += row_bytes) {
        const void *row = load_row(scan, rows, place, n_slices, to);
        if (row != to)
            memcpy(to, row, row_bytes);
        place = moved(place, &scan->line, 1);
        if (++at == scan->line.size && i + 1 < n)
            at = 0, place = both(first, line_place(scan, ++line));
    }
}

/* Blocks of n_slices neighboring slices, one behind the other. Rows that lie evenly in memory are turned as they are. */
static void load_across(const gp_slice_scan *scan, gp_row_reader *rows, gp_slice_place first, int64_t n_slices, gp_block block,
                        int64_t n, char *row_buffer, char *blocks)
{
    const gp_layout_loops *loops = gp_layout_loops_here();
    int size = gp_item_size(rows->item_bytes);
    if (rows->source == GP_ROWS_IN_PLACE && scan->lines_per_block == 0) {
        gp_slice_place place = moved(both(first, line_place(scan, block.line)), &scan->line, block.at);
        loops->turn[size](scan->rows.origin + place.offset_bytes, scan->line.stride_bytes, n, n_slices, blocks);
        return;
    }
    load_rows(scan, rows, first, n_slices, block, n, row_buffer);
    loops->turn[size](row_buffer, n_slices * rows->item_bytes, n, n_slices, blocks);
}

/* ---- pieces, read ------------------------------------------------------------------------------------------------------ */

typedef struct slice_group {
    int64_t first, n; /* slices, as they are counted over the ordered axes between them */
    int64_t first_block, end_block, part;
} slice_group;

static slice_group group_of(const gp_slice_scan *scan, int64_t piece)
{
    int64_t per_row = gp_n_parts(scan->n_row_slices, scan->group_slices), number = piece / scan->n_parts;
    int64_t col = number % per_row * scan->group_slices, part = piece % scan->n_parts;
    return (slice_group){number / per_row * scan->n_row_slices + col, gp_smaller(scan->group_slices, scan->n_row_slices - col),
                         part * scan->part_blocks, gp_smaller((part + 1) * scan->part_blocks, scan->n_blocks), part};
}

static gp_slice_place slice_place(const gp_slice_scan *scan, int64_t index)
{
    return gp_slice_place_of(scan->slices->between, scan->slices->n_between, index);
}

static void visit_one_by_one(const gp_slice_scan *scan, const slice_group *group, gp_row_reader *rows, char *buffer,
                             const gp_slice_visit *visit)
{
    for (int64_t i = 0; i < group->n; i++) {
        gp_slice_place place = slice_place(scan, group->first + i);
        visit->start(visit->context, 0, place.step);
        for (int64_t number = group->first_block; number < group->end_block; number++) {
            int64_t n;
            gp_block block = block_at(scan, number, &n);
            visit->take(visit->context, 0, load_along(scan, rows, place, block, n, buffer), (int)n, block);
        }
        visit->finish(visit->context, 0, place.step, group->part);
    }
}

static void visit_together(const gp_slice_scan *scan, const slice_group *group, gp_row_reader *rows, char *memory,
                           const gp_slice_visit *visit)
{
    const gp_slice_axis *beside = &scan->slices->between[scan->slices->n_between - 1];
    gp_slice_place first = slice_place(scan, group->first);
    char *blocks = memory + scan->row_bytes;
    for (int slot = 0; slot < group->n; slot++)
        visit->start(visit->context, slot, first.step + slot * beside->step);
    for (int64_t number = group->first_block; number < group->end_block; number++) {
        int64_t n;
        gp_block block = block_at(scan, number, &n);
        if (scan->is_across)
            load_across(scan, rows, first, group->n, block, n, memory, blocks);
        for (int slot = 0; slot < group->n; slot++) {
            const void *elems = blocks + slot * n * rows->item_bytes;
            if (!scan->is_across)
                elems = load_along(scan, rows, moved(first, beside, slot), block, n, blocks);
            visit->take(visit->context, slot, elems, (int)n, block);
        }
    }
    for (int slot = 0; slot < group->n; slot++)
        visit->finish(visit->context, slot, first.step + slot * beside->step, group->part);
}

void gp_slice_scan_visit(const gp_slice_scan *scan, int64_t piece, const gp_slice_visit *visit)
{
    slice_group group = group_of(scan, piece);
    gp_row_reader *rows = &scan->worker_rows[visit->worker];
    char *memory = scan->memory + (size_t)visit->worker * scan->worker_bytes;
    if (scan->is_together)
        visit_together(scan, &group, rows, memory, visit);
    else
        visit_one_by_one(scan, &group, rows, memory + scan->row_bytes, visit);
}
