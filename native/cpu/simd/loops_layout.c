/* Moves items of any size at one level of vector instructions: picks, puts, turns blocks and bytes, hides what is masked. */
#include "convert_loops.h"

#include "../../core/base/nontemporal.h"

#define VECTOR_BYTES 16

#define ALWAYS_INLINE static inline __attribute__((always_inline))

/* Whether taking every third item of vectors is quicker than one item after the other: SSE2 lacks the instructions. */
#if defined(__x86_64__) && !defined(__AVX2__)
#define HAS_THIRDS 0
#else
#define HAS_THIRDS 1
#endif

/*
 * An item is moved as bytes of known number: it may be unaligned, and its bits are not looked at. Compilers make vectors where
 * they know the stride: of items in reverse, of every other one, of one of three or four channels.
 */
#define ITEM_LOOPS(BYTES)                                                                                                        \
    ALWAYS_INLINE void pick_by_##BYTES(const char *restrict from, int64_t stride, int64_t n, char *restrict to)                  \
    {                                                                                                                            \
        for (int64_t i = 0; i < n; i++)                                                                                          \
            memcpy(to + i * BYTES, from + i * stride, BYTES);                                                                    \
    }                                                                                                                            \
    static void pick_##BYTES(const char *restrict from, int64_t stride, int64_t n, char *restrict to)                            \
    {                                                                                                                            \
        if (stride == -BYTES)                                                                                                    \
            pick_by_##BYTES(from, -BYTES, n, to);                                                                                \
        else if (stride == 2 * BYTES)                                                                                            \
            pick_by_##BYTES(from, 2 * BYTES, n, to);                                                                             \
        else if (stride == 3 * BYTES && HAS_THIRDS)                                                                              \
            pick_by_##BYTES(from, 3 * BYTES, n, to);                                                                             \
        else if (stride == 4 * BYTES)                                                                                            \
            pick_by_##BYTES(from, 4 * BYTES, n, to);                                                                             \
        else                                                                                                                     \
            pick_by_##BYTES(from, stride, n, to);                                                                                \
    }                                                                                                                            \
    static void put_##BYTES(const char *restrict from, int64_t n, char *restrict to, int64_t stride)                             \
    {                                                                                                                            \
        for (int64_t i = 0; i < n; i++)                                                                                          \
            memcpy(to + i * stride, from + i * BYTES, BYTES);                                                                    \
    }                                                                                                                            \
    static void follow_##BYTES(const char *restrict from, const int64_t *places, int64_t n, char *restrict to)                   \
    {                                                                                                                            \
        for (int64_t i = 0; i < n; i++)                                                                                          \
            memcpy(to + i * BYTES, from + places[i], BYTES);                                                                     \
    }                                                                                                                            \
    static void spread_##BYTES(const char *restrict from, const int64_t *places, int64_t n, char *restrict to)                   \
    {                                                                                                                            \
        for (int64_t i = 0; i < n; i++)                                                                                          \
            memcpy(to + places[i], from + i * BYTES, BYTES);                                                                     \
    }
GP_ITEM_SIZES(ITEM_LOOPS)
#undef ITEM_LOOPS

/* Without a branch: which elements are masked is nothing a processor could guess. */
#define HIDE_WORDS(BYTES, word)                                                                                                  \
    ALWAYS_INLINE void hide_words_##BYTES(const uint8_t *restrict mask, int64_t stride, bool is_inverted, word nan, int64_t n,   \
                                          char *restrict to)                                                                     \
    {                                                                                                                            \
        for (int64_t i = 0; i < n; i++) {                                                                                        \
            word item, is_hidden = (word)(0u - (word)((mask[i * stride] != 0) != is_inverted));                                  \
            memcpy(&item, to + i * BYTES, BYTES);                                                                                \
            item = (word)((item & (word)~is_hidden) | (nan & is_hidden));                                                        \
            memcpy(to + i * BYTES, &item, BYTES);                                                                                \
        }                                                                                                                        \
    }                                                                                                                            \
    static void hide_##BYTES(const uint8_t *mask, int64_t stride, bool is_inverted, const char *nan, int64_t n, char *to)        \
    {                                                                                                                            \
        word bits;                                                                                                               \
        memcpy(&bits, nan, BYTES);                                                                                               \
        if (stride == 1)                                                                                                         \
            hide_words_##BYTES(mask, 1, is_inverted, bits, n, to);                                                               \
        else                                                                                                                     \
            hide_words_##BYTES(mask, stride, is_inverted, bits, n, to);                                                          \
    }
HIDE_WORDS(1, uint8_t)
HIDE_WORDS(2, uint16_t)
HIDE_WORDS(4, uint32_t)
HIDE_WORDS(8, uint64_t)
#undef HIDE_WORDS

