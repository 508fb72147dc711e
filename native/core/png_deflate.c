/*
 * Deflates a picture in strips of rows that any thread can take, joined into one zlib stream.
 *
 * Filters and strategy are fixed, chosen by measuring noise, smooth fields, flat blocks, figures and photographs against
 * zlib's usual levels: palette rows with the filter "up", RGB(A) rows with "Paeth", both with Z_RLE (runs and Huffman codes
 * only). The longer search for matches costs 2-4 times as much and makes these pictures smaller by a few percent, or larger.
 * Z_RLE never looks back further than one byte, so a strip needs no dictionary from the one before it.
 */
#include "png_deflate.h"

#if GP_HAVE_PNG

#include <limits.h>
#include <stdlib.h>
#include <zlib.h>

#include "threads.h"

#define STRIP_PIXELS (256 * 1024) /* 8 strips for 1920 x 1080; each costs about 100 bytes */
#define FEED_BYTES_MAX (1 << 30)  /* zlib counts in 32 bits */

enum { FILTER_UP = 2, FILTER_PAETH = 4 }; /* PNG's numbers */

/* Two rows with room for the pixel left of the first (zeros), and the filtered row with its filter byte in front. */
typedef struct row_buffers {
    uint8_t *memory, *above, *row, *filtered, *indices;
} row_buffers;

typedef struct strip_job {
    const gp_png_picture *picture;
    gp_png_layout layout;
    int64_t n_rows_per_strip;
    size_t n_row_bytes;
    gp_bytes *strips;
    uLong *adlers;
} strip_job;

/* The output of one strip while it grows. */
typedef struct strip_sink {
    z_stream stream;
    uint8_t *data;
    size_t n_bytes_reserved;
} strip_sink;

gp_png_layout gp_png_layout_from(const gp_png_colours *colours)
{
    if (!colours->has_palette)
        return (gp_png_layout){.n_bits_per_pixel = colours->is_opaque ? 24 : 32};
    int n = colours->palette.n_colours;
    return (gp_png_layout){.palette = &colours->palette, .n_bits_per_pixel = n <= 2 ? 1 : n <= 4 ? 2 : n <= 16 ? 4 : 8};
}

static void pack_bits(const uint8_t *indices, int64_t n_pixels, int n_bits, uint8_t *packed)
{
    int n_per_byte = 8 / n_bits;
    for (int64_t i = 0; i < n_pixels; i += n_per_byte) {
        unsigned byte = 0;
        for (int k = 0; k < n_per_byte; k++) /* the leftmost pixel is in the highest bits */
            byte = byte << n_bits | (i + k < n_pixels ? indices[i + k] : 0u);
        *packed++ = (uint8_t)byte;
    }
}

static void drop_alpha(const uint8_t *rgba, int64_t n_pixels, uint8_t *rgb)
{
    for (int64_t i = 0; i < n_pixels; i++) {
        rgb[3 * i] = rgba[4 * i];
        rgb[3 * i + 1] = rgba[4 * i + 1];
        rgb[3 * i + 2] = rgba[4 * i + 2];
    }
}

/* Row number `at` in the form in which it is stored, before filtering. */
static void load_row(const strip_job *job, int64_t at, const row_buffers *buffers, uint8_t *row)
{
    const uint8_t *rgba = gp_png_picture_row(job->picture, at);
    int64_t n_cols = job->picture->n_cols;
    if (job->layout.n_bits_per_pixel == 32) {
        memcpy(row, rgba, job->n_row_bytes);
    } else if (job->layout.n_bits_per_pixel == 24) {
        drop_alpha(rgba, n_cols, row);
    } else if (job->layout.n_bits_per_pixel == 8) {
        gp_palette_indices(job->layout.palette, rgba, n_cols, row);
    } else {
        gp_palette_indices(job->layout.palette, rgba, n_cols, buffers->indices);
        pack_bits(buffers->indices, n_cols, job->layout.n_bits_per_pixel, row);
    }
}

static void filter_up(const uint8_t *restrict row, const uint8_t *restrict above, size_t n_bytes, uint8_t *restrict out)
{
    for (size_t i = 0; i < n_bytes; i++)
        out[i] = (uint8_t)(row[i] - above[i]);
}

/* Which of left, above and above left is nearest to left + above - above_left; in 16 bits and without branches, so that
 * compilers vectorise it. row and above must be readable n_pixel_bytes before their start. */
static void filter_paeth(const uint8_t *restrict row, const uint8_t *restrict above, size_t n_bytes, size_t n_pixel_bytes,
                         uint8_t *restrict out)
{
    const uint8_t *left = row - n_pixel_bytes, *above_left = above - n_pixel_bytes;
    for (size_t i = 0; i < n_bytes; i++) {
        int16_t a = left[i], b = above[i], c = above_left[i];
        int16_t to_a = (int16_t)(b - c), to_b = (int16_t)(a - c), to_c = (int16_t)(to_a + to_b);
        to_a = (int16_t)(to_a < 0 ? -to_a : to_a);
        to_b = (int16_t)(to_b < 0 ? -to_b : to_b);
        to_c = (int16_t)(to_c < 0 ? -to_c : to_c);
        int16_t b_or_c = to_b <= to_c ? b : c;
        int16_t smaller = to_b <= to_c ? to_b : to_c;
        int16_t nearest = to_a <= smaller ? a : b_or_c;
        out[i] = (uint8_t)(row[i] - nearest);
    }
}

