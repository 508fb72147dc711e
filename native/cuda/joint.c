/* Joint histograms of planes on a device, with or without weights: the host chooses how bins are found, a kernel counts. */
#include "cuda.h"

#include "../core/base/alloc.h"
#include "kernels/joint_args.h"
#include "runtime/device.h"
#include "runtime/launch.h"
#include "runtime/module.h"
#include "runtime/scratch.h"
#include "runtime/staging.h"

#include <float.h>
#include <string.h>

/* The most bins of one pass, in 16 MB of scratch memory; more bins take several passes. Tables of teams take at most twice that. */
#define MOST_BINS ((int64_t)1 << 21)
#define MOST_TABLE_BYTES ((int64_t)32 << 20)

/* The least number of elements that a team adds up. */
enum { LEAST_TEAM_ELEMS = 1024, MOST_TEAMS = 8192 };

/* ---- a side ----------------------------------------------------------------------------------------------------------- */

/* Some consecutive bins of a side. Beyond the outer edges of all bins a range alone decides. */
static gp_joint_bins_of bins_of(const gp_joint_side *side, int64_t begin, int64_t n_bins)
{
    const double *edges = side->edges + begin;
    bool is_first = begin == 0, is_last = begin + n_bins == side->n_bins, is_wide = gp_dtype_size_bytes(side->plane->dtype) == 8;
    gp_joint_bins_of bins = {
        .elems = gp_stored_elems_of(side->plane), .n_bins = (int32_t)n_bins, .low = edges[0], .first = edges[0]};
    bins.high = is_last ? edges[n_bins] : nextafter(edges[n_bins], -(double)INFINITY);
    bins.scale = (double)n_bins / (edges[n_bins] - edges[0]);
    bins.is_even = gp_bin_doubt(edges, n_bins, bins.scale) <= GP_MAX_BIN_DOUBT;
    if (side->range != NULL) {
        bool is_unsigned = side->plane->dtype <= GP_U64 || side->plane->dtype == GP_BOOL;
        double first = is_unsigned ? (double)(uint64_t)side->range->first : (double)side->range->first;
        double last = is_unsigned ? (double)(uint64_t)side->range->last : (double)side->range->last;
        uint64_t turned = side->plane->dtype == GP_U64 ? (uint64_t)1 << 63 : 0;
        bins.has_exact = is_wide;
        bins.low_exact = (int64_t)((uint64_t)side->range->first ^ turned);
        bins.high_exact = (int64_t)((uint64_t)side->range->last ^ turned);
        bins.low = is_first ? -DBL_MAX : bins.low, bins.high = is_last ? DBL_MAX : bins.high;
        if (!is_wide)
            bins.low = fmax(bins.low, first), bins.high = fmin(bins.high, last);
    }
    return bins;
}

/* ---- a turn ----------------------------------------------------------------------------------------------------------- */

/* The bins of one pass: n[k] of side k from begin[k] on. */
typedef struct joint_turn {
    int64_t begin[2], n[2];
} joint_turn;

static gp_status upload_edges(gp_cuda_device *device, const gp_joint *joint, const joint_turn *turn, gp_joint_args *args,
                              gp_error *error)
{
    for (int k = 0; k < joint->n_sides; k++) {
        args->sides[k] = bins_of(&joint->sides[k], turn->begin[k], turn->n[k]);
        GP_TRY(gp_cuda_scratch_copy(device, k == 0 ? GP_SLOT_AXES : GP_SLOT_STATES, joint->sides[k].edges + turn->begin[k],
                                    ((size_t)turn->n[k] + 1) * sizeof(double), &args->sides[k].edges, error));
    }
    return GP_OK;
}

static gp_status launch(gp_cuda_device *device, const char *kernel, int64_t n_blocks, const gp_joint_args *args, gp_error *error)
{
    return gp_cuda_launch(device, "joint", kernel, n_blocks, 1, 1, GP_BLOCK_THREADS, args, error);
}

/* Counts the elements in the bins of one pass, to `counts`. */
static gp_status count(gp_cuda_device *device, gp_joint_args *args, int64_t *counts, gp_error *error)
{
    size_t n_bytes = (size_t)args->n_bins * sizeof *counts;
    bool is_shared = args->n_bins <= GP_JOINT_COUNTERS;
    int64_t n_blocks = gp_cuda_blocks_for(device, args->n_elems), least = (args->n_elems >> 30) + 1;
    GP_TRY(gp_cuda_scratch_filled(device, GP_SLOT_SELECT, n_bytes, 0, &args->counts, error));
    for (args->log2_slots = is_shared ? 5 : 0; args->log2_slots > 0 && args->n_bins << args->log2_slots > GP_JOINT_COUNTERS;)
        args->log2_slots--;
    GP_TRY(launch(device, is_shared ? "joint_count" : "joint_count_wide", n_blocks > least ? n_blocks : least, args, error));
    return gp_cuda_download(device, counts, gp_cuda_address(args->counts), n_bytes, error);
}

