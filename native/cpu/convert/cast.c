/* A cast as a few loops, one after the other, through small buffers that stay in the nearest cache. */
#include "cast.h"

#define CHUNK_ITEMS 512
#define MAX_ITEM_BYTES 16

GP_DECLARE_LEVELS(gp_cast_loops, gp_cast_loops, );
GP_DECLARE_LEVELS(gp_layout_loops, gp_layout_loops, );

const gp_cast_loops *gp_cast_loops_here(void) { return GP_AT_LEVEL_HERE(gp_cast_loops); }

const gp_layout_loops *gp_layout_loops_here(void) { return GP_AT_LEVEL_HERE(gp_layout_loops); }

/* Whether elements of `to` have the same bits as values of this kind, so that storing needs no loop. */
static bool is_value(gp_dtype to, gp_kind kind)
{
    switch (to) {
#define VALUE_CASE(NAME, storage, KIND, ...)                                                                                     \
    case GP_##NAME: return kind == GP_KIND_##KIND;
        GP_CAST_VALUE_SOURCES(VALUE_CASE)
#undef VALUE_CASE
    default: return false;
    }
}

/* Whether this dtype is rounded from a float32 that was rounded to odd. */
static bool is_narrow(gp_dtype to) { return gp_dtype_is_float(to) && gp_dtype_size_bytes(to) < (int)sizeof(float); }

int gp_item_size(int64_t n_bytes)
{
#define ITEM_SIZE(BYTES) BYTES,
    static const int sizes[GP_N_ITEM_SIZES] = {GP_ITEM_SIZES(ITEM_SIZE)};
#undef ITEM_SIZE
    for (int i = 0; i < GP_N_ITEM_SIZES; i++)
        if (sizes[i] == n_bytes)
            return i;
    return -1;
}

static void add_step(gp_cast *cast, gp_cast_loop step, int bytes_after)
{
    if (step == NULL)
        return;
    cast->steps[cast->n_steps++] = step;
    cast->bytes[cast->n_steps] = bytes_after;
}

gp_cast gp_cast_make(gp_dtype from, gp_dtype to, bool is_byteswapped)
{
    static const int kind_bytes[GP_N_KINDS] = {4, 8, 8, 4, 8};
    const gp_cast_loops *casts = gp_cast_loops_here();
    const gp_layout_loops *layouts = gp_layout_loops_here();
    int n_from = gp_dtype_is_complex(from) ? 2 : 1, n_to = gp_dtype_is_complex(to) ? 2 : 1;
    int from_bytes = gp_dtype_size_bytes(from) / n_from, to_bytes = gp_dtype_size_bytes(to) / n_to;
    gp_kind kind = gp_dtype_kind(from);
    gp_cast cast = {.bytes = {from_bytes}, .n_parts = n_from};
    if (is_byteswapped)
        add_step(&cast, layouts->swap[gp_item_size(from_bytes)], from_bytes);
    if (from == to)
        return cast;
    add_step(&cast, casts->load[from], kind_bytes[kind]);
    if (is_narrow(to)) {
        add_step(&cast, casts->odd[kind], (int)sizeof(float));
        kind = GP_KIND_F;
    }
    if (!is_value(to, kind))
        add_step(&cast, casts->store[to][kind], to_bytes);
    if (n_to > n_from)
        add_step(&cast, layouts->pair[gp_item_size(to_bytes)], 2 * to_bytes);
    return cast;
}

void gp_cast_run(const gp_cast *cast, const char *from, int64_t n, char *to)
{
    _Alignas(64) char buffers[2][CHUNK_ITEMS * MAX_ITEM_BYTES];
    int64_t n_items = n * cast->n_parts, from_bytes = cast->bytes[0], to_bytes = cast->bytes[cast->n_steps];
    if (cast->n_steps == 0)
        memcpy(to, from, (size_t)(n_items * from_bytes));
    else if (cast->n_steps == 1)
        cast->steps[0](from, n_items, to);
    for (int64_t i = 0; i < n_items && cast->n_steps > 1; i += CHUNK_ITEMS) {
        int64_t n_here = n_items - i < CHUNK_ITEMS ? n_items - i : CHUNK_ITEMS;
        const char *source = from + i * from_bytes;
        for (int step = 0; step < cast->n_steps; step++) {
            char *out = step == cast->n_steps - 1 ? to + i * to_bytes : buffers[step % 2];
            cast->steps[step](source, n_here, out);
            source = out;
        }
    }
}
