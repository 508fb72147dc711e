/* The LZMA decoder: bytes of Python's compressor come back, and damaged or shortened ones do no harm. */
#include "../../native/core/base/lzma.h"
#include "check.h"
#include "data/lzma_sample.h"

#include <stdlib.h>
#include <string.h>

enum { N_BYTES = 60000, ROOM = N_BYTES + 512 };
static uint8_t want[ROOM], got[N_BYTES];
static uint32_t state = 1;

/* As in data/make_lzma_sample.py. */
static uint32_t draw(uint32_t n)
{
    state = state * 1664525u + 1013904223u;
    return (state >> 16) % n;
}

static void make_sample(void)
{
    size_t n_done = 0;
    while (n_done < N_BYTES) {
        uint32_t kind = draw(8), n = 16 * (1 + draw(24));
        if (kind == 0 || n_done < 4096) {
            for (uint32_t i = 0; i < n; i++)
                want[n_done + i] = (uint8_t)(i % 16 < 3 ? draw(256) : i % 7);
        } else {
            size_t begin = 16 * (size_t)draw((uint32_t)n_done / 16);
            begin += kind == 1 ? draw(16) : 0;
            n = n < n_done - begin ? n : (uint32_t)(n_done - begin);
            memcpy(want + n_done, want + begin, n);
            if (kind > 4) {
                uint32_t at = draw(n);
                want[n_done + at] = (uint8_t)draw(256);
            }
        }
        n_done += n;
    }
}

static void test_all_comes_back(void)
{
    static const size_t sizes[] = {0, 1, 2, 15, 16, 17, 4095, 4096, 30001, N_BYTES};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        memset(got, 0, sizeof got);
        CHECK(gp_lzma_expand(lzma_sample, sizeof lzma_sample, got, sizes[i]));
        CHECK(memcmp(got, want, sizes[i]) == 0);
        CHECK(sizes[i] == N_BYTES || got[sizes[i]] == 0);
    }
}

/* On the heap, so that a byte read or written outside is seen by the sanitizers. */
static bool expands(const uint8_t *bytes, size_t n_bytes)
{
    uint8_t *in = malloc(n_bytes + 1), *out = malloc(N_BYTES);
    CHECK(in != NULL && out != NULL);
    uint8_t *exact = n_bytes > 0 ? realloc(in, n_bytes) : in;
    CHECK(exact != NULL);
    memcpy(exact, bytes, n_bytes);
    bool is_done = gp_lzma_expand(exact, n_bytes, out, N_BYTES) && memcmp(out, want, N_BYTES) == 0;
    free(exact);
    free(out);
    return is_done;
}

static void test_damage(void)
{
    uint8_t *bytes = malloc(sizeof lzma_sample);
    CHECK(bytes != NULL && expands(lzma_sample, sizeof lzma_sample));
    memcpy(bytes, lzma_sample, sizeof lzma_sample);
    for (size_t at = 0; at + 16 < sizeof lzma_sample; at += 1 + at / 16) {
        bytes[at] ^= (uint8_t)(1u << at % 8);
        CHECK(!expands(bytes, sizeof lzma_sample));
        bytes[at] = lzma_sample[at];
        CHECK(!expands(bytes, at));
    }
    free(bytes);
}

int main(void)
{
    make_sample();
    test_all_comes_back();
    test_damage();
    return 0;
}