/* Chooses the number of teams from the numbers of elements and bins alone, so that every device gets the same bits. */
static int64_t teams_for(const gp_joint_args *args)
{
    int64_t useful = (args->n_elems + LEAST_TEAM_ELEMS - 1) / LEAST_TEAM_ELEMS;
    int64_t most = MOST_TABLE_BYTES / (args->n_bins * (int64_t)sizeof(double));
    most = most < MOST_TEAMS ? most : MOST_TEAMS;
    return useful < most ? useful : most;
}

static gp_status add(gp_cuda_device *device, gp_joint_args *args, double *sums, int64_t *n_counted, gp_error *error)
{
    args->n_teams = teams_for(args);
    size_t n_bytes = (size_t)args->n_bins * sizeof *sums;
    GP_TRY(gp_cuda_scratch_filled(device, GP_SLOT_SELECT, (size_t)args->n_teams * n_bytes, 0, &args->tables, error));
    GP_TRY(gp_cuda_scratch_filled(device, GP_SLOT_FACTS, sizeof *n_counted, 0, &args->counts, error));
    GP_TRY(launch(device, "joint_sum", (args->n_teams * 32 + GP_BLOCK_THREADS - 1) / GP_BLOCK_THREADS, args, error));
    GP_TRY(launch(device, "joint_join", gp_cuda_blocks_for(device, args->n_bins), args, error));
    GP_TRY(gp_cuda_download(device, n_counted, gp_cuda_address(args->counts), sizeof *n_counted, error));
    return gp_cuda_download(device, sums, gp_cuda_address(args->tables), n_bytes, error);
}

/* One pass; its results, of 8 bytes each, are copied to their places among those of all bins. */
static gp_status take_turn(gp_cuda_device *device, const gp_joint *joint, const joint_turn *turn, void *found, void *out,
                           int64_t *n_counted, gp_error *error)
{
    const gp_plane *first = joint->sides[0].plane;
    gp_joint_args args = {.n_sides = joint->n_sides, .n_elems = first->n_rows * first->n_cols, .n_cols = first->n_cols};
    int64_t n_inner = joint->n_sides > 1 ? joint->sides[1].n_bins : 1, in_turn = 0;
    args.n_bins = turn->n[0] * turn->n[1];
    GP_TRY(upload_edges(device, joint, turn, &args, error));
    if (joint->weights != NULL) {
        args.weights = gp_stored_elems_of(joint->weights), args.moment = joint->moment;
        GP_TRY(add(device, &args, found, &in_turn, error));
    } else {
        GP_TRY(count(device, &args, found, error));
        for (int64_t bin = 0; bin < args.n_bins; bin++)
            in_turn += ((const int64_t *)found)[bin];
    }
    *n_counted += in_turn;
    for (int64_t i = 0; i < turn->n[0]; i++)
        memcpy((char *)out + ((turn->begin[0] + i) * n_inner + turn->begin[1]) * 8, (const char *)found + i * turn->n[1] * 8,
               (size_t)turn->n[1] * 8);
    return GP_OK;
}

static gp_status take_turns(gp_cuda_device *device, const gp_joint *joint, void *found, void *out, int64_t *n_counted,
                            gp_error *error)
{
    int64_t n_outer = joint->sides[0].n_bins, n_inner = joint->n_sides > 1 ? joint->sides[1].n_bins : 1;
    int64_t most_inner = n_inner < MOST_BINS ? n_inner : MOST_BINS, most_outer = MOST_BINS / most_inner;
    for (int64_t i = 0; i < n_outer; i += most_outer)
        for (int64_t j = 0; j < n_inner; j += most_inner) {
            joint_turn turn = {
                {i, j},
                {n_outer - i < most_outer ? n_outer - i : most_outer, n_inner - j < most_inner ? n_inner - j : most_inner}};
            GP_TRY(take_turn(device, joint, &turn, found, out, n_counted, error));
        }
    return GP_OK;
}

gp_status gp_cuda_histogram_joint(const gp_joint *joint, int64_t *counts, double *sums, int64_t *n_counted, gp_error *error)
{
    gp_cuda_device *device;
    GP_TRY(gp_joint_check(joint, error));
    const gp_plane *first = joint->sides[0].plane;
    void *out = joint->weights != NULL ? (void *)sums : (void *)counts;
    int64_t n_bins = gp_joint_bins(joint);
    *n_counted = 0;
    memset(out, 0, (size_t)n_bins * 8);
    if (first->n_rows == 0 || first->n_cols == 0)
        return GP_OK;
    GP_FREED void *found = NULL;
    GP_TRY(gp_alloc((size_t)(n_bins < MOST_BINS ? n_bins : MOST_BINS) * 8, &found, error));
    GP_TRY(gp_cuda_enter(first->device.id, &device, error));
    return gp_cuda_finish(device, take_turns(device, joint, found, out, n_counted, error), error);
}
