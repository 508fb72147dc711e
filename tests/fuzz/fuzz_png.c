/* Encodes pixels with any colors, rows and texts as a PNG; libpng decodes the same pixels and texts, or the texts were wrong. */
#include "check.h"
#include "input.h"
#include "png_encoder.h"

#include <png.h>

enum { PIXEL_BYTES = 4, MAX_SIDE = 300, MAX_PIXELS = 1 << 14, MAX_TEXTS = 3, MAX_TEXT_BYTES = 120 };

typedef struct picture {
    int64_t n_rows, n_cols, stride;
    uint8_t *memory, *rgba; /* rgba: of the first row */
} picture;

/* Pixels from a table of up to 300 colors, in runs and repeated rows, or from any bytes. */
static void fill_pixels(gp_input *input, uint8_t *out, int64_t n_pixels, int64_t n_per_row)
{
    uint8_t table[300 * PIXEL_BYTES];
    int64_t n_colors = input_between(input, 0, 299), flags = input_between(input, 0, 255);
    input_fill_random(input, table, sizeof table);
    input_fill_random(input, out, (size_t)(n_pixels * PIXEL_BYTES));
    for (int64_t i = 0; i < n_pixels; i++) {
        uint8_t *pixel = out + i * PIXEL_BYTES;
        bool is_run = i > 0 && (flags & 4) && pixel[0] % 8 != 0, is_row = i >= n_per_row && (flags & 8) && i / n_per_row % 3 != 0;
        if (n_colors > 0)
            memcpy(pixel, table + (pixel[0] + 256 * pixel[1]) % n_colors * PIXEL_BYTES, PIXEL_BYTES);
        if (is_run || is_row)
            memcpy(pixel, pixel - (is_row ? n_per_row : 1) * PIXEL_BYTES, PIXEL_BYTES);
        if (flags & 1)
            pixel[3] = 255;
        else if (flags & 2)
            pixel[3] = pixel[3] % 4 == 0 ? 0 : 255;
    }
    size_t n_given = (size_t)input_between(input, 0, 64); /* and some of the fuzzer's own */
    input_fill(input, out, n_given < (size_t)(n_pixels * PIXEL_BYTES) ? n_given : 0);
}

static picture read_picture(gp_input *input)
{
    picture p = {.n_rows = input_between(input, 1, MAX_SIDE)};
    int64_t most = MAX_PIXELS / p.n_rows;
    p.n_cols = input_between(input, 1, most < MAX_SIDE ? most : MAX_SIDE);
    int64_t n_between = input_one_in(input, 4) ? 3 : 0, row_bytes = (p.n_cols + n_between) * PIXEL_BYTES;
    bool is_turned = input_one_in(input, 4), is_repeated = input_one_in(input, 16);
    p.stride = is_repeated ? 0 : is_turned ? -row_bytes : row_bytes;
    p.memory = malloc((size_t)(p.n_rows * row_bytes)); /* just as much: the sanitizer watches what is beyond */
    CHECK(p.memory != NULL);
    fill_pixels(input, p.memory, p.n_rows * (p.n_cols + n_between), p.n_cols + n_between);
    p.rgba = p.memory + (is_turned && !is_repeated ? (p.n_rows - 1) * row_bytes : 0);
    return p;
}

/* ---- texts ------------------------------------------------------------------------------------------------------------------- */

typedef struct texts {
    int n;
    char keys[MAX_TEXTS][MAX_TEXT_BYTES + 1], values[MAX_TEXTS][MAX_TEXT_BYTES + 1];
    gp_png_text pairs[MAX_TEXTS];
} texts;

static void read_texts(gp_input *input, texts *out)
{
    out->n = (int)input_between(input, 0, MAX_TEXTS);
    for (int i = 0; i < out->n; i++) {
        memset(out->keys[i], 0, sizeof out->keys[i]);
        memset(out->values[i], 0, sizeof out->values[i]);
        input_fill(input, out->keys[i], (size_t)input_between(input, 0, MAX_TEXT_BYTES));
        input_fill(input, out->values[i], (size_t)input_between(input, 0, MAX_TEXT_BYTES));
        out->pairs[i] = (gp_png_text){out->keys[i], out->values[i]};
    }
}

