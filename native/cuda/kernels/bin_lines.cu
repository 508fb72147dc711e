/*
 * Lines to cells, from the places of samples, which place_lines of summary.cu computes.
 *
 * Launched by native/cuda/bin_lines.c with GP_BLOCK threads and any number of blocks. number_samples makes the x places of lines without
 * x; find_line_ways finds which other lines rise or fall in x, and find_borders where these cross the borders of columns. fill_columns
 * adds lines that rise or fall, by some threads for each column; set_line_bits and add_line_bits add the others, by a thread, or a warp
 * if it is long, for each stroke. finish_lines makes cells. Atomics are on integers only: the same bits on every run.
 */
#include "bin_lines_args.h"
#include "device.cuh"

GP_DEVICE int64_t gp_thread(void) { return (int64_t)blockIdx.x * GP_BLOCK + threadIdx.x; }
GP_DEVICE int64_t gp_threads(void) { return (int64_t)gridDim.x * GP_BLOCK; }

GP_DEVICE bool gp_line_falls(const gp_bin_lines_args &args, int64_t line)
{
    return args.ways != nullptr && (args.ways[line * args.way_step] & GP_LINE_NOT_RISING) != 0;
}

GP_DEVICE bool gp_line_is_sorted(const gp_bin_lines_args &args, int64_t line)
{
    if (args.ways == nullptr)
        return !args.is_unsorted;
    return args.ways[line * args.way_step] != (GP_LINE_NOT_RISING | GP_LINE_NOT_FALLING);
}

/* Adds to the first cell of a run of rows and subtracts after its last one; negative differences wrap around. */
GP_DEVICE void gp_line_add(const gp_bin_lines_args &args, int64_t row, int64_t column, uint64_t weight)
{
    if (row < gp_line_n_rows(&args.options))
        atomicAdd((unsigned long long *)&args.table[row * args.options.x.n_cells + column], (unsigned long long)weight);
}

GP_KERNEL(number_samples, gp_bin_lines_args, GP_BLOCK)
{
    for (int64_t i = gp_thread(); i < args.n_samples; i += gp_threads())
        args.x[i] = gp_line_place(&args.options.x, (double)(args.begin + i));
}

GP_KERNEL(find_line_ways, gp_bin_lines_args, GP_BLOCK)
{
    for (int64_t i = gp_thread(); i < args.n_lines * args.n_samples; i += gp_threads()) {
        int64_t line = i / args.n_samples, sample = i - line * args.n_samples;
        double here = args.x[i], next = args.x[sample + 1 < args.n_samples ? i + 1 : i];
        unsigned ways = (here <= next ? 0u : (unsigned)GP_LINE_NOT_RISING) | (here >= next ? 0u : (unsigned)GP_LINE_NOT_FALLING);
        if (ways & ~*(volatile uint32_t *)&args.ways[line * args.way_step])
            atomicOr((unsigned *)&args.ways[line * args.way_step], ways);
    }
}

/* ---- lines that rise or fall ----------------------------------------------------------------------------------------- */

/* Binary search: the first sample at or right of the border; with is_closed the first one right of it. */
GP_DEVICE int64_t gp_line_search(const double *x, int64_t n, bool is_falling, double border, bool is_closed)
{
    int64_t low = 0, high = n;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        double at = x[is_falling ? n - 1 - middle : middle];
        bool is_before = is_closed ? at <= border : at < border;
        low = is_before ? middle + 1 : low;
        high = is_before ? high : middle;
    }
    return low;
}

/* One thread for each border of each line, or of the x that all lines share. */
GP_KERNEL(find_borders, gp_bin_lines_args, GP_BLOCK)
{
    int64_t n_borders = args.options.x.n_cells + 1, n_lines = args.border_step > 0 ? args.n_lines : 1, n = args.n_samples;
    for (int64_t i = gp_thread(); i < n_lines * n_borders; i += gp_threads()) {
        int64_t line = i / n_borders, k = i - line * n_borders;
        const double *x = args.x + line * args.x_step;
        bool is_falling = gp_line_falls(args, line);
        if (!gp_line_is_sorted(args, line))
            continue;
        gp_line_border border;
        border.at = gp_line_search(x, n, is_falling, (double)k, false);
        border.behind = gp_line_search(x, n, is_falling, (double)k, true);
        border.part = gp_mark_value(GP_HAS_NAN);
        if (border.behind == border.at && border.at > 0 && border.at < n) {
            int64_t before = is_falling ? n - border.at : border.at - 1, after = is_falling ? before - 1 : before + 1;
            border.part = gp_line_part((double)k, x[before], x[after]);
        }
        args.borders[line * args.border_step + k] = border;
    }
}

/* The samples of one line in the current part, from left to right. */
struct gp_line_samples {
    const double *y;
    int64_t n;
    bool is_falling;

