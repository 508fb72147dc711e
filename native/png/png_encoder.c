/* Encodes pixels as a PNG file in memory: libpng writes the chunks, png_deflate.c makes the contents of IDAT. */
#include "png_encoder.h"

#include "../core/base/alloc.h"
#include "png_deflate.h"
#include "png_text.h"
#include "../core/base/threads.h"

#if !GP_HAVE_PNG

gp_status gp_png_encode(const uint8_t *rgba, int64_t n_rows, int64_t n_cols, int64_t row_stride_bytes,
                        const gp_png_options *options, gp_bytes *out, gp_error *error)
{
    (void)rgba, (void)n_rows, (void)n_cols, (void)row_stride_bytes, (void)options, (void)out;
    return gp_fail(error, GP_ERR_UNSUPPORTED, "built without libpng; install its headers and build again, or use Pillow");
}

#else

#include <png.h>
#include <setjmp.h>

#define SIDE_MAX INT64_C(0x7FFFFFFF)     /* PNG stores 31 bits */
#define CHUNK_BYTES_MAX ((size_t)1 << 30) /* an IDAT length has 31 bits too */
#define METERS_PER_INCH 0.0254

/*
 * Everything that lives across the longjmp of a libpng error. It is reached through a pointer, never through locals of the
 * function that calls setjmp, so no value is indeterminate after the jump.
 */
typedef struct png_writer {
    png_structp png;
    png_infop info;
    gp_bytes file;
    size_t n_bytes_reserved;
    size_t n_bytes_missing; /* the allocation that failed; 0: none did */
    char message[160];      /* libpng's first complaint */
    jmp_buf on_error;
} png_writer;

static void keep_message(png_writer *writer, png_const_charp message)
{
    if (writer->message[0] == 0)
        strncpy(writer->message, message, sizeof writer->message - 1);
}

/* Must not return: libpng would go on or end the process. */
static PNG_NORETURN void on_png_error(png_structp png, png_const_charp message)
{
    png_writer *writer = png_get_error_ptr(png);
    keep_message(writer, message);
    longjmp(writer->on_error, 1);
}

static void on_png_warning(png_structp png, png_const_charp message) { keep_message(png_get_error_ptr(png), message); }

static png_voidp png_alloc(png_structp png, png_alloc_size_t n_bytes)
{
    png_writer *writer = png_get_mem_ptr(png);
    void *memory = malloc(n_bytes);
    if (memory == NULL)
        writer->n_bytes_missing = n_bytes;
    return memory;
}

static void png_release(png_structp png, png_voidp memory)
{
    (void)png;
    free(memory);
}

static void append_bytes(png_structp png, png_bytep data, size_t n_bytes)
{
    png_writer *writer = png_get_io_ptr(png);
    gp_bytes *file = &writer->file;
    if (n_bytes > writer->n_bytes_reserved - file->n_bytes) {
        size_t n_wanted = file->n_bytes + n_bytes;
        n_wanted += n_wanted / 2 + 256;
        uint8_t *grown = realloc(file->data, n_wanted);
        if (grown == NULL) {
            writer->n_bytes_missing = n_wanted;
            png_error(png, "out of memory");
        }
        file->data = grown;
        writer->n_bytes_reserved = n_wanted;
    }
    memcpy(file->data + file->n_bytes, data, n_bytes);
    file->n_bytes += n_bytes;
}

static void flush_nothing(png_structp png) { (void)png; }

