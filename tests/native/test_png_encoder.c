/*
 * The PNG encoder alone: pixels survive, chunks are as asked, bad input and failing allocations end in a status.
 *
 * Linked with -Wl,--wrap of malloc, calloc, realloc, free and zlib's deflate where the linker can (GP_TEST_WRAPS=1), which lets
 * the tests fail the n-th allocation, count bytes, and answer in zlib's place; without it these are left out.
 */
#include "../../native/png/png_encoder.h"
#include "check.h"

#include <stdio.h>
#include <stdlib.h>

#ifndef GP_TEST_WRAPS
#define GP_TEST_WRAPS 0
#endif

static const gp_png_options plain = {.n_threads = 1};

#if !GP_HAVE_PNG

int main(void)
{
    uint8_t pixel[4] = {1, 2, 3, 255};
    gp_bytes file = {0};
    gp_error error = {0};
    CHECK(gp_png_encode(pixel, 1, 1, 4, &plain, &file, &error) == GP_ERR_UNSUPPORTED);
    CHECK(strstr(error.message, "Pillow") != NULL && file.data == NULL);
    return 0;
}

#else

#include <png.h>
#include <stdatomic.h>
#include <zlib.h>

/* A small generator with a fixed start: the same pictures on every machine. */
static uint32_t random_bits(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

enum { PIXEL_BYTES = 4 };

/* n_colors random colors at random places, in runs so that some pixels repeat; 0: every pixel anew. */
static uint8_t *picture_from(int n_rows, int n_cols, int n_colors, bool is_opaque, uint32_t seed)
{
    uint8_t *rgba = calloc((size_t)n_rows * (size_t)n_cols, PIXEL_BYTES), palette[1024 * PIXEL_BYTES] = {0};
    CHECK(rgba != NULL && n_colors <= 1024);
    for (int i = 0; i < n_colors; i++) { /* the first two bytes count, so all differ */
        uint32_t bits = random_bits(&seed);
        uint8_t color[PIXEL_BYTES] = {(uint8_t)i, (uint8_t)(i >> 8), (uint8_t)bits, is_opaque ? 255 : (uint8_t)(bits >> 8)};
        memcpy(palette + PIXEL_BYTES * i, color, PIXEL_BYTES);
    }
    int64_t n_pixels = (int64_t)n_rows * n_cols;
    for (int64_t i = 0; i < n_pixels; i++) {
        uint32_t bits = random_bits(&seed);
        uint8_t *pixel = rgba + PIXEL_BYTES * i;
        if (n_colors == 0)
            memcpy(pixel, &bits, PIXEL_BYTES);
        else /* each color once, as far as there is room, then runs */
            memcpy(pixel, palette + PIXEL_BYTES * (i < n_colors ? (int)i : (int)(bits % (uint32_t)n_colors)), PIXEL_BYTES);
        if (i > n_colors && bits % 3 == 0)
            memcpy(pixel, pixel - PIXEL_BYTES, PIXEL_BYTES);
        if (is_opaque)
            pixel[3] = 255;
        else if (n_colors == 0)
            pixel[3] = (uint8_t)random_bits(&seed);
    }
    return rgba;
}

static void check_decodes_to(const gp_bytes *file, const uint8_t *rgba, int n_rows, int n_cols, int64_t row_stride_bytes)
{
    png_image image = {.version = PNG_IMAGE_VERSION};
    CHECK(png_image_begin_read_from_memory(&image, file->data, file->n_bytes));
    CHECK(image.width == (png_uint_32)n_cols && image.height == (png_uint_32)n_rows);
    image.format = PNG_FORMAT_RGBA;
    size_t n_row_bytes = (size_t)n_cols * PIXEL_BYTES;
    uint8_t *decoded = malloc(n_row_bytes * (size_t)n_rows);
    CHECK(decoded != NULL);
    CHECK(png_image_finish_read(&image, NULL, decoded, 0, NULL) && image.warning_or_error == 0);
    for (int row = 0; row < n_rows; row++)
        CHECK(memcmp(decoded + n_row_bytes * (size_t)row, rgba + row * row_stride_bytes, n_row_bytes) == 0);
    free(decoded);
}

/* PNG's color type of the file, after a round trip with 1 and with 3 threads. */
static int color_type_after_round_trip(const uint8_t *rgba, int n_rows, int n_cols, int64_t row_stride_bytes)
{
    int type = -1;
    for (int n_threads = 1; n_threads <= 3; n_threads += 2) {
        gp_png_options options = {.n_threads = n_threads};
        gp_bytes file = {0};
        gp_error error = {0};
        CHECK(gp_png_encode(rgba, n_rows, n_cols, row_stride_bytes, &options, &file, &error) == GP_OK);
        check_decodes_to(&file, rgba, n_rows, n_cols, row_stride_bytes);
        CHECK(type == -1 || type == file.data[25]);
        type = file.data[25];
        gp_bytes_free(&file);
        gp_bytes_free(&file); /* may be called twice */
    }
    return type;
}

static void test_every_number_of_colors(void)
{
    static const int n_colors[] = {1, 2, 3, 4, 5, 16, 17, 255, 256, 257, 1000, 0};
    static const int sizes[][2] = {{1, 1}, {1, 7}, {7, 1}, {33, 31}, {600, 1001}, {3, 300001}};
    for (size_t c = 0; c < sizeof n_colors / sizeof n_colors[0]; c++)
        for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++)
            for (int is_opaque = 0; is_opaque < 2; is_opaque++) {
                int n_rows = sizes[s][0], n_cols = sizes[s][1], n_pixels = n_rows * n_cols;
                uint8_t *rgba = picture_from(n_rows, n_cols, n_colors[c], is_opaque, 7);
                int type = color_type_after_round_trip(rgba, n_rows, n_cols, (int64_t)n_cols * PIXEL_BYTES);
                if (n_pixels <= 256 || (n_colors[c] > 0 && n_colors[c] <= 256))
                    CHECK(type == PNG_COLOR_TYPE_PALETTE);
                else if (n_pixels > 2000)
                    CHECK(type == (is_opaque ? PNG_COLOR_TYPE_RGB : PNG_COLOR_TYPE_RGBA));
                free(rgba);
            }
}

