/* Every cast of the CPU's conversions, at every level of vector instructions, against the functions of casts.h. */
#include "backend.h"
#include "cast_elements.h"
#include "check.h"
#include "levels.h"

#include <stdlib.h>

static void test_run(gp_dtype from, gp_dtype to, int64_t n, int shift)
{
    int from_bytes = gp_dtype_size_bytes(from), to_bytes = gp_dtype_size_bytes(to);
    char *source = exactly(n * from_bytes, shift), *result = exactly(n * to_bytes, shift), want[MAX_ITEM_BYTES];
    fill_random(from, n, source + shift);
    gp_tensor tensor = {.data = source + shift,
                        .dtype = from,
                        .device = {GP_DL_CPU, 0},
                        .n_dims = 1,
                        .shape = {n},
                        .strides_bytes = {from_bytes}};
    gp_target target = {.data = result + shift, .dtype = to, .strides_bytes = {to_bytes}};
    gp_conversion plan = plan_of(&tensor, &target);
    gp_error error = {0};
    CHECK(gp_cpu_backend.convert(&plan, NULL, &error) == GP_OK);
    for (int64_t i = 0; i < n; i++) {
        cast_element(source + shift + i * from_bytes, from, to, want);
        check_same(result + shift + i * to_bytes, want, to);
    }
    free(source);
    free(result);
}

static void test_casts(void)
{
    for (int from = 0; from < GP_N_DTYPES; from++)
        for (int to = 0; to < GP_N_DTYPES; to++)
            if (is_pair((gp_dtype)from, (gp_dtype)to)) {
                test_run((gp_dtype)from, (gp_dtype)to, 1 + (from + to) % 70, to % 2);
                test_run((gp_dtype)from, (gp_dtype)to, 1027, from % 2);
            }
}

/* Every float16 to float32 and back, and from the doubles around it, which two roundings would spoil. */
static void test_float16_is_exact(void)
{
    for (uint32_t code = 0; code < 0x7c00u; code++) {
        float value = gp_load_F16((uint16_t)code), next = gp_load_F16((uint16_t)(code + 1));
        double half = code + 1 < 0x7c00u ? (double)value + ((double)next - (double)value) / 2 : 65520.0;
        uint32_t even = code % 2 ? code + 1 : code;
        CHECK(value == gp_f32_from_f16((uint16_t)code) && gp_store_F16_F(value) == code);
        CHECK(gp_store_F16_F(-value) == (code | 0x8000u) && gp_store_F16_D((double)value) == code);
        CHECK(gp_store_F16_D(half) == even);
        CHECK(gp_store_F16_D(half * (1 + 0x1p-52)) == code + 1 && gp_store_F16_D(half * (1 - 0x1p-53)) == code);
    }
}

static void run_all(void)
{
    test_casts();
    test_float16_is_exact();
}

int main(void)
{
    run_at_every_level(run_all);
    return 0;
}
