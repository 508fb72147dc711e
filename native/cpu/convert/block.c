/* Converts a box of a plan: elements are gathered into a block in the nearest cache, cast there and written. */
#include "block.h"

#include "../../core/base/nontemporal.h"
#include "../../core/base/arithmetic.h"

/* Rows of at least so many elements are cast in place; shorter ones are gathered into a block first. */
#define LONG_ROW 64

/* The parts of a thread's scratch memory: gathered elements, cast ones, and the runs of a turned block. */
typedef struct block {
    gp_convert_box box;
    char *gathered, *cast, *runs;
} block;

int64_t gp_block_scratch_bytes(const gp_block_work *work) { return work->block_elems * (2 * work->from_bytes + work->to_bytes); }

static bool is_row_dense(const gp_block_work *work, const gp_convert_box *box)
{
    return box->n_t == 1 || work->t.from_stride == work->from_bytes;
}

static bool is_source_dense(const gp_block_work *work, const gp_convert_box *box)
{
    int64_t row_bytes = box->n_t * work->from_bytes;
    return is_row_dense(work, box) && (box->n_s == 1 || work->s.from_stride == row_bytes) &&
           (box->n_r == 1 || work->r.from_stride == box->n_s * row_bytes);
}

/* Gathers one layer of the block, along T and S. */
static void gather_layer(const gp_block_work *work, const gp_convert_box *box, const char *from, char *runs, char *to)
{
    const gp_layout_loops *loops = work->loops;
    int64_t bytes = work->from_bytes;
    int size = work->from_size;
    if (work->is_turned && work->s.from_stride == bytes) {
        loops->turn[size](from, work->t.from_stride, box->n_t, box->n_s, to);
    } else if (work->is_turned) {
        for (int64_t t = 0; t < box->n_t; t++)
            loops->pick[size](from + t * work->t.from_stride, work->s.from_stride, box->n_s, runs + t * box->n_s * bytes);
        loops->turn[size](runs, box->n_s * bytes, box->n_t, box->n_s, to);
    } else {
        for (int64_t s = 0; s < box->n_s; s++) {
            const char *row = from + s * work->s.from_stride;
            if (is_row_dense(work, box))
                memcpy(to + s * box->n_t * bytes, row, (size_t)(box->n_t * bytes));
            else
                loops->pick[size](row, work->t.from_stride, box->n_t, to + s * box->n_t * bytes);
        }
    }
}

static void hide_masked(const gp_block_work *work, const gp_convert_box *box, const uint8_t *mask, int64_t n_rows, char *to)
{
    for (int64_t row = 0; row < n_rows; row++)
        work->loops->hide[work->to_size](mask + row / box->n_s * work->r.mask_stride + row % box->n_s * work->s.mask_stride,
                                         work->t.mask_stride, work->plan.is_mask_inverted, work->nan, box->n_t,
                                         to + row * box->n_t * work->to_bytes);
}

/* Casts n_rows rows from (s, r) on, which are contiguous in the source, or in the block, and in the target. */
static void write_rows(const gp_block_work *work, const block *b, const char *from, int64_t s, int64_t r, int64_t n_rows)
{
    const gp_convert_box *box = &b->box;
    int64_t n = n_rows * box->n_t;
    char *to = box->to + s * work->s.to_stride + r * work->r.to_stride;
    bool has_gaps = box->n_t > 1 && work->t.to_stride != work->to_bytes;
    bool is_masked = box->mask != NULL, is_copied = work->cast.n_steps == 0 && !is_masked;
    char *cast = work->is_streamed || has_gaps ? b->cast : to;
    if (is_copied && (work->is_streamed || has_gaps))
        cast = (char *)(uintptr_t)from;
    else
        gp_cast_run(&work->cast, from, n, cast);
    if (is_masked)
        hide_masked(work, box, box->mask + s * work->s.mask_stride + r * work->r.mask_stride, n_rows, cast);
    if (has_gaps)
        work->loops->put[work->to_size](cast, n, to, work->t.to_stride);
    else if (work->is_streamed)
        work->loops->stream(cast, n * work->to_bytes, to);
}

/* The number of rows that are contiguous in the target and are written together: all rows, those of a layer, or one. */
static int64_t rows_together(const gp_block_work *work, const gp_convert_box *box)
{
    int64_t row_bytes = box->n_t * work->to_bytes;
    if (box->n_t > 1 && work->t.to_stride != work->to_bytes)
        return 1;
    if (box->n_s > 1 && work->s.to_stride != row_bytes)
        return 1;
    return box->n_r > 1 && work->r.to_stride != box->n_s * row_bytes ? box->n_s : box->n_s * box->n_r;
}

