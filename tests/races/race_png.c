/* PNG files of several threads at once: strips that the pool deflates, palettes that it looks for. */
#include "at_once.h"
#include "check.h"
#include "png_encoder.h"
#include "../../native/core/base/threads.h"

#include <string.h>

enum { N_CALLERS = 3, N_ROWS = 700, N_COLS = 800, N_FILES = 3 };

static uint8_t pixels[2][N_ROWS * N_COLS * 4]; /* few colors, and many */
static gp_bytes wanted[2];

static gp_bytes encode(int which, int n_threads)
{
    gp_png_text text = {"Software", "gpuplot"};
    gp_png_options options = {.dots_per_inch = 100, .texts = &text, .n_texts = 1, .n_threads = n_threads};
    gp_bytes bytes = {0};
    gp_error error = {0};
    CHECK(gp_png_encode(pixels[which], N_ROWS, N_COLS, N_COLS * 4, &options, &bytes, &error) == GP_OK);
    return bytes;
}

static void encode_all(void *context, int k)
{
    (void)context;
    for (int i = 0; i < N_FILES; i++) {
        int which = (i + k) % 2;
        gp_bytes bytes = encode(which, 4);
        CHECK(bytes.n_bytes == wanted[which].n_bytes && memcmp(bytes.data, wanted[which].data, bytes.n_bytes) == 0);
        gp_bytes_free(&bytes);
    }
}

int main(void)
{
    for (int i = 0; i < N_ROWS * N_COLS; i++) {
        for (int c = 0; c < 4; c++) {
            pixels[0][4 * i + c] = (uint8_t)(c == 3 ? 255 : (i / 1000 % 50) * (c + 1));
            pixels[1][4 * i + c] = (uint8_t)(c == 3 ? 255 : ((uint32_t)i * 2654435761u) >> (8 * c + 3));
        }
    }
    for (int which = 0; which < 2; which++)
        wanted[which] = encode(which, 4);
    run_at_once(N_CALLERS, encode_all, NULL);
    for (int which = 0; which < 2; which++)
        gp_bytes_free(&wanted[which]);
    return 0;
}
