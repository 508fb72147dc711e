/* Elements cast one by one, random elements, memory of just the right size: for the tests of conversions. */
#include "cast_elements.h"
#include "check.h"

#include <stdlib.h>

gp_conversion plan_of(const gp_tensor *tensor, const gp_target *target)
{
    gp_conversion plan;
    gp_error error = {0};
    CHECK(gp_conversion_plan(tensor, target, &plan, &error) == GP_OK);
    return plan;
}

/* One element, or one part of a complex one, through the functions of casts.h. */
#define STORE_CASE(NAME, storage, KIND)                                                                                          \
    case GP_##NAME: {                                                                                                            \
        storage result = gp_store_##NAME##_##KIND(value);                                                                        \
        memcpy(to, &result, sizeof result);                                                                                      \
        return;                                                                                                                  \
    }
#define STORE_ROW_W(NAME, storage, ...) STORE_CASE(NAME, storage, W)
#define STORE_ROW_I(NAME, storage, ...) STORE_CASE(NAME, storage, I)
#define STORE_ROW_U(NAME, storage, ...) STORE_CASE(NAME, storage, U)
#define STORE_ROW_F(NAME, storage, ...) STORE_CASE(NAME, storage, F)
#define STORE_ROW_D(NAME, storage, ...) STORE_CASE(NAME, storage, D)
#define STORE_VALUE(KIND)                                                                                                        \
    static void store_##KIND(gp_kind_##KIND value, gp_dtype dtype, char *to)                                                     \
    {                                                                                                                            \
        switch (dtype) {                                                                                                         \
            GP_CAST_TARGETS(STORE_ROW_##KIND)                                                                                    \
            STORE_ROW_##KIND(LONGDOUBLE, long double) default : CHECK(false && "a target without a cast");                       \
        }                                                                                                                        \
    }
STORE_VALUE(W)
STORE_VALUE(I)
STORE_VALUE(U)
STORE_VALUE(F)
STORE_VALUE(D)

void cast_part(const char *from, gp_dtype from_dtype, gp_dtype to_dtype, char *to)
{
    switch (from_dtype) {
#define LOAD_CASE(NAME, storage, KIND, ...)                                                                                      \
    case GP_##NAME: {                                                                                                            \
        storage stored;                                                                                                          \
        memcpy(&stored, from, sizeof stored);                                                                                    \
        store_##KIND(gp_load_##NAME(stored), to_dtype, to);                                                                      \
        return;                                                                                                                  \
    }
        GP_CAST_SOURCES(LOAD_CASE)
        LOAD_CASE(LONGDOUBLE, long double, D)
#undef LOAD_CASE
    default: CHECK(false && "a source without a cast");
    }
}

void cast_element(const char *from, gp_dtype from_dtype, gp_dtype to_dtype, char *to)
{
    int n_from = gp_dtype_is_complex(from_dtype) ? 2 : 1, n_to = gp_dtype_is_complex(to_dtype) ? 2 : 1;
    int from_bytes = gp_dtype_size_bytes(from_dtype), to_bytes = gp_dtype_size_bytes(to_dtype);
    memset(to, 0, (size_t)to_bytes);
    for (int part = 0; part < n_from && from_dtype != to_dtype; part++)
        cast_part(from + part * from_bytes / n_from, from_dtype, to_dtype, to + part * to_bytes / n_to);
    if (from_dtype == to_dtype)
        memcpy(to, from, (size_t)to_bytes);
}

static uint64_t random_state = 88172645463325252u;

uint64_t random_bits(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state;
}

void fill_random(gp_dtype dtype, int64_t n, char *out)
{
    for (int64_t i = 0; i < n * gp_dtype_size_bytes(dtype); i++)
        out[i] = (char)random_bits();
    for (int64_t i = 0; i < n && dtype == GP_LONGDOUBLE; i++) {
        long double x = (long double)(int64_t)random_bits() / 1024;
        memcpy(out + i * (int64_t)sizeof x, &x, sizeof x);
    }
}

bool is_pair(gp_dtype from, gp_dtype to)
{
    return from == to || (to != GP_C32 && (gp_dtype_is_complex(to) || !gp_dtype_is_complex(from)));
}

void check_same(const char *got, const char *want, gp_dtype dtype)
{
    long double got_value, want_value;
    if (dtype != GP_LONGDOUBLE) {
        CHECK(memcmp(got, want, (size_t)gp_dtype_size_bytes(dtype)) == 0);
        return;
    }
    memcpy(&got_value, got, sizeof got_value);
    memcpy(&want_value, want, sizeof want_value);
    CHECK(got_value == want_value || (got_value != got_value && want_value != want_value));
}

char *exactly(int64_t n_bytes, int shift)
{
    char *block = malloc((size_t)(n_bytes + shift + 1));
    CHECK(block != NULL);
    block = realloc(block, (size_t)(n_bytes + shift > 0 ? n_bytes + shift : 1));
    CHECK(block != NULL);
    return block;
}