static gp_status row_buffers_init(const strip_job *job, row_buffers *out, gp_error *error)
{
    size_t n_padded = job->n_row_bytes + 4, n_indices = 0;
    if (job->layout.n_bits_per_pixel < 8)
        n_indices = (size_t)job->picture->n_cols;
    size_t n_bytes = 2 * n_padded + job->n_row_bytes + 1 + n_indices;
    out->memory = calloc(n_bytes, 1);
    if (out->memory == NULL)
        return gp_fail_memory(error, (double)n_bytes);
    out->above = out->memory + 4;
    out->row = out->above + n_padded;
    out->filtered = out->row + job->n_row_bytes;
    out->indices = out->filtered + job->n_row_bytes + 1;
    return GP_OK;
}

/* Room for at least one more byte of output. */
static gp_status sink_reserve(strip_sink *sink, gp_error *error)
{
    if (sink->stream.avail_out > 0)
        return GP_OK;
    size_t n_used = sink->n_bytes_reserved, n_more = n_used / 2 + 16 * 1024;
    if (n_more > FEED_BYTES_MAX)
        n_more = FEED_BYTES_MAX;
    uint8_t *data = realloc(sink->data, n_used + n_more);
    if (data == NULL)
        return gp_fail_memory(error, (double)(n_used + n_more));
    sink->data = data;
    sink->n_bytes_reserved = n_used + n_more;
    sink->stream.next_out = data + n_used;
    sink->stream.avail_out = (uInt)n_more;
    return GP_OK;
}

/* Deflates what the stream was given; with a flush also what zlib still holds. */
static gp_status sink_deflate(strip_sink *sink, int flush, gp_error *error)
{
    do {
        GP_TRY(sink_reserve(sink, error));
        int code = deflate(&sink->stream, flush);
        if (code == Z_STREAM_END)
            return GP_OK;
        if (code != Z_OK && code != Z_BUF_ERROR)
            return gp_fail(error, GP_ERR_VALUE, "zlib stopped with code %d while writing a PNG", code);
    } while (sink->stream.avail_out == 0 || sink->stream.avail_in > 0 || flush == Z_FINISH);
    return GP_OK;
}

static gp_status sink_feed(strip_sink *sink, const uint8_t *data, size_t n_bytes, uLong *adler, gp_error *error)
{
    while (n_bytes > 0) {
        uInt n_now = (uInt)(n_bytes < FEED_BYTES_MAX ? n_bytes : FEED_BYTES_MAX);
        *adler = adler32(*adler, data, n_now);
        sink->stream.next_in = (Bytef *)(uintptr_t)data; /* zlib only reads it */
        sink->stream.avail_in = n_now;
        GP_TRY(sink_deflate(sink, Z_NO_FLUSH, error));
        data += n_now;
        n_bytes -= n_now;
    }
    return GP_OK;
}

/* Filters row number `at`; the unfiltered row is afterwards the one above the next. */
static void filter_row(const strip_job *job, int64_t at, row_buffers *buffers)
{
    bool is_indexed = job->layout.palette != NULL;
    uint8_t *filtered = buffers->filtered + 1, *row = buffers->row;
    buffers->filtered[0] = is_indexed ? FILTER_UP : FILTER_PAETH;
    if (at > 0 && gp_png_row_repeats(job->picture, at)) { /* both filters then give zeros */
        memset(filtered, 0, job->n_row_bytes);
        return;
    }
    load_row(job, at, buffers, row);
    if (is_indexed)
        filter_up(row, buffers->above, job->n_row_bytes, filtered);
    else
        filter_paeth(row, buffers->above, job->n_row_bytes, (size_t)job->layout.n_bits_per_pixel / 8, filtered);
    buffers->row = buffers->above;
    buffers->above = row;
}

static gp_status deflate_rows(const strip_job *job, int64_t begin, int64_t end, row_buffers *buffers, strip_sink *sink,
                              uLong *adler, gp_error *error)
{
    if (begin > 0) /* the row above the strip is known to the decoder; above the picture it counts as zeros */
        load_row(job, begin - 1, buffers, buffers->above);
    for (int64_t at = begin; at < end; at++) {
        filter_row(job, at, buffers);
        GP_TRY(sink_feed(sink, buffers->filtered, job->n_row_bytes + 1, adler, error));
    }
    return GP_OK;
}

/* zlib's memory comes from here, so that one place counts in tests. */
static voidpf zlib_alloc(voidpf opaque, uInt n_items, uInt n_item_bytes)
{
    (void)opaque;
    return calloc(n_items, n_item_bytes);
}

