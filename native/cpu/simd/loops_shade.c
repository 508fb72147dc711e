/* Coloring, block by block: loops without branches, so that the compiler turns them into vector code. */
#include "shade_loops.h"

#include "../../core/color/shading.h"

extern const gp_shade_loops GP_LEVELED(gp_shade_loops);

/* The sign bit of the result is set if any exponent is full. */
static uint64_t exponent_overflow(double v) { return (gp_bits_from_f64(v) & 0x7fffffffffffffffu) + 0x0010000000000000u; }

static bool by_line(const gp_scale *scale, const double *cells, int n, int32_t *positions)
{
    double half = scale->half, low = scale->f_min, range = scale->f_range, n_colors = scale->n_colors;
    uint64_t seen = 0;
    for (int i = 0; i < n; i++) {
        double x = (cells[i] * half - low) / range * n_colors;
        x = x >= 0 ? x : -1;
        x = x > n_colors ? n_colors + 1 : x;
        positions[i] = (int32_t)x + 1;
        seen |= exponent_overflow(cells[i]);
    }
    return seen >> 63;
}

static void count_by_search(const gp_threshold_table *edges, const double *cells, int n, int32_t *positions)
{
    for (int i = 0; i < n; i++)
        positions[i] = gp_count_edges(edges->edges, edges->n_edges, cells[i]);
}

static void count_by_bucket(const gp_threshold_table *edges, const double *cells, int n, int32_t *positions)
{
    const double *edge = edges->edges, origin = edges->origin, floor = edges->floor;
    const int32_t *counts = edges->counts, first_bucket = edges->first_bucket;
    int shift = edges->shift;
    for (int i = 0; i < n; i++)
        positions[i] = gp_edge_bucket_clipped(gp_edge_bucket(cells[i], origin, floor, shift, first_bucket));
    for (int i = 0; i < n; i++)
        positions[i] = counts[positions[i]];
    for (int test = 0; test < edges->n_tests; test++)
        for (int i = 0; i < n; i++)
            positions[i] += cells[i] >= edge[positions[i]];
}

static bool by_edges(const gp_threshold_table *edges, const double *cells, int n, int32_t *positions)
{
    uint64_t seen = 0;
    for (int i = 0; i < n; i++)
        seen |= exponent_overflow(cells[i]);
    if (edges->n_tests < 0 || seen >> 63)
        count_by_search(edges, cells, n, positions);
    else
        count_by_bucket(edges, cells, n, positions);
    return seen >> 63;
}

static void place_marks(int32_t first, const double *cells, int n, int32_t *positions)
{
    const uint64_t magnitude = 0x7fffffffffffffffu, infinity = 0x7ff0000000000000u;
    for (int i = 0; i < n; i++) {
        uint64_t bits = gp_bits_from_f64(cells[i]);
        int32_t of_nan = bits == GP_EMPTY_BITS ? GP_MARK_EMPTY : bits == GP_MASKED_BITS ? GP_MARK_MASKED : GP_MARK_NAN;
        int32_t of_infinity = bits == infinity ? GP_MARK_POS_INF : GP_MARK_NEG_INF;
        int32_t mark = (bits & magnitude) == infinity ? of_infinity : of_nan;
        positions[i] = (bits & magnitude) >= infinity ? first + mark : positions[i];
    }
}

/* Pixels are stored a few at a time: one store each takes a cycle each. */
enum { PIXELS_AT_ONCE = 8 };

static void paint(const uint32_t *colors, const int32_t *positions, int n, uint8_t *rgba)
{
    int n_together = n / PIXELS_AT_ONCE * PIXELS_AT_ONCE;
    for (int i = 0; i < n_together; i += PIXELS_AT_ONCE) {
        uint32_t pixels[PIXELS_AT_ONCE];
        for (int k = 0; k < PIXELS_AT_ONCE; k++)
            pixels[k] = colors[positions[i + k]];
        memcpy(rgba + 4 * (int64_t)i, pixels, sizeof pixels);
    }
    for (int i = n_together; i < n; i++)
        memcpy(rgba + 4 * (int64_t)i, &colors[positions[i]], 4);
}

