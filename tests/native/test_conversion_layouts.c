/* Any layout to any other at every level of vector instructions: gaps, masks, swapped bytes, threads, and an early end. */
#define _GNU_SOURCE
#include "backend.h"
#include "cast_elements.h"
#include "check.h"
#include "levels.h"

#include <pthread.h>
#include <stdlib.h>

typedef struct layout {
    int64_t strides[4], first, n_bytes; /* first: where element [0, ..., 0] is */
} layout;

/* Axes in a random order in memory, some with gaps, some turned, some of the source without a stride. */
static layout random_layout(const int64_t *shape, int64_t item_bytes, bool is_source)
{
    layout made = {.n_bytes = item_bytes};
    int order[4] = {0, 1, 2, 3};
    for (int i = 3; i > 0; i--) {
        int j = (int)(random_bits() % (uint64_t)(i + 1)), kept = order[i];
        order[i] = order[j], order[j] = kept;
    }
    int64_t stride = item_bytes;
    for (int i = 0; i < 4; i++) {
        int axis = order[i];
        int64_t step = stride * (random_bits() % 4 == 0 ? 2 : 1);
        stride = step * shape[axis];
        if (is_source && random_bits() % 8 == 0)
            step = 0;
        bool is_turned = random_bits() % 4 == 0;
        made.strides[axis] = is_turned ? -step : step;
        made.first += is_turned ? (shape[axis] - 1) * step : 0;
        made.n_bytes += (shape[axis] - 1) * step;
    }
    return made;
}

static int64_t offset_of(const layout *l, const int64_t *shape, int64_t i)
{
    int64_t offset = l->first;
    for (int axis = 3; axis >= 0; axis--) {
        offset += i % shape[axis] * l->strides[axis];
        i /= shape[axis];
    }
    return offset;
}

static void swap_parts(char *item, int64_t item_bytes, int64_t part_bytes)
{
    for (int64_t part = 0; part < item_bytes; part += part_bytes)
        for (int64_t i = 0; i < part_bytes / 2; i++) {
            char kept = item[part + i];
            item[part + i] = item[part + part_bytes - 1 - i];
            item[part + part_bytes - 1 - i] = kept;
        }
}

static bool is_nan_of(const char *item, gp_dtype dtype)
{
    double value;
    if (!gp_dtype_is_complex(dtype)) {
        char wide[MAX_ITEM_BYTES];
        cast_part(item, dtype, GP_F64, wide);
        memcpy(&value, wide, sizeof value);
        return value != value;
    }
    char parts[MAX_ITEM_BYTES];
    double both[2];
    cast_element(item, dtype, GP_C128, parts);
    memcpy(both, parts, sizeof both);
    return both[0] != both[0] && both[1] != both[1];
}