static void zlib_free(voidpf opaque, voidpf memory)
{
    (void)opaque;
    free(memory);
}

static gp_status deflate_begin(strip_sink *sink, gp_error *error)
{
    sink->stream.zalloc = zlib_alloc;
    sink->stream.zfree = zlib_free;
    int code = deflateInit2(&sink->stream, 1, Z_DEFLATED, -15, 8, Z_RLE);
    if (code == Z_MEM_ERROR)
        return gp_fail_memory(error, 268e3);
    if (code != Z_OK)
        return gp_fail(error, GP_ERR_UNSUPPORTED, "zlib %s cannot start (code %d); install zlib >= 1.2", zlibVersion(), code);
    return GP_OK;
}

static gp_status deflate_strip(void *context, int64_t piece, int worker, gp_error *error)
{
    (void)worker;
    const strip_job *job = context;
    int64_t n_rows = job->picture->n_rows, begin = piece * job->n_rows_per_strip;
    bool is_last = n_rows - begin <= job->n_rows_per_strip;
    int64_t end = is_last ? n_rows : begin + job->n_rows_per_strip;
    row_buffers buffers = {0};
    strip_sink sink = {0};
    uLong adler = adler32(0, NULL, 0);
    GP_TRY(deflate_begin(&sink, error));
    gp_status status = row_buffers_init(job, &buffers, error);
    if (status == GP_OK && piece == 0) {
        status = sink_reserve(&sink, error);
        if (status == GP_OK) { /* the zlib header of a stream with a 32 KB window, fastest level */
            *sink.stream.next_out++ = 0x78;
            *sink.stream.next_out++ = 0x01;
            sink.stream.avail_out -= 2;
        }
    }
    if (status == GP_OK)
        status = deflate_rows(job, begin, end, &buffers, &sink, &adler, error);
    if (status == GP_OK)
        status = sink_deflate(&sink, is_last ? Z_FINISH : Z_SYNC_FLUSH, error);
    deflateEnd(&sink.stream);
    free(buffers.memory);
    job->strips[piece] = (gp_bytes){.data = sink.data, .n_bytes = sink.n_bytes_reserved - sink.stream.avail_out};
    job->adlers[piece] = adler;
    return status;
}

/* The checksum of the whole stream, most significant byte first, after the last strip. */
static gp_status append_adler(const strip_job *job, int64_t n_strips, gp_error *error)
{
    uLong adler = adler32(0, NULL, 0);
    for (int64_t i = 0; i < n_strips; i++) {
        int64_t n_rows = i + 1 < n_strips ? job->n_rows_per_strip : job->picture->n_rows - i * job->n_rows_per_strip;
        adler = adler32_combine(adler, job->adlers[i], (z_off_t)(n_rows * (int64_t)(job->n_row_bytes + 1)));
    }
    gp_bytes *last = &job->strips[n_strips - 1];
    uint8_t *data = realloc(last->data, last->n_bytes + 4);
    if (data == NULL)
        return gp_fail_memory(error, (double)last->n_bytes + 4);
    for (int k = 0; k < 4; k++)
        data[last->n_bytes + (size_t)k] = (uint8_t)(adler >> (24 - 8 * k));
    *last = (gp_bytes){.data = data, .n_bytes = last->n_bytes + 4};
    return GP_OK;
}

gp_status gp_png_deflate(const gp_png_picture *picture, const gp_png_layout *layout, int n_threads, gp_png_strips *out,
                         gp_error *error)
{
    int64_t n_rows_per_strip = STRIP_PIXELS / picture->n_cols > 1 ? STRIP_PIXELS / picture->n_cols : 1;
    gp_png_strips result = {.n_strips = (picture->n_rows + n_rows_per_strip - 1) / n_rows_per_strip};
    strip_job job = {.picture = picture, .layout = *layout, .n_rows_per_strip = n_rows_per_strip};
    job.n_row_bytes = (size_t)((picture->n_cols * layout->n_bits_per_pixel + 7) / 8);
    result.strips = job.strips = calloc((size_t)result.n_strips, sizeof *job.strips);
    job.adlers = calloc((size_t)result.n_strips, sizeof *job.adlers);
    gp_status status = GP_OK;
    if (job.strips == NULL || job.adlers == NULL)
        status = gp_fail_memory(error, (double)result.n_strips * (double)(sizeof *job.strips + sizeof *job.adlers));
    if (status == GP_OK)
        status = gp_threads_run(result.n_strips, n_threads, deflate_strip, &job, error);
    if (status == GP_OK)
        status = append_adler(&job, result.n_strips, error);
    free(job.adlers);
    if (status != GP_OK)
        gp_png_strips_free(&result);
    else
        *out = result;
    return status;
}

void gp_png_strips_free(gp_png_strips *strips)
{
    for (int64_t i = 0; strips->strips != NULL && i < strips->n_strips; i++)
        gp_bytes_free(&strips->strips[i]);
    free(strips->strips);
    *strips = (gp_png_strips){0};
}

#endif