#define HIDE_ITEMS(BYTES)                                                                                                        \
    static void hide_##BYTES(const uint8_t *mask, int64_t stride, bool is_inverted, const char *nan, int64_t n, char *to)        \
    {                                                                                                                            \
        for (int64_t i = 0; i < n; i++)                                                                                          \
            if ((mask[i * stride] != 0) != is_inverted)                                                                          \
                memcpy(to + i * BYTES, nan, BYTES);                                                                              \
    }
HIDE_ITEMS(12)
HIDE_ITEMS(16)
#undef HIDE_ITEMS

#define PAIR_LOOP(BYTES)                                                                                                         \
    static void pair_##BYTES(const char *restrict from, int64_t n, char *restrict to)                                            \
    {                                                                                                                            \
        for (int64_t i = 0; i < n; i++) {                                                                                        \
            memcpy(to + 2 * i * BYTES, from + i * BYTES, BYTES);                                                                 \
            memset(to + (2 * i + 1) * BYTES, 0, BYTES);                                                                          \
        }                                                                                                                        \
    }
PAIR_LOOP(4)
PAIR_LOOP(8)
#undef PAIR_LOOP

#define SWAP_LOOP(BYTES, word, swapped)                                                                                          \
    static void swap_##BYTES(const char *restrict from, int64_t n, char *restrict to)                                            \
    {                                                                                                                            \
        for (int64_t i = 0; i < n; i++) {                                                                                        \
            word x;                                                                                                              \
            memcpy(&x, from + i * BYTES, BYTES);                                                                                 \
            x = swapped(x);                                                                                                      \
            memcpy(to + i * BYTES, &x, BYTES);                                                                                   \
        }                                                                                                                        \
    }
SWAP_LOOP(2, uint16_t, __builtin_bswap16)
SWAP_LOOP(4, uint32_t, __builtin_bswap32)
SWAP_LOOP(8, uint64_t, __builtin_bswap64)
#undef SWAP_LOOP

static void swap_16(const char *restrict from, int64_t n, char *restrict to)
{
    for (int64_t i = 0; i < n; i++)
        for (int byte = 0; byte < 16; byte++)
            to[i * 16 + byte] = from[i * 16 + 15 - byte];
}

/* ---- turning ----------------------------------------------------------------------------------------------------------- */

#if defined(__has_builtin)
#if __has_builtin(__builtin_shufflevector)
#define SHUFFLE(row, a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#endif
#endif
#if !defined(SHUFFLE) /* GCC before 12 */
#define SHUFFLE(row, a, b, ...) __builtin_shuffle(a, b, (row){__VA_ARGS__})
#endif

typedef uint8_t row_1 __attribute__((vector_size(VECTOR_BYTES)));
typedef uint16_t row_2 __attribute__((vector_size(VECTOR_BYTES)));
typedef uint32_t row_4 __attribute__((vector_size(VECTOR_BYTES)));
typedef uint64_t row_8 __attribute__((vector_size(VECTOR_BYTES)));

/* The items of two rows in turn: those of their first halves, and those of their second halves. One instruction each. */
#define FIRST_1(a, b) SHUFFLE(row_1, a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23)
#define SECOND_1(a, b) SHUFFLE(row_1, a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31)
#define FIRST_2(a, b) SHUFFLE(row_2, a, b, 0, 8, 1, 9, 2, 10, 3, 11)
#define SECOND_2(a, b) SHUFFLE(row_2, a, b, 4, 12, 5, 13, 6, 14, 7, 15)
#define FIRST_4(a, b) SHUFFLE(row_4, a, b, 0, 4, 1, 5)
#define SECOND_4(a, b) SHUFFLE(row_4, a, b, 2, 6, 3, 7)
#define FIRST_8(a, b) SHUFFLE(row_8, a, b, 0, 2)
#define SECOND_8(a, b) SHUFFLE(row_8, a, b, 1, 3)

/*
 * A square of 16 bytes by 16 bytes. Its rows are interleaved with those half a square further down; after as many rounds as
 * its side has doublings they are its columns. turn_ goes through runs by whole cache lines, so that each line is read once
 * even where the runs' distance maps them all to the same few places of a cache.
 */
