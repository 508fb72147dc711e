/* Casts of elements that lie side by side, at one level of vector instructions: to values, and from values to any dtype. */
#include "convert_loops.h"
#include "halves.h"

/* n_done: elements from the first on that are done already. */
#define LOAD_REST(NAME, storage, KIND, n_done)                                                                                   \
    static void load_##NAME(const char *restrict from, int64_t n, char *restrict to)                                             \
    {                                                                                                                            \
        for (int64_t i = n_done; i < n; i++) {                                                                                   \
            storage stored;                                                                                                      \
            memcpy(&stored, from + i * (int64_t)sizeof stored, sizeof stored);                                                   \
            gp_kind_##KIND value = gp_load_##NAME(stored);                                                                       \
            memcpy(to + i * (int64_t)sizeof value, &value, sizeof value);                                                        \
        }                                                                                                                        \
    }
#define LOAD_LOOP(NAME, storage, KIND, ...) LOAD_REST(NAME, storage, KIND, 0)
#define LOAD_HALVES(NAME, storage, KIND, ...) LOAD_REST(NAME, storage, KIND, gp_widen_halves(from, n, to))
GP_CAST_SMALL_SOURCES(LOAD_LOOP)
GP_CAST_HALF_SOURCES(LOAD_HALVES)
GP_HOST_DTYPES(LOAD_LOOP)
#undef LOAD_HALVES
#undef LOAD_LOOP
#undef LOAD_REST

#define ODD_LOOP(KIND)                                                                                                           \
    static void odd_##KIND(const char *restrict from, int64_t n, char *restrict to)                                              \
    {                                                                                                                            \
        for (int64_t i = 0; i < n; i++) {                                                                                        \
            gp_kind_##KIND value;                                                                                                \
            memcpy(&value, from + i * (int64_t)sizeof value, sizeof value);                                                      \
            float rounded = gp_odd_f32_##KIND(value);                                                                            \
            memcpy(to + i * (int64_t)sizeof rounded, &rounded, sizeof rounded);                                                  \
        }                                                                                                                        \
    }
ODD_LOOP(W)
ODD_LOOP(I)
ODD_LOOP(U)
ODD_LOOP(D)
#undef ODD_LOOP

#define STORE_REST(NAME, storage, KIND, n_done)                                                                                  \
    static void store_##NAME##_##KIND(const char *restrict from, int64_t n, char *restrict to)                                   \
    {                                                                                                                            \
        for (int64_t i = n_done; i < n; i++) {                                                                                   \
            gp_kind_##KIND value;                                                                                                \
            memcpy(&value, from + i * (int64_t)sizeof value, sizeof value);                                                      \
            storage stored = gp_store_##NAME##_##KIND(value);                                                                    \
            memcpy(to + i * (int64_t)sizeof stored, &stored, sizeof stored);                                                     \
        }                                                                                                                        \
    }
#define STORE_LOOP(NAME, storage, KIND) STORE_REST(NAME, storage, KIND, 0)
#define STORE_LOOPS(NAME, storage, ...) GP_CAST_PER_KIND(STORE_LOOP, NAME, storage)
#define STORE_LOOP_F(NAME, storage, ...) STORE_LOOP(NAME, storage, F)
#define STORE_HALVES(NAME, storage, ...) STORE_REST(NAME, storage, F, gp_narrow_to_halves(from, n, to))
GP_CAST_WIDE_TARGETS(STORE_LOOPS)
GP_CAST_NARROW_TARGETS(STORE_LOOP_F)
GP_CAST_HALF_TARGETS(STORE_HALVES)
GP_HOST_DTYPES(STORE_LOOPS)
#undef STORE_HALVES
#undef STORE_LOOP_F
#undef STORE_LOOPS
#undef STORE_LOOP
#undef STORE_REST

extern const gp_cast_loops GP_LEVELED(gp_cast_loops);
/* clang-format off: a table whose rows are macros */
const gp_cast_loops GP_LEVELED(gp_cast_loops) = {
    .load =
        {
#define LOAD_ROW(NAME, ...) [GP_##NAME] = load_##NAME,
            GP_CAST_SMALL_SOURCES(LOAD_ROW) GP_CAST_HALF_SOURCES(LOAD_ROW) GP_HOST_DTYPES(LOAD_ROW)
#undef LOAD_ROW
        },
    .odd = {[GP_KIND_W] = odd_W, [GP_KIND_I] = odd_I, [GP_KIND_U] = odd_U, [GP_KIND_D] = odd_D},
    .store =
        {
#define STORE_ONE(NAME, storage, KIND) [GP_KIND_##KIND] = store_##NAME##_##KIND,
#define STORE_ROW(NAME, storage, ...) [GP_##NAME] = {GP_CAST_PER_KIND(STORE_ONE, NAME, storage)},
#define STORE_ROW_F(NAME, storage, ...) [GP_##NAME] = {STORE_ONE(NAME, storage, F)},
            GP_CAST_WIDE_TARGETS(STORE_ROW) GP_CAST_NARROW_TARGETS(STORE_ROW_F) GP_CAST_HALF_TARGETS(STORE_ROW_F)
                GP_HOST_DTYPES(STORE_ROW)
#undef STORE_ROW_F
#undef STORE_ROW
#undef STORE_ONE
        },
};
/* clang-format on */
