/* Resamples cells by any weights: what a look at each weight gives, marks bit for bit, and between the least and the largest. */
#include "backend.h"
#include "check.h"
#include "input.h"

enum { MAX_SIDE = 24 };

/* The weights of an axis, in memory of just the right size. */
typedef struct axis {
    int64_t *first, *touched;
    double *weights;
    double size; /* the most that magnitudes of a cell's weights come to; their sum is 1 */
    gp_taps taps;
} axis;

static void *exactly(int64_t n, size_t item_bytes)
{
    void *memory = malloc(n > 0 ? (size_t)n * item_bytes : 1);
    CHECK(memory != NULL);
    return memory;
}

/* Returns the sum of the magnitudes. */
static double read_weights(gp_input *input, int n_taps, double *out)
{
    double sum = 0, size = 0;
    for (int i = 0; i < n_taps; i++)
        out[i] = (double)input_between(input, -1, 14), sum += out[i];
    for (int i = 0; i < n_taps && sum < 4; i++)
        out[i] = i == 0;
    for (int i = 0; i < n_taps; i++)
        out[i] /= sum < 4 ? 1 : sum, size += fabs(out[i]);
    return size;
}

static axis read_axis(gp_input *input, int64_t n_from)
{
    int n_taps = (int)input_between(input, 1, n_from < GP_MOST_TAPS ? n_from : GP_MOST_TAPS);
    int64_t n_cells = input_between(input, 0, MAX_SIDE);
    axis a = {exactly(n_cells, sizeof *a.first),
              exactly(2 * n_cells, sizeof *a.touched),
              exactly(n_cells * n_taps, sizeof *a.weights),
              1,
              {0}};
    for (int64_t i = 0; i < n_cells; i++) {
        int64_t begin = input_between(input, 0, n_taps);
        a.first[i] = input_between(input, 0, n_from - n_taps);
        a.touched[2 * i] = a.first[i] + begin;
        a.touched[2 * i + 1] = a.first[i] + input_between(input, begin, n_taps);
        a.size = fmax(a.size, read_weights(input, n_taps, a.weights + i * n_taps));
    }
    a.taps = (gp_taps){a.first, a.touched, a.weights, n_cells, n_taps};
    return a;
}

static void free_axis(const axis *a)
{
    free(a->first);
    free(a->touched);
    free(a->weights);
}

/* Small numbers, and where there are marks one in three of each kind. */
static gp_cells read_cells(gp_input *input)
{
    const double marks[] = {NAN, INFINITY, -INFINITY, gp_masked_value(), gp_empty_cell()};
    bool has_marks = input_one_in(input, 2);
    gp_cells cells = {
        .n_rows = input_between(input, 1, MAX_SIDE), .n_cols = input_between(input, 1, MAX_SIDE), .device = {GP_DL_CPU, 0}};
    cells.data = exactly(cells.n_rows * cells.n_cols, sizeof *cells.data);
    for (int64_t i = 0; i < cells.n_rows * cells.n_cols; i++) {
        int64_t k = has_marks ? input_between(input, 0, 14) : 5;
        cells.data[i] = k < 5 ? marks[k] : (double)input_between(input, -128, 127) / 8;
    }
    return cells;
}

/* No further than what is finite and has a weight reaches. */
static void check_held(const gp_cells *from, const gp_taps *rows, int64_t q, const gp_taps *cols, int64_t p, double got)
{
    double low = (double)INFINITY, high = -(double)INFINITY;
    for (int i = 0; i < rows->n_taps; i++)
        for (int k = 0; k < cols->n_taps; k++) {
            double x = from->data[(rows->first[q] + i) * from->n_cols + cols->first[p] + k];
            bool has_weight = rows->weights[q * rows->n_taps + i] != 0 && cols->weights[p * cols->n_taps + k] != 0;
            if (has_weight && gp_class_of(x) == GP_HAS_FINITE)
                low = fmin(low, x), high = fmax(high, x);
        }
    CHECK(low > high || (low <= got && got <= high));
}

static void check_filter(const gp_cells *from, const axis *rows, const axis *cols, gp_nan nan)
{
    int64_t n_rows = rows->taps.n_cells, n_cols = cols->taps.n_cells;
    double size = rows->size * cols->size, tolerance = 16 * 0x1p-52 * 16 * size * size;
    gp_cells out = {exactly(n_rows * n_cols, sizeof *out.data), n_rows, n_cols, {GP_DL_CPU, 0}};
    CHECK(gp_cpu_backend.filter(from, &rows->taps, &cols->taps, nan, &out, &(gp_error){0}) == GP_OK);
    for (int64_t i = 0; i < n_rows * n_cols; i++) {
        int64_t q = i / n_cols, p = i % n_cols;
        double want = gp_filter_cell(from->data, from->n_cols, &rows->taps, q, &cols->taps, p, nan), got = out.data[i];
        if (gp_class_of(want) != GP_HAS_FINITE) {
            CHECK(gp_bits_from_f64(got) == gp_bits_from_f64(want));
            continue;
        }
        CHECK(fabs(got - want) <= tolerance && !(got == 0 && signbit(got)));
        check_held(from, &rows->taps, q, &cols->taps, p, got);
    }
    free(out.data);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n_bytes)
{
    gp_input input = {data, n_bytes};
    gp_nan nan = (gp_nan)input_between(&input, 0, GP_N_NANS - 1);
    axis rows, cols;
    gp_cells from = read_cells(&input);
    rows = read_axis(&input, from.n_rows);
    cols = read_axis(&input, from.n_cols);
    check_filter(&from, &rows, &cols, nan);
    free_axis(&rows);
    free_axis(&cols);
    free(from.data);
    return 0;
}
