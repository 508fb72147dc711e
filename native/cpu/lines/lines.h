/* Types and functions that the CPU's files about lines share. */
#ifndef GP_CPU_LINES_H
#define GP_CPU_LINES_H

#include "read/coordinate.h"
#include "../../core/grids/line_grid.h"

/* Samples of a part of a line, which is processed together; and the same with a neighbor on either side. */
enum { GP_LINE_PART = 4096, GP_LINE_PART_ROOM = GP_LINE_PART + 2 };

/* Whether the x places of a line rise or fall; NEITHER also if one has no place. */
typedef enum gp_line_way { GP_LINE_RISES, GP_LINE_FALLS, GP_LINE_NEITHER } gp_line_way;

/* Lines of one length, and how they are read. */
typedef struct gp_line_source {
    const gp_lines *lines;
    gp_coordinate x, y;
    int64_t n_lines, n_samples;
    bool has_one_x; /* one x for all lines */
} gp_line_source;

/* Memory of one worker: places of samples begin..begin + n - 1 of a line, and its grid. */
typedef struct gp_line_worker {
    const gp_line_options *options;
    const gp_line_source *source;
    int64_t n;
    double x[GP_LINE_PART_ROOM], y[GP_LINE_PART_ROOM];
    char packed[GP_LINE_PART_ROOM * sizeof(double)] __attribute__((aligned(64)));
    void *scratch;
    uint64_t *table;          /* rows x columns: the difference to the row before */
    gp_line_span *spans;      /* for each column the span that the line fills */
    gp_line_border *borders;  /* the left border of each column, and the right one of the last, among the part's samples */
    int64_t column0, column1; /* the columns of the borders */
    uint64_t *bits;           /* gp_line_words words for each column: the rows that the line fills */
    int64_t bits0, bits1;     /* columns that may have bits */
} gp_line_worker;

/* Number of words for a column of bits. */
static inline int64_t gp_line_words(const gp_line_options *options) { return (gp_line_n_rows(options) + 63) / 64; }

/* Bytes of scratch memory for reading these lines. */
size_t gp_line_scratch_bytes(const gp_lines *lines);

gp_line_source gp_line_source_of(const gp_lines *lines);

/* The place of a sample along x. */
double gp_line_place_at(gp_line_worker *worker, int64_t row, int64_t i);

/* Reads samples begin..end-1, at most GP_LINE_PART_ROOM, to x or y of the worker. */
void gp_line_read_x(gp_line_worker *worker, int64_t row, int64_t begin, int64_t end);
void gp_line_read_y(gp_line_worker *worker, int64_t row, int64_t begin, int64_t end);

/* Reads all of a line's x; for a line of a single part, the worker's x has it afterwards. */
gp_line_way gp_line_find_way(gp_line_worker *worker, int64_t row);

/* line_columns.c: the memory that finding spans in so many columns needs, beside that which the caller owns. What was begun is ended
 * also after a failure. */
gp_status gp_line_worker_start(gp_line_worker *worker, const gp_line_options *options, int64_t n_columns, size_t scratch_bytes,
                               gp_error *error) GP_MUST_CHECK;
void gp_line_worker_end(gp_line_worker *worker);

/* Finds the spans that a line which rises or falls fills in columns column0..column1-1, of which it touches
 * touched0..touched1-1; begin..end-1 are the samples needed there. has_borders: x and borders are still those of the line before, which has
 * the same x and one part. */
void gp_line_find_spans(gp_line_worker *worker, int64_t row, gp_line_way way, int64_t column0, int64_t column1, int64_t begin,
                        int64_t end, bool has_borders, int64_t *touched0, int64_t *touched1);

/* The same, adds these spans to the table, and clears them. */
void gp_line_add_sorted(gp_line_worker *worker, int64_t row, gp_line_way way, int64_t column0, int64_t column1, int64_t begin,
                        int64_t end, bool has_borders);

/* line_bits.c: sets the bits of samples begin..end-1 of a line in any order, and of the strokes between them. */
void gp_line_set_bits(gp_line_worker *worker, int64_t row, int64_t begin, int64_t end);

/* Adds the bits to the table, and clears them. */
void gp_line_add_bits(gp_line_worker *worker);

#endif