static void test_rows_in_any_order_and_distance(void)
{
    enum { N_ROWS = 40, N_COLS = 30, STRIDE = (N_COLS + 5) * PIXEL_BYTES };
    uint8_t *rgba = picture_from(N_ROWS, N_COLS + 5, 0, true, 3);
    CHECK(color_type_after_round_trip(rgba, N_ROWS, N_COLS, STRIDE) == PNG_COLOR_TYPE_RGB);
    CHECK(color_type_after_round_trip(rgba + (N_ROWS - 1) * STRIDE, N_ROWS, N_COLS, -STRIDE) == PNG_COLOR_TYPE_RGB);
    CHECK(color_type_after_round_trip(rgba, N_ROWS, N_COLS, 0) == PNG_COLOR_TYPE_PALETTE); /* one row again and again */
    free(rgba);
}

/* A color that first occurs in the last row of a tall picture, and transparency that does. */
static void test_last_pixel_decides(void)
{
    enum { N_ROWS = 900, N_COLS = 700, N_PIXELS = N_ROWS * N_COLS };
    uint8_t *rgba = picture_from(N_ROWS, N_COLS, 256, true, 11);
    CHECK(color_type_after_round_trip(rgba, N_ROWS, N_COLS, N_COLS * PIXEL_BYTES) == PNG_COLOR_TYPE_PALETTE);
    memcpy(rgba + PIXEL_BYTES * (N_PIXELS - 1), (uint8_t[]){1, 2, 3, 255}, PIXEL_BYTES);
    CHECK(color_type_after_round_trip(rgba, N_ROWS, N_COLS, N_COLS * PIXEL_BYTES) == PNG_COLOR_TYPE_RGB);
    rgba[PIXEL_BYTES * N_PIXELS - 1] = 254;
    CHECK(color_type_after_round_trip(rgba, N_ROWS, N_COLS, N_COLS * PIXEL_BYTES) == PNG_COLOR_TYPE_RGBA);
    free(rgba);
}