    GP_DEVICE double at(const gp_line_samples &s, int64_t i) { return s.y[s.is_falling ? s.n - 1 - i : i]; }
    GP_DEVICE bool has_neighbor(const gp_line_samples &s, int64_t i)
    {
        double before = i > 0 ? at(s, i - 1) : gp_mark_value(GP_HAS_NAN);
        double after = i + 1 < s.n ? at(s, i + 1) : gp_mark_value(GP_HAS_NAN);
        return before == before || after == after;
    }
};

/* The rows of closed column k that one of several lanes finds: from its share of the samples, and from the strokes that cross the
 * borders. A sample on a border belongs to the column right of it, the ends of strokes to both. */
GP_DEVICE gp_line_span gp_line_column(const gp_bin_lines_args &args, int64_t line, int64_t k, int lane, int n_lanes)
{
    gp_line_samples y = {args.y + line * args.n_samples, args.n_samples, gp_line_falls(args, line)};
    const gp_line_border *borders = args.borders + line * args.border_step + k;
    gp_line_span span = gp_line_span_none();
    for (int i = 0; i < 2; i++)
        if (lane == 0 && borders[i].part >= 0)
            gp_line_span_add(&span, gp_line_crossing(gp_line_samples::at(y, borders[i].at - 1),
                                                     gp_line_samples::at(y, borders[i].at), borders[i].part));
    for (int64_t i = borders[0].at + lane; i < borders[1].at; i += n_lanes)
        gp_line_span_add(&span, gp_line_samples::at(y, i));
    for (int64_t i = borders[1].at + lane; i < borders[1].behind; i += n_lanes)
        if (k + 1 == args.options.x.n_cells || gp_line_samples::has_neighbor(y, i))
            gp_line_span_add(&span, gp_line_samples::at(y, i));
    return span;
}

/* Keeps the rows that a line fills in a column for its next part; after the last part adds them to the table. */
GP_DEVICE void gp_line_put(const gp_bin_lines_args &args, int64_t line, int64_t k, gp_line_span span)
{
    int64_t first, last;
    if (!args.is_first)
        gp_line_span_join(&span, args.spans[line * args.options.x.n_cells + k]);
    if (!args.is_last) {
        args.spans[line * args.options.x.n_cells + k] = span;
    } else if (gp_line_rows(span, &args.options, &first, &last)) {
        uint64_t weight = gp_line_weight(args.options.is_normalized, last - first + 1);
        gp_line_add(args, first, k, weight);
        gp_line_add(args, last + 1, k, (uint64_t)0 - weight);
    }
}

/* 2^log2_lanes neighboring threads of a warp share a column of a line; the next threads have the next column. */
GP_KERNEL(fill_columns, gp_bin_lines_args, GP_BLOCK)
{
    int64_t n_cols = args.options.x.n_cells, n_items = args.n_lines * n_cols;
    int n_lanes = 1 << args.log2_lanes, lane = (int)threadIdx.x & (n_lanes - 1);
    for (int64_t warp = gp_thread() - threadIdx.x % GP_WARP; warp >> args.log2_lanes < n_items; warp += gp_threads()) {
        int64_t item = (warp + threadIdx.x % GP_WARP) >> args.log2_lanes, line = item / n_cols, k = item - line * n_cols;
        bool is_mine = item < n_items && gp_line_is_sorted(args, line);
        gp_line_span span = gp_line_span_none();
        if (is_mine)
            span = gp_line_column(args, line, k, lane, n_lanes);
        for (int distance = n_lanes / 2; distance > 0; distance /= 2) {
            gp_line_span other = {__shfl_down_sync(GP_FULL_WARP, span.low, distance),
                                  __shfl_down_sync(GP_FULL_WARP, span.high, distance)};
            gp_line_span_join(&span, other);
        }
        if (is_mine && lane == 0)
            gp_line_put(args, line, k, span);
    }
}

/* ---- lines in no order ----------------------------------------------------------------------------------------------- */

/* Strokes of at least so many columns are the work of a warp. */
enum { GP_LONG_STROKE = 8 };

/* A stroke from its left sample to its right one, and the closed columns that it touches; none if first > last. */
struct gp_line_stroke_args {
    double x0, y0, x1, y1;
    int64_t line, first, last;
};

GP_DEVICE void gp_line_set_span(const gp_bin_lines_args &args, int64_t line, int64_t k, gp_line_span span)
{
    int64_t first, last;
    if (!gp_line_rows(span, &args.options, &first, &last))
        return;
    uint32_t *column = args.bits + (line * args.options.x.n_cells + k) * args.n_words;
    for (int64_t word = first / 32; word <= last / 32; word++) {
        uint32_t bits = 0xffffffffu;
        bits &= word == first / 32 ? 0xffffffffu << (first % 32) : bits;
        bits &= word == last / 32 ? 0xffffffffu >> (31 - last % 32) : bits;
        if (bits & ~*(volatile uint32_t *)&column[word])
            atomicOr((unsigned *)&column[word], bits);
    }
}