#define TURN_LOOP(BYTES)                                                                                                         \
    ALWAYS_INLINE void turn_square_##BYTES(const char *from, int64_t from_stride, char *to, int64_t to_stride)                   \
    {                                                                                                                            \
        enum { SIDE = VECTOR_BYTES / BYTES };                                                                                    \
        row_##BYTES rows[SIDE], next[SIDE];                                                                                      \
        for (int i = 0; i < SIDE; i++)                                                                                           \
            memcpy(&rows[i], from + i * from_stride, VECTOR_BYTES);                                                              \
        for (int round = 1; round < SIDE; round *= 2) {                                                                          \
            for (int i = 0; i < SIDE / 2; i++) {                                                                                 \
                next[2 * i] = FIRST_##BYTES(rows[i], rows[i + SIDE / 2]);                                                        \
                next[2 * i + 1] = SECOND_##BYTES(rows[i], rows[i + SIDE / 2]);                                                   \
            }                                                                                                                    \
            for (int i = 0; i < SIDE; i++) /* no memcpy: that would go through memory */                                         \
                rows[i] = next[i];                                                                                               \
        }                                                                                                                        \
        for (int i = 0; i < SIDE; i++)                                                                                           \
            memcpy(to + i * to_stride, &rows[i], VECTOR_BYTES);                                                                  \
    }                                                                                                                            \
    static void turn_##BYTES(const char *restrict from, int64_t stride, int64_t n_runs, int64_t n, char *restrict to)            \
    {                                                                                                                            \
        enum { SIDE = VECTOR_BYTES / BYTES, LINE = GP_LINE_BYTES / BYTES };                                                      \
        int64_t whole_runs = n_runs - n_runs % SIDE, to_stride = n_runs * BYTES;                                                 \
        for (int64_t first = 0; first < n; first += LINE) {                                                                      \
            int64_t end = n - first < LINE ? n : first + LINE, whole_end = end - (end - first) % SIDE;                           \
            for (int64_t run = 0; run < whole_runs; run += SIDE)                                                                 \
                for (int64_t i = first; i < whole_end; i += SIDE)                                                                \
                    turn_square_##BYTES(from + run * stride + i * BYTES, stride, to + i * to_stride + run * BYTES, to_stride);   \
            for (int64_t run = 0; run < n_runs; run++)                                                                           \
                for (int64_t i = run < whole_runs ? whole_end : first; i < end; i++)                                             \
                    memcpy(to + i * to_stride + run * BYTES, from + run * stride + i * BYTES, BYTES);                            \
        }                                                                                                                        \
    }
TURN_LOOP(1)
TURN_LOOP(2)
TURN_LOOP(4)
TURN_LOOP(8)
#undef TURN_LOOP

/* The same item by item, where a vector holds one or no whole number of them. */
#define TURN_ITEMS(BYTES)                                                                                                        \
    static void turn_##BYTES(const char *restrict from, int64_t stride, int64_t n_runs, int64_t n, char *restrict to)            \
    {                                                                                                                            \
        enum { LINE = (GP_LINE_BYTES + BYTES - 1) / BYTES };                                                                     \
        for (int64_t first = 0; first < n; first += LINE) {                                                                      \
            int64_t end = n - first < LINE ? n : first + LINE;                                                                   \
            for (int64_t run = 0; run < n_runs; run++)                                                                           \
                for (int64_t i = first; i < end; i++)                                                                            \
                    memcpy(to + (i * n_runs + run) * BYTES, from + run * stride + i * BYTES, BYTES);                             \
        }                                                                                                                        \
    }
TURN_ITEMS(16)
TURN_ITEMS(3)
TURN_ITEMS(6)
TURN_ITEMS(12)
TURN_ITEMS(24)
#undef TURN_ITEMS

/* ---- past the caches ---------------------------------------------------------------------------------------------------- */

static void stream(const char *restrict from, int64_t n_bytes, char *restrict to) { gp_stream_bytes(to, from, n_bytes); }

static void stream_end(void) { gp_stream_end(); }

extern const gp_layout_loops GP_LEVELED(gp_layout_loops);
const gp_layout_loops GP_LEVELED(gp_layout_loops) = {
#define PICK(BYTES) pick_##BYTES,
    .pick = {GP_ITEM_SIZES(PICK)},
#undef PICK
#define PUT(BYTES) put_##BYTES,
    .put = {GP_ITEM_SIZES(PUT)},
#undef PUT
#define FOLLOW(BYTES) follow_##BYTES,
    .follow = {GP_ITEM_SIZES(FOLLOW)},
#undef FOLLOW
#define SPREAD(BYTES) spread_##BYTES,
    .spread = {GP_ITEM_SIZES(SPREAD)},
#undef SPREAD
#define TURN(BYTES) turn_##BYTES,
    .turn = {GP_ITEM_SIZES(TURN)},
#undef TURN
    .hide = {hide_1, hide_2, hide_4, hide_8, hide_16, NULL, NULL, hide_12}, /* elements alone: masks keep them apart */
    .swap = {NULL, swap_2, swap_4, swap_8, swap_16},
    .pair = {NULL, NULL, pair_4, pair_8},
    .stream = stream,
    .stream_end = stream_end,
};
