/* Facts about every element of a plane on a device: one kernel that looks at each once. */
#include "elements.h"
#include "facts.h"
#include "work.h"

#include <stdio.h>

static const gp_facts_keys no_facts = {.min = UINT64_MAX, .max = 0, .min_positive = UINT64_MAX};

gp_status gp_cuda_facts_begin(gp_cuda_device *device, gp_facts_keys **out, gp_error *error)
{
    CUdeviceptr at;
    GP_TRY(gp_cuda_scratch(device, GP_SLOT_FACTS, sizeof no_facts, &at, error));
    GP_TRY(gp_cuda_upload(device, at, &no_facts, sizeof no_facts, error));
    *out = (gp_facts_keys *)(uintptr_t)at;
    return GP_OK;
}

static double or_nan(bool is_there, uint64_t key) { return is_there ? gp_f64_of_ordered(key) + 0.0 : gp_mark_value(GP_HAS_NAN); }

static void to_limits(const gp_facts_keys *keys, gp_limits *out)
{
    *out = (gp_limits){.min = or_nan(keys->has_finite, keys->min),
                       .max = or_nan(keys->has_finite, keys->max),
                       .min_positive = or_nan(keys->min_positive != UINT64_MAX, keys->min_positive),
                       .n_nan = (int64_t)keys->n_nan,
                       .n_pos_inf = (int64_t)keys->n_pos_inf,
                       .n_neg_inf = (int64_t)keys->n_neg_inf,
                       .n_masked = (int64_t)keys->n_masked};
    out->has = (keys->has_finite ? GP_HAS_FINITE : 0u) | (keys->n_nan ? GP_HAS_NAN : 0u) |
               (keys->n_pos_inf ? GP_HAS_POS_INF : 0u) | (keys->n_neg_inf ? GP_HAS_NEG_INF : 0u) |
               (keys->n_masked ? GP_HAS_MASKED : 0u);
}

gp_status gp_cuda_facts_end(gp_cuda_device *device, const gp_facts_keys *at, gp_limits *out, gp_error *error)
{
    gp_facts_keys keys;
    GP_TRY(gp_cuda_download(device, &keys, (CUdeviceptr)(uintptr_t)at, sizeof keys, error));
    to_limits(&keys, out);
    return GP_OK;
}

static gp_status find_facts(gp_cuda_device *device, const gp_plane *plane, gp_limits *out, gp_error *error)
{
    char module[32], kernel[32];
    gp_cuda_elements elements = gp_cuda_elements_in_any_order(plane);
    gp_limits_args args = {.plane = elements.plane};
    int64_t n_elems = plane->n_rows * plane->n_cols;
    snprintf(module, sizeof module, "reduce_%s", elements.class_name);
    snprintf(kernel, sizeof kernel, "facts_%s", elements.class_name);
    GP_TRY(gp_cuda_facts_begin(device, &args.facts, error));
    GP_TRY(gp_cuda_launch(device, module, kernel, gp_cuda_blocks_for(device, n_elems / elements.run_elems + 1), 1, 1,
                          GP_BLOCK_THREADS, &args, error));
    GP_TRY(gp_cuda_facts_end(device, args.facts, out, error));
    out->n_finite = n_elems - out->n_nan - out->n_pos_inf - out->n_neg_inf - out->n_masked;
    return GP_OK;
}

gp_status gp_cuda_limits(const gp_plane *plane, unsigned want, gp_limits *out, gp_error *error)
{
    gp_cuda_device *device;
    (void)want; /* everything is found in one look */
    if (plane->n_rows == 0 || plane->n_cols == 0) {
        to_limits(&no_facts, out);
        return GP_OK;
    }
    GP_TRY(gp_cuda_enter(plane->device.id, &device, error));
    return gp_cuda_finish(device, find_facts(device, plane, out, error), error);
}