/* Latin-1 as UTF-8, to compare what a tEXt chunk holds with what was given. */
static void widen(const char *latin1, char *utf8)
{
    for (; *latin1 != 0; latin1++) {
        uint8_t c = (uint8_t)*latin1;
        if (c >= 0x80)
            *utf8++ = (char)(0xc0 | c >> 6);
        *utf8++ = c < 0x80 ? (char)c : (char)(0x80 | (c & 0x3f));
    }
    *utf8 = 0;
}

static void check_texts(png_structp png, png_infop info, const texts *given)
{
    png_textp found;
    int n = 0;
    char wide[4 * MAX_TEXT_BYTES + 1];
    png_get_text(png, info, &found, &n);
    CHECK(n == given->n);
    for (int i = 0; i < n; i++) {
        widen(found[i].key, wide);
        CHECK(strcmp(wide, given->keys[i]) == 0);
        if (found[i].compression == PNG_TEXT_COMPRESSION_NONE)
            widen(found[i].text, wide);
        else
            CHECK(found[i].compression == PNG_ITXT_COMPRESSION_NONE && strlen(found[i].text) < sizeof wide);
        CHECK(strcmp(found[i].compression == PNG_TEXT_COMPRESSION_NONE ? wide : found[i].text, given->values[i]) == 0);
    }
}

/* ---- decoding ---------------------------------------------------------------------------------------------------------------- */

static void read_bytes(png_structp png, png_bytep out, size_t n)
{
    gp_bytes *left = png_get_io_ptr(png);
    CHECK(n <= left->n_bytes);
    memcpy(out, left->data, n);
    left->data += n, left->n_bytes -= n;
}

static void stop_on(png_structp png, png_const_charp message)
{
    (void)png;
    fprintf(stderr, "libpng: %s\n", message);
    CHECK(!(bool)"libpng has nothing to say about the file");
    exit(1);
}

static void check_decodes(const gp_bytes *file, const picture *p, const texts *given)
{
    gp_bytes left = *file;
    png_structp png = png_create_read_struct(PNG_LIBPNG_VER_STRING, NULL, stop_on, stop_on);
    png_infop info = png_create_info_struct(png);
    CHECK(png != NULL && info != NULL);
    png_set_read_fn(png, &left, read_bytes);
    png_read_info(png, info);
    CHECK(png_get_image_width(png, info) == p->n_cols && png_get_image_height(png, info) == p->n_rows);
    png_set_expand(png);
    png_set_add_alpha(png, 0xff, PNG_FILLER_AFTER);
    png_read_update_info(png, info);
    CHECK(png_get_rowbytes(png, info) == (size_t)p->n_cols * PIXEL_BYTES);
    uint8_t *row = malloc((size_t)p->n_cols * PIXEL_BYTES);
    for (int64_t i = 0; i < p->n_rows; i++) {
        png_read_row(png, row, NULL);
        CHECK(memcmp(row, p->rgba + i * p->stride, (size_t)p->n_cols * PIXEL_BYTES) == 0);
    }
    png_read_end(png, info);
    CHECK(left.n_bytes == 0);
    check_texts(png, info, given);
    free(row);
    png_destroy_read_struct(&png, &info, NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n_bytes)
{
    gp_input input = {data, n_bytes};
    texts given;
    gp_bytes one = {0}, three = {0};
    gp_error error = {0};
    read_texts(&input, &given);
    gp_png_options options = {.dots_per_inch = input_one_in(&input, 4) ? input_double(&input, 1000) : 0,
                              .texts = given.pairs,
                              .n_texts = given.n,
                              .n_threads = 1};
    picture p = read_picture(&input);
    if (gp_png_encode(p.rgba, p.n_rows, p.n_cols, p.stride, &options, &one, &error) == GP_OK) {
        check_decodes(&one, &p, &given);
        options.n_threads = 3;
        CHECK(gp_png_encode(p.rgba, p.n_rows, p.n_cols, p.stride, &options, &three, &error) == GP_OK);
        check_decodes(&three, &p, &given);
    } else {
        CHECK(error.message[0] != 0 && one.data == NULL); /* a text or the dots per inch */
        CHECK(given.n > 0 || options.dots_per_inch != 0);
    }
    gp_bytes_free(&one);
    gp_bytes_free(&three);
    free(p.memory);
    return 0;
}