static void convert_block(const gp_block_work *work, const block *b)
{
    const gp_convert_box *box = &b->box;
    int64_t bytes = work->from_bytes, n_rows = box->n_s * box->n_r, n_together = rows_together(work, box);
    bool is_dense = is_source_dense(work, box), is_direct = is_dense || (is_row_dense(work, box) && box->n_t >= LONG_ROW);
    const char *from = box->from;
    if (!is_direct) {
        for (int64_t r = 0; r < box->n_r; r++)
            gather_layer(work, box, box->from + r * work->r.from_stride, b->runs, b->gathered + r * box->n_s * box->n_t * bytes);
        from = b->gathered;
    } else if (!is_dense) {
        n_together = 1;
    }
    for (int64_t row = 0; row < n_rows; row += n_together) {
        int64_t s = row % box->n_s, r = row / box->n_s;
        const char *source = is_direct && !is_dense ? from + s * work->s.from_stride + r * work->r.from_stride
                                                    : from + row * box->n_t * bytes;
        write_rows(work, b, source, s, r, n_together);
    }
}

/* The part of a box that begins at (t, s, r), at most a block's sizes long. */
static gp_convert_box part_of(const gp_block_work *work, const gp_convert_box *box, int64_t t, int64_t s, int64_t r)
{
    gp_convert_box part = {.from = box->from + t * work->t.from_stride + s * work->s.from_stride + r * work->r.from_stride,
                           .to = box->to + t * work->t.to_stride + s * work->s.to_stride + r * work->r.to_stride,
                           .n_t = gp_smaller(work->n_t, box->n_t - t),
                           .n_s = gp_smaller(work->n_s, box->n_s - s),
                           .n_r = gp_smaller(work->n_r, box->n_r - r)};
    if (box->mask != NULL)
        part.mask = box->mask + t * work->t.mask_stride + s * work->s.mask_stride + r * work->r.mask_stride;
    return part;
}

/*
 * The number of elements before the first whole cache line of the target. Streaming is slow for lines that are written in parts, so
 * blocks begin there and end with a line, if all rows have this offset.
 */
static int64_t elems_to_line(const gp_block_work *work, const gp_convert_box *box)
{
    int64_t n_bytes = (int64_t)(-(uintptr_t)box->to % GP_LINE_BYTES);
    bool is_useful = work->is_streamed && work->t.to_stride == work->to_bytes && n_bytes % work->to_bytes == 0;
    return is_useful ? gp_smaller(n_bytes / work->to_bytes, box->n_t) : 0;
}

/* Converts the blocks of columns t..t + n of a box's layer r, along S, the direction of the source's memory. */
static void convert_band(const gp_block_work *work, const gp_convert_box *box, block *b, int64_t t, int64_t n, int64_t r)
{
    for (int64_t s = 0; s < box->n_s && n > 0; s += work->n_s) {
        b->box = part_of(work, box, t, s, r);
        b->box.n_t = n;
        convert_block(work, b);
    }
}

/* Converts the blocks of the rows from s on of a box's layer r. */
static void convert_rows(const gp_block_work *work, const gp_convert_box *box, block *b, int64_t s, int64_t r)
{
    for (int64_t t = 0; t < box->n_t; t += work->n_t) {
        b->box = part_of(work, box, t, s, r);
        convert_block(work, b);
    }
}

void gp_block_convert(const gp_block_work *work, const gp_convert_box *box, char *scratch)
{
    block b = {.gathered = scratch,
               .cast = scratch + 2 * work->block_elems * work->from_bytes,
               .runs = scratch + work->block_elems * work->from_bytes};
    for (int64_t r = 0; r < box->n_r; r += work->n_r) {
        int64_t first = work->is_turned ? elems_to_line(work, box) : 0;
        if (work->is_turned)
            convert_band(work, box, &b, 0, gp_smaller(first, work->n_t), r);
        for (int64_t t = gp_smaller(first, work->n_t); t < box->n_t && work->is_turned; t += work->n_t)
            convert_band(work, box, &b, t, gp_smaller(work->n_t, box->n_t - t), r);
        for (int64_t s = 0; s < box->n_s && !work->is_turned; s += work->n_s)
            convert_rows(work, box, &b, s, r);
    }
    if (work->is_streamed)
        work->loops->stream_end();
}