static void test_layout(gp_dtype from, gp_dtype to, const int64_t *shape)
{
    int from_bytes = gp_dtype_size_bytes(from), to_bytes = gp_dtype_size_bytes(to);
    int64_t n = shape[0] * shape[1] * shape[2] * shape[3];
    layout in = random_layout(shape, from_bytes, true), out = random_layout(shape, to_bytes, false),
           hidden = random_layout(shape, 1, true);
    bool is_swapped = random_bits() % 4 == 0 && from != GP_LONGDOUBLE, is_masked = random_bits() % 3 == 0;
    int64_t part_bytes = from_bytes / (gp_dtype_is_complex(from) ? 2 : 1);
    char *source = exactly(in.n_bytes + from_bytes, 0), *result = exactly(out.n_bytes, 0), *mask = exactly(hidden.n_bytes, 0);
    fill_random(from, in.n_bytes / from_bytes + 1, source);
    memset(result, 0x55, (size_t)out.n_bytes);
    for (int64_t i = 0; i < hidden.n_bytes; i++)
        mask[i] = (char)(random_bits() % 3);
    gp_tensor tensor = {.data = source + in.first,
                        .dtype = from,
                        .is_byteswapped = is_swapped,
                        .device = {GP_DL_CPU, 0},
                        .n_dims = 4,
                        .mask = is_masked ? (const uint8_t *)mask + hidden.first : NULL,
                        .is_mask_inverted = n % 2 == 0};
    gp_target target = {.data = result + out.first, .dtype = to};
    for (int i = 0; i < 4; i++) {
        tensor.shape[i] = shape[i];
        tensor.strides_bytes[i] = in.strides[i];
        tensor.mask_strides_bytes[i] = hidden.strides[i];
        target.strides_bytes[i] = out.strides[i];
    }
    gp_conversion plan = plan_of(&tensor, &target);
    gp_error error = {0};
    CHECK(gp_cpu_backend.convert(&plan, NULL, &error) == GP_OK);
    for (int64_t i = 0; i < n; i++) {
        char item[MAX_ITEM_BYTES], want[MAX_ITEM_BYTES];
        memcpy(item, source + offset_of(&in, shape, i), (size_t)from_bytes);
        if (is_swapped)
            swap_parts(item, from_bytes, part_bytes);
        char *got = result + offset_of(&out, shape, i);
        if (plan.mask != NULL && (mask[offset_of(&hidden, shape, i)] != 0) != tensor.is_mask_inverted) {
            CHECK(is_nan_of(got, to));
        } else {
            cast_element(item, from, to, want);
            check_same(got, want, to);
        }
        memset(got, 0x55, (size_t)to_bytes);
    }
    for (int64_t i = 0; i < out.n_bytes; i++)
        CHECK(result[i] == 0x55); /* what lies between elements was not touched */
    free(source);
    free(result);
    free(mask);
}

static void test_layouts(void)
{
    static const int64_t sizes[] = {1, 1, 2, 3, 4, 5, 8, 9, 16, 17, 33};
    static const gp_dtype dtypes[] = {GP_U8,   GP_F16,  GP_F32, GP_F64,        GP_C64,
                                      GP_C128, GP_BF16, GP_I64, GP_LONGDOUBLE, GP_F8_E4M3FN};
    enum { N_SIZES = sizeof sizes / sizeof *sizes, N_DTYPES = sizeof dtypes / sizeof *dtypes };
    for (int i = 0; i < 400; i++) {
        int64_t shape[4];
        for (int k = 0; k < 4; k++)
            shape[k] = sizes[random_bits() % N_SIZES];
        if (i % 8 == 0)
            shape[0] = 1, shape[1] = 1, shape[2] = 150 + (int64_t)(random_bits() % 300),
            shape[3] = 150 + (int64_t)(random_bits() % 300);
        gp_dtype from = dtypes[random_bits() % N_DTYPES], to = i % 2 ? from : dtypes[random_bits() % N_DTYPES];
        if (is_pair(from, to))
            test_layout(from, to, shape);
    }
}

/* More axes than a block has: their elements are found by a list. */
static void test_many_small_axes(void)
{
    enum { N_AXES = 13 };
    static const int order[N_AXES] = {7, 2, 11, 0, 5, 9, 12, 3, 10, 1, 6, 4, 8};
    int64_t n = (int64_t)1 << N_AXES;
    char *source = exactly(n * 4, 0), *result = exactly(n * 8, 0);
    fill_random(GP_I32, n, source);
    gp_tensor tensor = {.data = source, .dtype = GP_I32, .device = {GP_DL_CPU, 0}, .n_dims = N_AXES};
    gp_target target = {.data = result, .dtype = GP_I64};
    for (int i = 0; i < N_AXES; i++) {
        tensor.shape[i] = 2;
        tensor.strides_bytes[i] = 4 << order[i];
        target.strides_bytes[i] = 8 << (N_AXES - 1 - i);
    }
    gp_conversion plan = plan_of(&tensor, &target);
    gp_error error = {0};
    CHECK(gp_cpu_backend.convert(&plan, NULL, &error) == GP_OK);
    for (int64_t i = 0; i < n; i++) {
        int32_t from;
        int64_t to, at = 0;
        for (int axis = 0; axis < N_AXES; axis++)
            at += (i >> (N_AXES - 1 - axis) & 1) << order[axis];
        memcpy(&from, source + at * 4, sizeof from);
        memcpy(&to, result + i * 8, sizeof to);
        CHECK(from == to);
    }
    free(source);
    free(result);
}

