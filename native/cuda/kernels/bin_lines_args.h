/* Arguments of the kernels for lines: place_lines of summary.cu, and those of bin_lines.cu. */
#ifndef GP_BIN_LINES_ARGS_H
#define GP_BIN_LINES_ARGS_H

#include "../../core/grids/line_grid.h"
#include "summary_args.h"

/* The place of each coordinate along one axis, to places[position]. */
typedef struct gp_place_lines_args {
    gp_plane plane;
    gp_positions positions;
    gp_line_axis axis; /* knots are on the device */
    double *places;
} gp_place_lines_args;

/* Ways that a line doesn't go, as bits. */
enum { GP_LINE_NOT_RISING = 1, GP_LINE_NOT_FALLING = 2 };

/*
 * A part of n_lines lines: samples 0..n_samples-1 of it, whose places lie line by line. x has one line for all where x_step is 0.
 * ways: the ways that line i * way_step does not go; NULL if all rise, or all are unsorted.
 */
typedef struct gp_bin_lines_args {
    gp_line_options options;
    int64_t n_lines, n_samples, x_step, begin; /* begin: number of the first sample in its line */
    double *x, *y;
    uint32_t *ways;
    int64_t way_step;
    bool is_unsorted;
    gp_line_border *borders; /* columns + 1 of each line, or of one for all */
    int64_t border_step;     /* 0 or columns + 1 */
    gp_line_span *spans;     /* NULL: lines have one part; else of each column what earlier parts filled */
    bool is_first, is_last;  /* of the parts */
    int32_t log2_lanes;      /* threads that share a column of a line */
    uint32_t *bits;          /* of each column of each line n_words words; of lines in no order */
    int64_t n_words;
    uint64_t *table; /* rows x columns: what a row has more than the one before it */
    double *out;
} gp_bin_lines_args;

#endif
