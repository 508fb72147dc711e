/* Conversions: every dtype and layout to every dtype, into targets of several layouts, bit for bit as on the CPU. */
#include "checks.h"

#include "../../../native/core/tensor/conversion.h"
#include "../../../native/core/tensor/dlpack_abi.h"

#include <stdlib.h>
#include <string.h>

/* The last one takes transfers in chunks. */
static const struct {
    int64_t n_rows, n_cols;
} sizes_of_conversions[] = {{37, 53}, {200, 130}, {3, 2003}, {700, 430}};
enum { N_SIZES = (int)(sizeof sizes_of_conversions / sizeof *sizes_of_conversions), LARGE = N_SIZES - 1 };

/* The elements of a plane as a tensor; kinds that are more than stored elements are left out. */
static bool is_stored(const sample_kind *kind)
{
    return !sample_is_computed(kind) && (kind->component == GP_COMPONENT_VALUE || kind->component == GP_COMPONENT_RE);
}

static gp_tensor tensor_of(const gp_plane *plane)
{
    return (gp_tensor){.data = plane->data,
                       .dtype = plane->dtype,
                       .is_byteswapped = plane->is_byteswapped,
                       .device = plane->device,
                       .n_dims = 2,
                       .shape = {plane->n_rows, plane->n_cols},
                       .strides_bytes = {plane->row_stride_bytes, plane->col_stride_bytes},
                       .mask = plane->mask,
                       .is_mask_inverted = plane->is_mask_inverted,
                       .mask_strides_bytes = {plane->mask_row_stride_bytes, plane->mask_col_stride_bytes}};
}

/* Rows, columns, or rows with a gap behind each and the last one first. */
typedef enum target_layout { TARGET_ROWS, TARGET_COLUMNS, TARGET_GAPS, N_TARGETS } target_layout;

static size_t target_bytes(int64_t n_rows, int64_t n_cols, gp_dtype dtype)
{
    return (size_t)(n_rows * (n_cols + 3)) * (size_t)gp_dtype_size_bytes(dtype);
}

static gp_target target_in(void *memory, target_layout layout, int64_t n_rows, int64_t n_cols, gp_dtype dtype)
{
    int64_t item = gp_dtype_size_bytes(dtype), row = (n_cols + 3) * item;
    if (layout == TARGET_ROWS)
        return (gp_target){memory, dtype, {n_cols * item, item}};
    if (layout == TARGET_COLUMNS)
        return (gp_target){memory, dtype, {item, n_rows * item}};
    return (gp_target){(char *)memory + (n_rows - 1) * row, dtype, {-row, item}};
}

static bool run(tally *all, const gp_backend *backend, const gp_plane *plane, const gp_target *target, const char *what)
{
    gp_error error = {0};
    gp_conversion plan;
    gp_tensor tensor = tensor_of(plane);
    return tally_ok(all, gp_conversion_plan(&tensor, target, &plan, &error), &error, "a plan") &&
           tally_ok(all, backend->convert(&plan, NULL, &error), &error, what);
}

static void compare(tally *all, const sample *s, gp_dtype to, target_layout layout)
{
    int64_t n_rows = s->host.n_rows, n_cols = s->host.n_cols;
    size_t n_bytes = target_bytes(n_rows, n_cols, to);
    unsigned char *want = malloc(n_bytes), *got = malloc(n_bytes);
    if (want != NULL && got != NULL) {
        memset(want, 0xa5, n_bytes);
        memset(got, 0xa5, n_bytes);
        gp_target host = target_in(want, layout, n_rows, n_cols, to), device = target_in(got, layout, n_rows, n_cols, to);
        if (run(all, &gp_cpu_backend, &s->host, &host, "the CPU's conversion") &&
            run(all, &gp_cuda_backend, &s->device, &device, "a conversion"))
            for (size_t i = 0; i < n_bytes; i++)
                if (got[i] != want[i]) {
                    tally_fail(all, "to %s: byte %zu of %zu is %02x, not %02x", gp_dtype_name(to), i, n_bytes, got[i], want[i]);
                    break;
                }
    }
    free(want);
    free(got);
}

/* Large ones to the dtypes that are common, all others to every dtype. */
static void compare_all(tally *all, const sample *s, gp_dtype from, int number, bool is_large)
{
    for (int to = 0; to < GP_N_DTYPES; to++) {
        bool is_common = to == (int)from || to == GP_F32 || to == GP_F64 || to == GP_C64;
        if (to == GP_LONGDOUBLE || (to == GP_C32 && from != GP_C32) || (is_large && !is_common) ||
            (gp_dtype_is_complex(from) && !gp_dtype_is_complex((gp_dtype)to)))
            continue;
        compare(all, s, (gp_dtype)to, (target_layout)((number + to) % N_TARGETS));
    }
}

void check_convert(tally *all, const check_sizes *sizes)
{
    const sample_kind *kinds;
    int n_kinds = sample_kinds(&kinds);
    if (!tally_group(all, "convert"))
        return;
    for (int kind = 0; kind < n_kinds; kind++)
        for (int i = 0; i < N_SIZES && is_stored(&kinds[kind]); i++) {
            char name[96];
            gp_error error = {0};
            sample s;
            int64_t n_rows = sizes_of_conversions[i].n_rows * sizes->scale,
                    n_cols = sizes_of_conversions[i].n_cols * sizes->scale;
            if (!tally_wants(all, sample_is_typical(&kinds[kind]) && i == 1))
                continue;
            sample_kind_name(&kinds[kind], name, sizeof name);
            tally_name(all, "%s, %lld x %lld", name, (long long)n_rows, (long long)n_cols);
            if (!tally_ok(all, sample_make(&kinds[kind], n_rows, n_cols, i % 2 == 1, (uint64_t)(kind + i), &s, &error), &error,
                          "making a plane"))
                continue;
            compare_all(all, &s, kinds[kind].dtype, kind + i, i == LARGE);
            sample_free(&s);
        }
}