/* Large enough for threads and for stores past the caches, which write whole lines: one byte too many would be seen. */
static void test_large_turned_planes(void)
{
    int64_t n_rows = 1537, n_cols = 2801;
    char *source = exactly(n_rows * n_cols * 4, 0), *result = exactly(n_rows * n_cols * 8, 3) + 3;
    fill_random(GP_I32, n_rows * n_cols, source);
    gp_tensor tensor = {.data = source,
                        .dtype = GP_I32,
                        .device = {GP_DL_CPU, 0},
                        .n_dims = 2,
                        .shape = {n_cols, n_rows},
                        .strides_bytes = {4, 4 * n_cols}};
    gp_target target = {.data = result, .dtype = GP_I64, .strides_bytes = {8 * n_rows, 8}};
    gp_conversion plan = plan_of(&tensor, &target);
    gp_error error = {0};
    CHECK(gp_cpu_backend.convert(&plan, NULL, &error) == GP_OK);
    for (int64_t row = 0; row < n_cols; row++)
        for (int64_t col = 0; col < n_rows; col++) {
            int32_t from;
            int64_t to;
            memcpy(&from, source + (col * n_cols + row) * 4, sizeof from);
            memcpy(&to, result + (row * n_rows + col) * 8, sizeof to);
            CHECK(from == to);
        }
    free(source);
    free(result - 3);
}

/* ---- progress ------------------------------------------------------------------------------------------------------------- */

typedef struct watch {
    int64_t n_asked, n_done, n_elems;
    pthread_t thread;
} watch;

static bool stop_at_once(void *context, int64_t n_elems_done, int64_t n_elems)
{
    watch *w = context;
    CHECK(pthread_equal(pthread_self(), w->thread)); /* by the thread that called, always */
    w->n_asked++, w->n_done = n_elems_done, w->n_elems = n_elems;
    return true;
}

/* Larger and larger, until one takes longer than the first question waits. */
static void test_a_conversion_is_stopped(void)
{
    for (int64_t n = (int64_t)1 << 22; n <= (int64_t)1 << 28; n *= 2) {
        double one = 1;
        uint8_t *result = calloc((size_t)n, 1);
        CHECK(result != NULL);
        gp_tensor tensor = {.data = &one, .dtype = GP_F64, .device = {GP_DL_CPU, 0}, .n_dims = 1, .shape = {n}};
        gp_target target = {.data = result, .dtype = GP_F8_E5M2, .strides_bytes = {1}};
        gp_conversion plan = plan_of(&tensor, &target);
        watch w = {.thread = pthread_self()};
        gp_progress progress = {stop_at_once, &w};
        gp_error error = {0};
        gp_status status = gp_cpu_backend.convert(&plan, &progress, &error);
        CHECK(status == (w.n_asked ? GP_ERR_INTERRUPTED : GP_OK) && w.n_asked <= 1);
        bool is_whole = result[n - 1] == 0x3c;
        free(result);
        if (w.n_asked && w.n_done < n / 2) {
            CHECK(w.n_done > 0 && w.n_elems == n && !is_whole);
            return;
        }
    }
    CHECK(false && "no conversion took long enough to be asked about");
}

static void run_all(void)
{
    test_layouts();
    test_many_small_axes();
    test_large_turned_planes();
    test_a_conversion_is_stopped();
}

int main(void)
{
    run_at_every_level(run_all);
    return 0;
}
