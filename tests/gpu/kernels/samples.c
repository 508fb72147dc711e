/* Makes the samples of samples.h: random codes with exponents that keep sums far from overflow. */
#include "samples.h"

#include "../../../native/core/tensor/dlpack_abi.h"

#include <stdio.h>
#include <stdlib.h>

enum { N_HIDDEN_ELEMS = 5, MASK_EVERY = 5, DIRTY_EVERY = 211, MOST_KINDS = 400 };

static const char *const layout_names[N_LAYOUTS] = {"rows",      "turned",    "pitched", "reversed", "strided",
                                                    "broadcast", "unaligned", "swapped", "masked"};

static uint64_t next_random(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* ---- kinds --------------------------------------------------------------------------------------------------------- */

bool sample_is_computed(const sample_kind *kind)
{
    bool is_stored = kind->component == GP_COMPONENT_VALUE || kind->component == GP_COMPONENT_RE ||
                     kind->component == GP_COMPONENT_IM || kind->component == GP_COMPONENT_CHANNEL;
    return kind->hidden != HIDDEN_NONE || kind->is_alpha_weighted || !is_stored;
}

bool sample_is_exact(const sample_kind *kind)
{
    bool is_of_stored = kind->component == GP_COMPONENT_VALUE && !kind->is_alpha_weighted;
    return !sample_is_computed(kind) || (is_of_stored && (kind->hidden == GP_HIDDEN_MAX || kind->hidden == GP_HIDDEN_MIN));
}

bool sample_is_typical(const sample_kind *kind)
{
    const gp_dtype dtypes[] = {GP_U8, GP_F8_E3M4, GP_F8_E4M3FN, GP_U16, GP_F16, GP_I32, GP_F32, GP_I64, GP_F64, GP_C128};
    bool is_usual = kind->layout == LAYOUT_ROWS || kind->layout == LAYOUT_TURNED || kind->layout == LAYOUT_SWAPPED;
    for (size_t i = 0; i < sizeof dtypes / sizeof *dtypes; i++)
        if (kind->dtype == dtypes[i])
            return is_usual && (kind->hidden == HIDDEN_NONE || kind->dtype == GP_F32) && kind->n_channels == 0;
    return false;
}

static bool has_layout(gp_dtype dtype, int layout)
{
    return gp_dtype_size_bytes(dtype) > 1 || (layout != LAYOUT_UNALIGNED && layout != LAYOUT_SWAPPED);
}

static int list_real(sample_kind *kinds)
{
    int n = 0;
    for (int dtype = 0; dtype < GP_N_DTYPES; dtype++)
        for (int layout = 0; layout < N_LAYOUTS; layout++)
            if (dtype != GP_LONGDOUBLE && !gp_dtype_is_complex((gp_dtype)dtype) && has_layout((gp_dtype)dtype, layout))
                kinds[n++] = (sample_kind){(gp_dtype)dtype, (sample_layout)layout, GP_COMPONENT_VALUE, HIDDEN_NONE, 0, 0, false};
    return n;
}

static int list_complex(sample_kind *kinds)
{
    const sample_layout layouts[] = {LAYOUT_ROWS, LAYOUT_TURNED, LAYOUT_STRIDED, LAYOUT_SWAPPED};
    int n = 0;
    for (int dtype = GP_C32; dtype <= GP_C128; dtype++)
        for (int part = GP_COMPONENT_ABS; part <= GP_COMPONENT_SUM_IM; part++)
            kinds[n] = (sample_kind){(gp_dtype)dtype, layouts[n % 4], (gp_component)part, HIDDEN_NONE, 0, 0, false}, n++;
    return n;
}

static int list_hidden(sample_kind *kinds)
{
    const gp_dtype dtypes[] = {GP_F32, GP_I16, GP_F64, GP_U8, GP_BF16};
    int n = 0;
    for (int i = 0; i < 5; i++)
        for (int op = 0; op <= HIDDEN_TWO_STAGES; op++)
            kinds[n] = (sample_kind){dtypes[i], n % 3 ? LAYOUT_ROWS : LAYOUT_PITCHED, GP_COMPONENT_VALUE, op, 0, 0, false}, n++;
    return n;
}

static int list_channels(sample_kind *kinds)
{
    const gp_dtype dtypes[] = {GP_U8, GP_F32, GP_F16};
    int n = 0;
    for (int i = 0; i < 3; i++)
        for (int n_channels = 3; n_channels <= 4; n_channels++)
            for (int channel = 0; channel < n_channels; channel++)
                kinds[n++] = (sample_kind){dtypes[i],
                                           channel % 2 ? LAYOUT_PITCHED : LAYOUT_ROWS,
                                           GP_COMPONENT_CHANNEL,
                                           HIDDEN_NONE,
                                           n_channels,
                                           channel,
                                           n_channels == 4 && channel < 2};
    return n;
}

int sample_kinds(const sample_kind **out)
{
    static sample_kind kinds[MOST_KINDS];
    static int n;
    if (n == 0) {
        n = list_real(kinds);
        n += list_complex(kinds + n);
        n += list_hidden(kinds + n);
        n += list_channels(kinds + n);
    }
    *out = kinds;
    return n;
}

void sample_kind_name(const sample_kind *kind, char *out, int n_bytes)
{
    snprintf(out, (size_t)n_bytes, "%s %s component %d hidden %d channel %d/%d%s", gp_dtype_name(kind->dtype),
             layout_names[kind->layout], (int)kind->component, kind->hidden, kind->channel, kind->n_channels,
             kind->is_alpha_weighted ? " weighted" : "");
}

/* ---- elements ------------------------------------------------------------------------------------------------------ */

/* A random number of a float format: any sign and mantissa, one of seven exponents around that of 1. */
static uint64_t float_code(uint64_t random, int mantissa_bits, int exponent_bits)
{
    uint64_t bias = ((uint64_t)1 << (exponent_bits - 1)) - 1, exponent = bias - 3 + (random >> 56) % 7;
    uint64_t sign = (random >> 55) & 1, mantissa = random & (((uint64_t)1 << mantissa_bits) - 1);
    return (sign << (mantissa_bits + exponent_bits)) | (exponent << mantissa_bits) | mantissa;
}

/* NaN, +Inf or -Inf of a float format. */
static uint64_t bad_code(uint64_t random, int mantissa_bits, int exponent_bits)
{
    uint64_t top = (((uint64_t)1 << exponent_bits) - 1) << mantissa_bits, sign = (uint64_t)1 << (mantissa_bits + exponent_bits);
    return random % 3 == 0 ? top | ((uint64_t)1 << (mantissa_bits - 1)) : random % 3 == 1 ? top : top | sign;
}

static double value_of_byte(gp_dtype dtype, uint8_t code)
{
    switch (dtype) {
#define VALUE_CASE(NAME, storage, KIND, name, dl_code, bits, ...)                                                                \
    case GP_##NAME: return bits == 8 ? gp_value_##NAME((storage)code) : 0;
        GP_CODED_DTYPES(VALUE_CASE)
#undef VALUE_CASE
    default: return 0;
    }
}

static uint64_t byte_code(gp_dtype dtype, uint64_t random, bool is_bad)
{
    for (int i = 0; i < 256; i++) {
        uint8_t code = (uint8_t)(random + (uint64_t)i);
        if (!gp_dtype_is_f8(dtype) || is_bad || gp_class_of(value_of_byte(dtype, code)) == GP_HAS_FINITE)
            return dtype == GP_BOOL ? code % 3u : code;
    }
    return 0;
}

/* One stored number: an element, or a part of a complex one. */
static uint64_t random_code(gp_dtype dtype, uint64_t random, bool is_bad)
{
    switch (dtype) {
    case GP_F32:
    case GP_C64: return is_bad ? bad_code(random, 23, 8) : float_code(random, 23, 8);
    case GP_F64:
    case GP_C128: return is_bad ? bad_code(random, 52, 11) : float_code(random, 52, 11);
    case GP_F16:
    case GP_C32: return is_bad ? bad_code(random, 10, 5) : float_code(random, 10, 5);
    case GP_BF16: return is_bad ? bad_code(random, 7, 8) : float_code(random, 7, 8);
    default: return gp_dtype_size_bytes(dtype) == 1 ? byte_code(dtype, random, is_bad) : random;
    }
}

static void fill(unsigned char *memory, int64_t n_bytes, const sample_kind *kind, bool is_dirty, uint64_t *state)
{
    int size = gp_dtype_size_bytes(kind->dtype) / (gp_dtype_is_complex(kind->dtype) ? 2 : 1);
    for (int64_t at = kind->layout == LAYOUT_UNALIGNED; at + size <= n_bytes; at += size) {
        uint64_t random = next_random(state);
        uint64_t code = random_code(kind->dtype, next_random(state), is_dirty && random % DIRTY_EVERY == 0);
        for (int i = 0; i < size; i++) /* lowest byte first, or last */
            memory[at + (kind->layout == LAYOUT_SWAPPED ? size - 1 - i : i)] = (unsigned char)(code >> (8 * i));
    }
}

/* ---- planes -------------------------------------------------------------------------------------------------------- */

/* Strides of a layout, where its first element is, and how many bytes it spans. */
static int64_t place(const sample_kind *kind, int64_t item, int64_t n_rows, int64_t n_cols, gp_plane *plane)
{
    int64_t row = n_cols * item, col = item, start = 0, span = n_rows * n_cols * item;
    switch (kind->layout) {
    case LAYOUT_TURNED: row = item, col = n_rows * item; break;
    case LAYOUT_PITCHED: row = (n_cols + 7) * item, start = 5 * item, span = n_rows * row + start; break;
    case LAYOUT_REVERSED: start = span - item, row = -row, col = -col; break;
    case LAYOUT_STRIDED: row = 6 * n_cols * item, col = 3 * item, span *= 6; break;
    case LAYOUT_BROADCAST: row = 0, span = n_cols * item; break;
    case LAYOUT_UNALIGNED: start = 1, span += 1; break;
    default: break;
    }
    plane->row_stride_bytes = row, plane->col_stride_bytes = col;
    plane->data = (const void *)(uintptr_t)start;
    return span;
}

static void add_hidden(const sample_kind *kind, int64_t slab_bytes, gp_plane *plane)
{
    bool is_two = kind->hidden == HIDDEN_TWO_STAGES;
    if (kind->hidden == HIDDEN_NONE)
        return;
    plane->n_hidden = plane->n_stages = is_two ? 2 : 1;
    plane->stage_ops[0] = is_two ? GP_HIDDEN_MAX : (gp_hidden_op)kind->hidden;
    plane->stage_ops[1] = GP_HIDDEN_MEAN;
    plane->hidden[0] = (gp_hidden_axis){N_HIDDEN_ELEMS, slab_bytes, 0, 0};
    plane->hidden[1] = (gp_hidden_axis){3, slab_bytes * N_HIDDEN_ELEMS, 0, 1};
}

/* Elements that one of the plane is reduced from. */
static int n_hidden_elems(const sample_kind *kind)
{
    int n = kind->hidden == HIDDEN_TWO_STAGES ? 3 * N_HIDDEN_ELEMS : N_HIDDEN_ELEMS;
    return kind->hidden == HIDDEN_NONE ? 1 : n;
}

static gp_plane plane_of(const sample_kind *kind, int64_t n_rows, int64_t n_cols, int64_t *n_bytes)
{
    int64_t size = gp_dtype_size_bytes(kind->dtype), item = size * (kind->n_channels > 0 ? kind->n_channels : 1);
    gp_plane plane = {.dtype = kind->dtype,
                      .device = {GP_DL_CPU, 0},
                      .n_rows = n_rows,
                      .n_cols = n_cols,
                      .is_byteswapped = kind->layout == LAYOUT_SWAPPED,
                      .component = kind->component,
                      .n_channels = kind->n_channels,
                      .channel = kind->channel,
                      .is_alpha_weighted = kind->is_alpha_weighted,
                      .channel_stride_bytes = kind->n_channels > 0 ? size : 0};
    int64_t slab_bytes = place(kind, item, n_rows, n_cols, &plane);
    add_hidden(kind, slab_bytes, &plane);
    *n_bytes = slab_bytes * n_hidden_elems(kind);
    return plane;
}

static gp_status add_mask(const sample_kind *kind, sample *s, gp_error *error)
{
    size_t n = (size_t)(s->host.n_rows * s->host.n_cols);
    if (kind->layout != LAYOUT_MASKED)
        return GP_OK;
    s->mask = malloc(n + 1);
    if (s->mask == NULL)
        return gp_fail_memory(error, (double)n);
    for (size_t i = 0; i < n; i++)
        s->mask[i] = i % MASK_EVERY == 3;
    s->host.mask = s->mask;
    s->host.mask_row_stride_bytes = s->host.n_cols, s->host.mask_col_stride_bytes = 1;
    return memory_upload(s->mask, n, &s->mask_dev, error);
}

/* The largest magnitude among all stored numbers: of the elements, and of those that hidden axes are reduced from. */
static double largest_stored(const sample_kind *kind, const sample *s, int64_t n_bytes, gp_error *error)
{
    gp_limits_state state;
    int64_t item = gp_dtype_size_bytes(kind->dtype), first = kind->layout == LAYOUT_UNALIGNED;
    gp_plane all = {.data = s->memory + first,
                    .dtype = kind->dtype,
                    .device = {GP_DL_CPU, 0},
                    .n_rows = 1,
                    .n_cols = (n_bytes - first) / item,
                    .col_stride_bytes = item,
                    .row_stride_bytes = n_bytes,
                    .is_byteswapped = s->host.is_byteswapped,
                    .component = gp_dtype_is_complex(kind->dtype) ? GP_COMPONENT_ABS : GP_COMPONENT_VALUE};
    if (gp_cpu_backend.limits(&all, GP_WANT_RANGE, &state, error) != GP_OK || state.n_finite == 0)
        return 0;
    gp_limits limits = gp_limits_state_finish(&state);
    double most = limits.max > -limits.min ? limits.max : -limits.min;
    return kind->component == GP_COMPONENT_ABS2 ? most * most : most < 4 ? 4 : most; /* angles reach pi */
}

/* |element| of every element, by the CPU's own reading of one element a cell. */
static gp_status find_magnitudes(sample *s, gp_error *error)
{
    gp_axis rows = {0}, cols = {0};
    int64_t n_rows = s->host.n_rows, n_cols = s->host.n_cols;
    gp_cells cells = {NULL, n_rows, n_cols, {GP_DL_CPU, 0}};
    gp_reduce_options options = {.agg = GP_AGG_NEAREST, .nan = GP_NAN_SHOW};
    s->magnitudes = cells.data = malloc((size_t)(n_rows * n_cols + 1) * sizeof(double));
    if (s->magnitudes == NULL)
        return gp_fail_memory(error, (double)(n_rows * n_cols) * 8);
    GP_TRY(gp_axis_fit(n_rows, 0, (double)n_rows, n_rows, GP_TIE_UP, GP_REGIME_NEAREST, &rows, error));
    gp_status status = gp_axis_fit(n_cols, 0, (double)n_cols, n_cols, GP_TIE_UP, GP_REGIME_NEAREST, &cols, error);
    if (status == GP_OK)
        status = gp_cpu_backend.reduce(&s->host, &rows, &cols, &options, &cells, NULL, error);
    for (int64_t i = 0; status == GP_OK && i < n_rows * n_cols; i++)
        s->magnitudes[i] = gp_class_of(s->magnitudes[i]) == GP_HAS_FINITE ? fabs(s->magnitudes[i]) : (double)NAN;
    gp_axis_free(&rows);
    gp_axis_free(&cols);
    return status;
}

static gp_status make_inside(const sample_kind *kind, int64_t n_rows, int64_t n_cols, bool is_dirty, uint64_t seed, sample *s,
                             gp_error *error)
{
    int64_t n_bytes;
    s->host = plane_of(kind, n_rows, n_cols, &n_bytes);
    s->memory = calloc(1, (size_t)n_bytes + 1);
    if (s->memory == NULL)
        return gp_fail_memory(error, (double)n_bytes);
    fill(s->memory, n_bytes, kind, is_dirty, &seed);
    int64_t start = (int64_t)(uintptr_t)s->host.data;
    s->host.data = s->memory + start;
    GP_TRY(memory_upload(s->memory, (size_t)n_bytes, &s->memory_dev, error));
    GP_TRY(add_mask(kind, s, error));
    s->device = s->host;
    s->device.device = (gp_device){GP_DL_CUDA, 0};
    s->device.data = (const void *)(uintptr_t)(s->memory_dev + (CUdeviceptr)start);
    s->device.mask = (const uint8_t *)(uintptr_t)s->mask_dev;
    s->most = largest_stored(kind, s, n_bytes, error) * n_hidden_elems(kind); /* hidden ones added up */
    return find_magnitudes(s, error);
}

gp_status sample_make(const sample_kind *kind, int64_t n_rows, int64_t n_cols, bool is_dirty, uint64_t seed, sample *out,
                      gp_error *error)
{
    *out = (sample){0};
    gp_status status = make_inside(kind, n_rows, n_cols, is_dirty, seed, out, error);
    if (status != GP_OK)
        sample_free(out);
    return status;
}

void sample_free(sample *s)
{
    memory_free(s->memory_dev);
    memory_free(s->mask_dev);
    free(s->memory);
    free(s->mask);
    free(s->magnitudes);
    *s = (sample){0};
}

gp_plane sample_magnitudes(const sample *s)
{
    int64_t n_cols = s->host.n_cols;
    return (gp_plane){.data = s->magnitudes,
                      .dtype = GP_F64,
                      .device = {GP_DL_CPU, 0},
                      .n_rows = s->host.n_rows,
                      .n_cols = n_cols,
                      .row_stride_bytes = n_cols * 8,
                      .col_stride_bytes = 8};
}