/* Transparency that occurs in the first row alone, and more colors than a palette has. */
static void test_first_pixel_decides(void)
{
    enum { N_ROWS = 60, N_COLS = 70 };
    uint8_t *rgba = picture_from(N_ROWS, N_COLS, 1000, true, 13);
    rgba[3] = 254;
    CHECK(color_type_after_round_trip(rgba, N_ROWS, N_COLS, N_COLS * PIXEL_BYTES) == PNG_COLOR_TYPE_RGBA);
    free(rgba);
}

/* Colors that all belong into the last slot of a palette's table: all but one have theirs at its beginning. */
static void test_colors_go_round_the_table(void)
{
    enum { N_COLORS = 9, N_ROWS = 12, N_COLS = 3 * N_COLORS };
    uint32_t colors[N_COLORS], color = 0, pixels[N_ROWS * N_COLS];
    for (int n = 0; n < N_COLORS; color++)
        if ((color * 0x9E3779B1u) >> 20 == 4095) /* slot_of in png_palette.c */
            colors[n++] = color;
    for (int i = 0; i < N_ROWS * N_COLS; i++)
        pixels[i] = colors[i * (1 + i / N_COLS) % N_COLORS];
    CHECK(color_type_after_round_trip((const uint8_t *)pixels, N_ROWS, N_COLS, N_COLS * PIXEL_BYTES) == PNG_COLOR_TYPE_PALETTE);
}

static const uint8_t *chunk_find(const gp_bytes *file, const char *name, uint32_t *n_bytes)
{
    for (size_t at = 8; at + 12 <= file->n_bytes;) {
        const uint8_t *chunk = file->data + at;
        *n_bytes = (uint32_t)chunk[0] << 24 | (uint32_t)chunk[1] << 16 | (uint32_t)chunk[2] << 8 | chunk[3];
        if (memcmp(chunk + 4, name, 4) == 0)
            return chunk + 8;
        at += 12 + (size_t)*n_bytes;
    }
    return NULL;
}

static void test_texts_and_resolution(void)
{
    const uint8_t pixel[4] = {1, 2, 3, 4};
    const gp_png_text texts[] = {{"Title", "caf\xC3\xA9"}, {"Author", "\xE6\x96\x87"}};
    const gp_png_options options = {.dots_per_inch = 100, .texts = texts, .n_texts = 2};
    gp_bytes file = {0};
    gp_error error = {0};
    uint32_t n_bytes = 0;
    CHECK(gp_png_encode(pixel, 1, 1, 4, &options, &file, &error) == GP_OK);
    check_decodes_to(&file, pixel, 1, 1, 4);
    const uint8_t *latin = chunk_find(&file, "tEXt", &n_bytes);
    CHECK(latin != NULL && n_bytes == 10 && memcmp(latin, "Title\0caf\xE9", 10) == 0);
    const uint8_t *utf8 = chunk_find(&file, "iTXt", &n_bytes);
    CHECK(utf8 != NULL && n_bytes == 14 && memcmp(utf8, "Author\0\0\0\0\0\xE6\x96\x87", 14) == 0);
    const uint8_t *physical = chunk_find(&file, "pHYs", &n_bytes);
    CHECK(physical != NULL && n_bytes == 9 && memcmp(physical, "\0\0\x0F\x61\0\0\x0F\x61\1", 9) == 0); /* 3937 a meter */
    gp_bytes_free(&file);
    CHECK(gp_png_encode(pixel, 1, 1, 4, &plain, &file, &error) == GP_OK);
    CHECK(chunk_find(&file, "pHYs", &n_bytes) == NULL && chunk_find(&file, "tEXt", &n_bytes) == NULL);
    gp_bytes_free(&file);
}

static void check_refused(int64_t n_rows, int64_t n_cols, const gp_png_options *options, gp_status status, const char *says)
{
    const uint8_t pixel[4] = {0};
    gp_bytes file = {0};
    gp_error error = {0};
    CHECK(gp_png_encode(pixel, n_rows, n_cols, 0, options, &file, &error) == status);
    CHECK(error.status == status && file.data == NULL && file.n_bytes == 0);
    CHECK(strstr(error.message, says) != NULL);
}

