/*
 * Deflates a picture in strips of rows that any thread can take, joined into one zlib stream.
 *
 * Filters and strategies come from measuring noise, smooth fields, flat blocks, figures and photographs against zlib's
 * usual levels: palette rows with the filter "up" and RGB(A) rows with "Paeth", then runs and Huffman codes (Z_RLE), or
 * Huffman codes alone where there are no runs. The search for longer matches costs 2-4 times as much and makes these
 * pictures smaller by a few percent, or larger. Neither strategy looks back further than one byte, so a strip needs no
 * dictionary from the one before it.
 */
#include "png_deflate.h"

#if GP_HAVE_PNG

#include <limits.h>
#include <zlib.h>

#include "../core/base/threads.h"
#include "../core/base/alloc.h"

#define STRIP_PIXELS (256 * 1024) /* 8 strips for 1920 x 1080; each costs about 100 bytes */
#define FEED_BYTES_MAX (1 << 30)  /* zlib counts in 32 bits */

/* A strip has runs where one byte in RUNS_SHARE lies in a run of at least LONG_RUN_BYTES: smooth RGB pictures stay below
 * one in 50, figures and enlarged tensors are above nine in ten. */
#define LONG_RUN_BYTES 32
#define RUNS_SHARE 20
#define SAMPLE_ROWS_MIN 4
#define SAMPLE_BYTES_MIN (16 * 1024)

typedef struct strip_job {
    const gp_png_picture *picture;
    gp_png_layout layout;
    int64_t n_rows_per_strip;
    gp_bytes *strips;
    uLong *adlers;
} strip_job;

/* The output of one strip while it grows. */
typedef struct strip_sink {
    z_stream stream;
    uint8_t *data;
    size_t n_bytes_reserved;
} strip_sink;

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

/*
 * Whether a good part of a strip is runs, told from some of its rows. Where it is not, codes for runs only take room from
 * the codes for literals: smooth RGB pictures become smaller and a third faster without them.
 */
static bool strip_has_runs(gp_png_rows *rows, int64_t begin, int64_t end)
{
    int64_t n_rows = end - begin, n_samples = SAMPLE_BYTES_MIN / (int64_t)(rows->n_bytes + 1);
    n_samples = n_samples < SAMPLE_ROWS_MIN ? SAMPLE_ROWS_MIN : n_samples;
    n_samples = n_samples < n_rows ? n_samples : n_rows;
    size_t n_in_runs = 0;
    for (int64_t k = 0; k < n_samples; k++) {
        int64_t at = begin + n_rows * k / n_samples;
        gp_png_rows_seek(rows, at);
        const uint8_t *filtered = gp_png_rows_filter(rows, at) + 1;
        for (size_t i = 1, n_run = 1; i <= rows->n_bytes; i++, n_run++) {
            if (i < rows->n_bytes && filtered[i] == filtered[i - 1])
                continue;
            if (n_run >= LONG_RUN_BYTES)
                n_in_runs += n_run;
            n_run = 0;
        }
    }
    return n_in_runs * RUNS_SHARE >= (size_t)n_samples * rows->n_bytes;
}

static gp_status deflate_rows(gp_png_rows *rows, int64_t begin, int64_t end, strip_sink *sink, uLong *adler, gp_error *error)
{
    gp_png_rows_seek(rows, begin);
    for (int64_t at = begin; at < end; at++)
        GP_TRY(sink_feed(sink, gp_png_rows_filter(rows, at), rows->n_bytes + 1, adler, error));
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

static gp_status deflate_begin(strip_sink *sink, int strategy, gp_error *error)
{
    sink->stream.zalloc = zlib_alloc;
    sink->stream.zfree = zlib_free;
    int code = deflateInit2(&sink->stream, 1, Z_DEFLATED, -15, 8, strategy);
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
    gp_png_rows rows = {0};
    strip_sink sink = {0};
    uLong adler = adler32(0, NULL, 0);
    GP_TRY(gp_png_rows_init(&rows, job->picture, &job->layout, error));
    bool has_runs = job->layout.palette != NULL || strip_has_runs(&rows, begin, end);
    gp_status status = deflate_begin(&sink, has_runs ? Z_RLE : Z_HUFFMAN_ONLY, error);
    if (status == GP_OK && piece == 0) {
        status = sink_reserve(&sink, error);
        if (status == GP_OK) { /* the zlib header of a stream with a 32 KB window, fastest level */
            *sink.stream.next_out++ = 0x78;
            *sink.stream.next_out++ = 0x01;
            sink.stream.avail_out -= 2;
        }
    }
    if (status == GP_OK)
        status = deflate_rows(&rows, begin, end, &sink, &adler, error);
    if (status == GP_OK)
        status = sink_deflate(&sink, is_last ? Z_FINISH : Z_SYNC_FLUSH, error);
    deflateEnd(&sink.stream); /* harmless where the stream never began */
    gp_png_rows_free(&rows);
    job->strips[piece] = (gp_bytes){.data = sink.data, .n_bytes = sink.n_bytes_reserved - sink.stream.avail_out};
    job->adlers[piece] = adler;
    return status;
}

/* The checksum of the whole stream, most significant byte first, after the last strip. */
static gp_status append_adler(const strip_job *job, int64_t n_strips, gp_error *error)
{
    int64_t n_row_bytes = (int64_t)gp_png_layout_row_bytes(&job->layout, job->picture->n_cols);
    uLong adler = adler32(0, NULL, 0);
    for (int64_t i = 0; i < n_strips; i++) {
        int64_t n_rows = i + 1 < n_strips ? job->n_rows_per_strip : job->picture->n_rows - i * job->n_rows_per_strip;
        adler = adler32_combine(adler, job->adlers[i], (z_off_t)(n_rows * n_row_bytes));
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
    GP_FREED uLong *adlers = NULL;
    GP_TRY(gp_alloc_zeroed((size_t)result.n_strips * sizeof *adlers, &adlers, error));
    GP_TRY(gp_alloc_zeroed((size_t)result.n_strips * sizeof *job.strips, &job.strips, error));
    result.strips = job.strips, job.adlers = adlers;
    gp_status status = gp_threads_run(result.n_strips, n_threads, deflate_strip, &job, error);
    if (status == GP_OK)
        status = append_adler(&job, result.n_strips, error);
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