/* The stroke that ends at sample i of all samples, from the one before it in its line. */
GP_DEVICE gp_line_stroke_args gp_line_stroke_before(const gp_bin_lines_args &args, int64_t line, int64_t sample)
{
    int64_t at = line * args.x_step + sample, from = line * args.n_samples + sample;
    gp_line_stroke_args s = {args.x[at - 1], args.y[from - 1], args.x[at], args.y[from], line, 0, -1};
    if (s.x0 > s.x1) {
        double x = s.x0, y = s.y0;
        s.x0 = s.x1, s.y0 = s.y1, s.x1 = x, s.y1 = y;
    }
    if (!(s.x0 == s.x0 && s.x1 == s.x1 && s.y0 == s.y0 && s.y1 == s.y1) ||
        !gp_line_columns(s.x0, s.x1, args.options.x.n_cells, &s.first, &s.last))
        s.first = 0, s.last = -1;
    return s;
}

GP_DEVICE void gp_line_set_stroke(const gp_bin_lines_args &args, const gp_line_stroke_args &s, int lane, int n_lanes)
{
    for (int64_t k = s.first + lane; k <= s.last; k += n_lanes)
        gp_line_set_span(args, s.line, k, gp_line_stroke(s.x0, s.y0, s.x1, s.y1, k));
}

GP_DEVICE gp_line_stroke_args gp_line_stroke_of_lane(const gp_line_stroke_args &s, int lane)
{
    gp_line_stroke_args other;
    other.x0 = __shfl_sync(GP_FULL_WARP, s.x0, lane), other.y0 = __shfl_sync(GP_FULL_WARP, s.y0, lane);
    other.x1 = __shfl_sync(GP_FULL_WARP, s.x1, lane), other.y1 = __shfl_sync(GP_FULL_WARP, s.y1, lane);
    other.line = __shfl_sync(GP_FULL_WARP, s.line, lane);
    other.first = __shfl_sync(GP_FULL_WARP, s.first, lane), other.last = __shfl_sync(GP_FULL_WARP, s.last, lane);
    return other;
}

/* One thread for each sample, with the stroke that ends there. */
GP_KERNEL(set_line_bits, gp_bin_lines_args, GP_BLOCK)
{
    int64_t n = args.n_lines * args.n_samples;
    int lane = (int)(threadIdx.x % GP_WARP);
    for (int64_t warp = gp_thread() - lane; warp < n; warp += gp_threads()) {
        int64_t i = warp + lane, line = i / args.n_samples, sample = i - line * args.n_samples, k;
        gp_line_stroke_args s = {0, 0, 0, 0, 0, 0, -1};
        if (i < n && !gp_line_is_sorted(args, line)) {
            double x = args.x[line * args.x_step + sample], y = args.y[i];
            gp_line_span own = {y, y};
            if (y == y && gp_line_own_column(x, args.options.x.n_cells, &k))
                gp_line_set_span(args, line, k, own);
            if (sample > 0)
                s = gp_line_stroke_before(args, line, sample);
        }
        bool is_long = s.last - s.first >= GP_LONG_STROKE;
        if (!is_long)
            gp_line_set_stroke(args, s, 0, 1);
        for (unsigned left = __ballot_sync(GP_FULL_WARP, is_long); left != 0; left &= left - 1)
            gp_line_set_stroke(args, gp_line_stroke_of_lane(s, __ffs((int)left) - 1), lane, GP_WARP);
    }
}

/* One thread for each column of a line: adds at the first row of each run of rows, and subtracts after its last one. */
GP_KERNEL(add_line_bits, gp_bin_lines_args, GP_BLOCK)
{
    int64_t n_cols = args.options.x.n_cells;
    for (int64_t i = gp_thread(); i < args.n_lines * n_cols; i += gp_threads()) {
        const uint32_t *column = args.bits + i * args.n_words;
        int64_t n_rows = 0, k = i % n_cols;
        uint32_t carry = 0;
        for (int64_t word = 0; word < args.n_words; word++)
            n_rows += __popc(column[word]);
        uint64_t weight = n_rows > 0 ? gp_line_weight(args.options.is_normalized, n_rows) : 0;
        for (int64_t word = 0; word < args.n_words && n_rows > 0; word++) {
            uint32_t bits = column[word];
            for (uint32_t edges = bits ^ (bits << 1 | carry); edges != 0; edges &= edges - 1) {
                int bit = __ffs((int)edges) - 1;
                gp_line_add(args, 32 * word + bit, k, bits >> bit & 1 ? weight : (uint64_t)0 - weight);
            }
            carry = bits >> 31;
        }
    }
}

/* ---- cells ----------------------------------------------------------------------------------------------------------- */

/* One thread for each column: sums the table along y, since it has the difference between neighboring rows. */
GP_KERNEL(finish_lines, gp_bin_lines_args, GP_BLOCK)
{
    int64_t n_cols = args.options.x.n_cells;
    for (int64_t k = gp_thread(); k < n_cols; k += gp_threads()) {
        uint64_t sum = 0;
        for (int64_t row = 0; row < gp_line_n_rows(&args.options); row++) {
            sum += args.table[row * n_cols + k];
            args.out[row * n_cols + k] = gp_line_cell(args.options.is_normalized, sum);
        }
    }
}