static void test_bad_input_is_refused(void)
{
    check_refused(0, 5, &plain, GP_ERR_VALUE, "0 x 5");
    check_refused(5, 0, &plain, GP_ERR_VALUE, "5 x 0");
    check_refused(-1, 5, &plain, GP_ERR_VALUE, "-1 x 5");
    check_refused(INT64_C(1) << 31, 1, &plain, GP_ERR_OVERFLOW, "2147483648 x 1");
    check_refused(1, INT64_MAX, &plain, GP_ERR_OVERFLOW, "too large");
    static const double bad_dpi[] = {-1, NAN, INFINITY, 1e9, 1e-9};
    for (int i = 0; i < 5; i++)
        check_refused(1, 1, &(gp_png_options){.dots_per_inch = bad_dpi[i]}, GP_ERR_VALUE, "dpi");
    static const char *bad_keys[] = {"",
                                     " a",
                                     "a ",
                                     "a  b",
                                     "a\nb",
                                     "\xE6\x96\x87",
                                     "\xFF",
                                     "caf\xC3",
                                     "\xC2\xA0",
                                     "x\xC2\xA0x",
                                     "\x7F",
                                     "x\x7Fx",
                                     "0123456789012345678901234567890123456789012345678901234567890123456789012345678X"};
    for (size_t i = 0; i < sizeof bad_keys / sizeof bad_keys[0]; i++) {
        const gp_png_text text = {bad_keys[i], "value"};
        check_refused(1, 1, &(gp_png_options){.texts = &text, .n_texts = 1}, GP_ERR_VALUE, "key");
    }
    static const char *bad_values[] = {"\xFF", "\xC3", "\xC0\x80", "\xED\xA0\x80", "\xF5\x80\x80\x80", "\xE6\x96"};
    for (size_t i = 0; i < sizeof bad_values / sizeof bad_values[0]; i++) {
        const gp_png_text text = {"Title", bad_values[i]};
        check_refused(1, 1, &(gp_png_options){.texts = &text, .n_texts = 1}, GP_ERR_VALUE, "UTF-8");
    }
}

#if GP_TEST_WRAPS

#include <malloc.h>

static atomic_long n_until_failure = -1; /* negative: never */
static atomic_long live_bytes, peak_bytes;

void *__real_malloc(size_t n_bytes);
void *__real_calloc(size_t n_items, size_t n_item_bytes);
void *__real_realloc(void *memory, size_t n_bytes);
void __real_free(void *memory);
void *__wrap_malloc(size_t n_bytes);
void *__wrap_calloc(size_t n_items, size_t n_item_bytes);
void *__wrap_realloc(void *memory, size_t n_bytes);
void __wrap_free(void *memory);

static bool fails_now(void) { return atomic_load(&n_until_failure) >= 0 && atomic_fetch_sub(&n_until_failure, 1) == 0; }

/* Counts memory that has come, less what was there before. */
static void *counted(void *memory, size_t n_before)
{
    long n_more = memory == NULL ? 0 : (long)malloc_usable_size(memory) - (long)n_before;
    long n_live = atomic_fetch_add(&live_bytes, n_more) + n_more;
    for (long peak = atomic_load(&peak_bytes); n_live > peak && !atomic_compare_exchange_weak(&peak_bytes, &peak, n_live);)
        continue;
    return memory;
}

void *__wrap_malloc(size_t n_bytes) { return fails_now() ? NULL : counted(__real_malloc(n_bytes), 0); }

void *__wrap_calloc(size_t n_items, size_t n_item_bytes)
{
    return fails_now() ? NULL : counted(__real_calloc(n_items, n_item_bytes), 0);
}

void *__wrap_realloc(void *memory, size_t n_bytes)
{
    size_t n_before = malloc_usable_size(memory);
    return fails_now() ? NULL : counted(__real_realloc(memory, n_bytes), n_before);
}

void __wrap_free(void *memory)
{
    (void)atomic_fetch_sub(&live_bytes, (long)malloc_usable_size(memory));
    __real_free(memory);
}