static void set_header(png_writer *writer, const gp_png_picture *picture, const gp_png_layout *layout)
{
    int n_bits = layout->n_bits_per_pixel;
    int type = layout->palette != NULL ? PNG_COLOR_TYPE_PALETTE : n_bits == 24 ? PNG_COLOR_TYPE_RGB : PNG_COLOR_TYPE_RGBA;
    png_set_user_limits(writer->png, PNG_UINT_31_MAX, PNG_UINT_31_MAX);
    png_set_IHDR(writer->png, writer->info, (png_uint_32)picture->n_cols, (png_uint_32)picture->n_rows, n_bits < 8 ? n_bits : 8,
                 type, PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
}

static void set_palette(png_writer *writer, const gp_palette *palette)
{
    png_color colors[GP_PALETTE_MAX] = {{0}};
    png_byte alphas[GP_PALETTE_MAX] = {0};
    int n_alphas = 0; /* trailing opaque entries need not be written */
    for (int i = 0; i < palette->n_colors; i++) {
        uint8_t rgba[4];
        memcpy(rgba, &palette->colors[i], sizeof rgba);
        colors[i] = (png_color){.red = rgba[0], .green = rgba[1], .blue = rgba[2]};
        alphas[i] = rgba[3];
        if (rgba[3] != 255)
            n_alphas = i + 1;
    }
    png_set_PLTE(writer->png, writer->info, colors, palette->n_colors);
    if (n_alphas > 0)
        png_set_tRNS(writer->png, writer->info, alphas, n_alphas, NULL);
}

static void set_texts(png_writer *writer, const gp_png_chunk_text *texts, int n_texts)
{
    for (int i = 0; i < n_texts; i++) {
        png_text chunk = {.compression = texts[i].is_utf8 ? PNG_ITXT_COMPRESSION_NONE : PNG_TEXT_COMPRESSION_NONE};
        chunk.key = (png_charp)(uintptr_t)texts[i].key;
        chunk.text = texts[i].value;
        chunk.text_length = strlen(texts[i].value);
        png_set_text(writer->png, writer->info, &chunk, 1);
    }
}

/* Frees each strip once it is in the file, so that the two are never whole in memory together. */
static void write_strips(png_writer *writer, gp_png_strips *strips)
{
    static const png_byte idat[5] = "IDAT", iend[5] = "IEND";
    for (int64_t i = 0; i < strips->n_strips; i++) {
        gp_bytes *strip = &strips->strips[i];
        for (size_t at = 0; at < strip->n_bytes; at += CHUNK_BYTES_MAX) {
            size_t n_now = strip->n_bytes - at < CHUNK_BYTES_MAX ? strip->n_bytes - at : CHUNK_BYTES_MAX;
            png_write_chunk_start(writer->png, idat, (png_uint_32)n_now);
            png_write_chunk_data(writer->png, strip->data + at, n_now);
            png_write_chunk_end(writer->png);
        }
        gp_bytes_free(strip);
    }
    png_write_chunk(writer->png, iend, NULL, 0); /* png_write_end would miss the IDATs that it did not write itself */
}

/* False after any error of libpng. */
static bool write_file(png_writer *writer, const gp_png_picture *picture, const gp_png_layout *layout, uint32_t dots_per_meter,
                       const gp_png_chunk_text *texts, int n_texts, gp_png_strips *strips)
{
    if (setjmp(writer->on_error) != 0)
        return false;
    writer->png = png_create_write_struct_2(PNG_LIBPNG_VER_STRING, writer, on_png_error, on_png_warning, writer, png_alloc,
                                            png_release);
    if (writer->png != NULL)
        writer->info = png_create_info_struct(writer->png);
    if (writer->info == NULL)
        return false;
    png_set_write_fn(writer->png, writer, append_bytes, flush_nothing);
    set_header(writer, picture, layout);
    if (layout->palette != NULL)
        set_palette(writer, layout->palette);
    if (dots_per_meter > 0)
        png_set_pHYs(writer->png, writer->info, dots_per_meter, dots_per_meter, PNG_RESOLUTION_METER);
    set_texts(writer, texts, n_texts);
    png_write_info(writer->png, writer->info);
    write_strips(writer, strips);
    return true;
}

static gp_status writer_status(const png_writer *writer, bool is_written, gp_error *error)
{
    if (writer->n_bytes_missing > 0)
        return gp_fail_memory(error, (double)writer->n_bytes_missing);
    if (!is_written)
        return gp_fail(error, GP_ERR_VALUE, "libpng could not write the picture: %s",
                       writer->message[0] ? writer->message : "no reason given");
    return GP_OK;
}

static gp_status check_size(int64_t n_rows, int64_t n_cols, gp_error *error)
{
    if (n_rows <= 0 || n_cols <= 0)
        return gp_fail(error, GP_ERR_VALUE, "a picture of %lld x %lld pixels cannot be a PNG; both sides must be at least 1",
                       (long long)n_rows, (long long)n_cols);
    if (n_rows > SIDE_MAX || n_cols > SIDE_MAX)
        return gp_fail(error, GP_ERR_OVERFLOW,
                       "a picture of %lld x %lld pixels is too large: a PNG has at most %lld a side; ask for a smaller shape",
                       (long long)n_rows, (long long)n_cols, (long long)SIDE_MAX);
    return GP_OK;
}

static gp_status dots_per_meter_from(double dots_per_inch, uint32_t *out, gp_error *error)
{
    double dots_per_meter = floor(dots_per_inch / METERS_PER_INCH + 0.5);
    if (dots_per_inch != 0 && !(dots_per_meter >= 1 && dots_per_meter <= (double)SIDE_MAX))
        return gp_fail(error, GP_ERR_VALUE, "dpi is %g; a PNG stores 0.02 to 5.4e7 dots per inch", dots_per_inch);
    *out = dots_per_inch != 0 ? (uint32_t)dots_per_meter : 0;
    return GP_OK;
}

static int thread_count(const gp_png_picture *picture, const gp_png_options *options)
{
    if (options->n_threads > 0)
        return options->n_threads;
    double n_bytes = 4.0 * (double)picture->n_rows * (double)picture->n_cols;
    return gp_threads_for(n_bytes < 1e12 ? (int64_t)n_bytes : INT64_C(1000000000000)); /* a byte costs as much as an element */
}

gp_status gp_png_encode(const uint8_t *rgba, int64_t n_rows, int64_t n_cols, int64_t row_stride_bytes,
                        const gp_png_options *options, gp_bytes *out, gp_error *error)
{
    uint32_t dots_per_meter = 0;
    GP_TRY(check_size(n_rows, n_cols, error));
    GP_TRY(dots_per_meter_from(options->dots_per_inch, &dots_per_meter, error));
    gp_png_picture picture = {.rgba = rgba, .n_rows = n_rows, .n_cols = n_cols, .row_stride_bytes = row_stride_bytes};
    int n_threads = thread_count(&picture, options);
    gp_png_chunk_text *texts = NULL;
    gp_png_strips strips = {0};
    GP_FREED png_writer *writer = NULL;
    GP_FREED gp_png_colors *colors = NULL;
    GP_TRY(gp_alloc_zeroed(sizeof *writer, &writer, error));
    GP_TRY(gp_alloc_zeroed(sizeof *colors, &colors, error));
    gp_status status = gp_png_texts_from(options, &texts, error);
    if (status == GP_OK)
        status = gp_png_colors_find(&picture, n_threads, colors, error);
    if (status == GP_OK) {
        gp_png_layout layout = gp_png_layout_from(colors);
        status = gp_png_deflate(&picture, &layout, n_threads, &strips, error);
        if (status == GP_OK) {
            bool is_written = write_file(writer, &picture, &layout, dots_per_meter, texts, options->n_texts, &strips);
            status = writer_status(writer, is_written, error);
        }
    }
    png_destroy_write_struct(&writer->png, &writer->info);
    if (status == GP_OK)
        *out = writer->file;
    else
        gp_bytes_free(&writer->file);
    gp_png_strips_free(&strips);
    gp_png_texts_free(texts, options->n_texts);
    return status;
}

#endif