static bool are_finite(const double *cells, int n)
{
    uint64_t seen = 0;
    for (int i = 0; i < n; i++)
        seen |= exponent_overflow(cells[i]);
    return seen >> 63 == 0;
}

/* With fewer lanes GCC unrolls the loop over them, and makes no vectors: that takes six times as long. */
enum { LANES = 32 };

/* The smallest and largest of n > 0 cells, in lanes: a minimum from cell to cell is one chain of waits. */
static void find_range(const double *restrict cells, int n, double range[2])
{
    double low[LANES], high[LANES];
    int i = 0;
    for (int k = 0; k < LANES; k++)
        low[k] = (double)INFINITY, high[k] = -(double)INFINITY;
    for (; i + LANES <= n; i += LANES)
        for (int k = 0; k < LANES; k++) {
            double cell = cells[i + k];
            low[k] = cell < low[k] ? cell : low[k];
            high[k] = cell > high[k] ? cell : high[k];
        }
    for (; i < n; i++) {
        low[0] = cells[i] < low[0] ? cells[i] : low[0];
        high[0] = cells[i] > high[0] ? cells[i] : high[0];
    }
    range[0] = low[0], range[1] = high[0];
    for (int k = 1; k < LANES; k++) {
        range[0] = low[k] < range[0] ? low[k] : range[0];
        range[1] = high[k] > range[1] ? high[k] : range[1];
    }
}

/* gp_channel_byte of finite cells: what is cut to 0..255 is rounded down by the conversion. */
static void bytes_of_channel(const gp_channel_plan *plan, int channel, int64_t at, int n, int32_t *bytes)
{
    const double *cells = plan->channels[channel] + at, scale = plan->scale[channel], offset = plan->offset[channel];
    bool is_f32 = plan->style.is_f32 && !plan->style.is_rounded;
    double half = plan->style.is_rounded ? 0.5 : 0;
    double cut[GP_SHADE_BLOCK];
    for (int i = 0; i < n; i++) {
        double x = cells[i] * scale + offset;
        x = is_f32 ? (double)(float)x : x + half;
        x = x > 0 ? x : 0;
        cut[i] = x < 255 ? x : 255;
    }
    for (int i = 0; i < n; i++) /* apart, or compilers cut integers, which takes more instructions */
        bytes[i] = (int32_t)cut[i];
}

/* Colors rise or fall with their cells: those of the ends are the ends of the colors. */
static void widen_range(const gp_rgb_style *style, int channel, const double cells[2], double range[2])
{
    for (int i = 0; i < 2; i++) {
        double color = cells[i] * style->scale[channel] + style->offset[channel];
        range[0] = color < range[0] ? color : range[0];
        range[1] = color > range[1] ? color : range[1];
    }
}

/* The four bytes of a pixel, in this order in memory. */
static uint32_t pixel_word(uint32_t red, uint32_t green, uint32_t blue, uint32_t alpha)
{
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    return red << 24 | green << 16 | blue << 8 | alpha;
#else
    return red | green << 8 | blue << 16 | alpha << 24;
#endif
}

static bool paint_channels(const gp_channel_plan *plan, int64_t at, int n, uint8_t *rgba, double range[2])
{
    int32_t bytes[3][GP_SHADE_BLOCK];
    uint8_t alpha = gp_alpha_byte(255, plan->style.alpha);
    if (plan->n_channels != 3 || plan->style.alpha_cells != NULL)
        return false;
    for (int channel = 0; channel < 3; channel++)
        if (!are_finite(plan->channels[channel] + at, n))
            return false;
    for (int channel = 0; channel < 3; channel++) {
        double cells[2];
        find_range(plan->channels[channel] + at, n, cells);
        widen_range(&plan->style, channel, cells, range);
        bytes_of_channel(plan, channel, at, n, bytes[channel]);
    }
    for (int i = 0; i < n; i++) {
        uint32_t pixel = pixel_word((uint32_t)bytes[0][i], (uint32_t)bytes[1][i], (uint32_t)bytes[2][i], alpha);
        memcpy(rgba + 4 * (int64_t)i, &pixel, sizeof pixel);
    }
    return true;
}

const gp_shade_loops GP_LEVELED(gp_shade_loops) = {by_line, by_edges, place_marks, paint, paint_channels};