static void check_every_allocation_may_fail(const uint8_t *rgba, int n_rows, int n_cols, int n_threads)
{
    const gp_png_text texts[] = {{"Title", "x"}, {"Author", "\xE6\x96\x87"}};
    const gp_png_options options = {.dots_per_inch = 72, .texts = texts, .n_texts = 2, .n_threads = n_threads};
    bool is_written = false;
    for (long n = 0; !is_written; n++) {
        gp_bytes file = {0};
        gp_error error = {0};
        atomic_store(&n_until_failure, n);
        gp_status status = gp_png_encode(rgba, n_rows, n_cols, (int64_t)n_cols * PIXEL_BYTES, &options, &file, &error);
        bool has_failed = atomic_exchange(&n_until_failure, -1) < 0;
        is_written = status == GP_OK;
        CHECK(is_written ? !has_failed : has_failed && status == GP_ERR_MEMORY && file.data == NULL);
        CHECK(is_written || strstr(error.message, "memory") != NULL);
        CHECK(n < 1000);
        if (is_written)
            check_decodes_to(&file, rgba, n_rows, n_cols, (int64_t)n_cols * PIXEL_BYTES);
        CHECK(!is_written || n > 15); /* the hook does count: an encoder needs more allocations than these */
        gp_bytes_free(&file);
    }
}

static void test_every_allocation_may_fail(void)
{
    for (int n_colors = 0; n_colors <= 3; n_colors += 3) {
        uint8_t *rgba = picture_from(300, 1700, n_colors, false, 5); /* two strips */
        check_every_allocation_may_fail(rgba, 300, 1700, 1);
        free(rgba);
    }
}

/* Noise, whose file is as large as its strips: each goes when it is written. */
static void test_file_and_strips_are_never_whole_together(void)
{
    enum { N_ROWS = 1200, N_COLS = 1700 };
    uint8_t *rgba = picture_from(N_ROWS, N_COLS, 0, false, 5); /* eight strips */
    gp_bytes file = {0};
    gp_error error = {0};
    long n_before = atomic_load(&live_bytes);
    atomic_store(&peak_bytes, n_before);
    CHECK(gp_png_encode(rgba, N_ROWS, N_COLS, (int64_t)N_COLS * PIXEL_BYTES, &plain, &file, &error) == GP_OK);
    long n_most = atomic_load(&peak_bytes) - n_before;
    CHECK(n_most < 2 * (long)file.n_bytes); /* 1.6: half as much again is reserved; kept strips make it 2.7 */
    gp_bytes_free(&file);
    CHECK(atomic_load(&live_bytes) == n_before);
    free(rgba);
}

/* What deflate answers instead of Z_OK. */
static atomic_int zlib_answer = Z_OK;

int __real_deflate(z_stream *stream, int flush);
__attribute__((visibility("default"))) int __wrap_deflate(z_stream *stream, int flush); /* the linker holds libpng to it, too */

int __wrap_deflate(z_stream *stream, int flush)
{
    int code = __real_deflate(stream, flush);
    return code == Z_OK ? atomic_load(&zlib_answer) : code;
}

/* Z_BUF_ERROR says that there is nothing to do, or no room to do it: by zlib's manual it is not fatal. */
static void test_zlib_may_have_nothing_to_do(void)
{
    uint8_t *rgba = picture_from(300, 1700, 3, false, 5);
    atomic_store(&zlib_answer, Z_BUF_ERROR);
    (void)color_type_after_round_trip(rgba, 300, 1700, (int64_t)1700 * PIXEL_BYTES);
    atomic_store(&zlib_answer, Z_STREAM_ERROR);
    gp_bytes file = {0};
    gp_error error = {0};
    CHECK(gp_png_encode(rgba, 300, 1700, (int64_t)1700 * PIXEL_BYTES, &plain, &file, &error) == GP_ERR_VALUE);
    CHECK(file.data == NULL && strstr(error.message, "zlib stopped with code -2") != NULL);
    atomic_store(&zlib_answer, Z_OK);
    free(rgba);
}

#endif

int main(void)
{
    test_every_number_of_colors();
    test_rows_in_any_order_and_distance();
    test_last_pixel_decides();
    test_first_pixel_decides();
    test_colors_go_round_the_table();
    test_texts_and_resolution();
    test_bad_input_is_refused();
#if GP_TEST_WRAPS
    test_every_allocation_may_fail();
    test_file_and_strips_are_never_whole_together();
    test_zlib_may_have_nothing_to_do();
#endif
    return 0;
}

#endif
