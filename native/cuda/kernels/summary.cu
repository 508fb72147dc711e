/*
 * What there is among the elements of a plane: the kernels of one element class.
 *
 * summarize looks at each element once and leaves one state for each block, which the host joins: counts of each kind, extremes
 * and where they are first, merged moments. histogram counts elements between edges: in shared memory, 32 bits that no block can
 * exceed, or where there are too many bins for it, histogram_wide, by atomics in the device's cache. Elements of one byte are
 * counted by their codes. find looks for the nearest element of a kind, and stops when nothing nearer is left.
 *
 * place_points and add_points bring points to cells, place_lines gives samples of lines their places: bin_points.cu and bin_lines.cu have
 * the rest.
 *
 * The kernels of slices do the first two for many slices at once, each the work of one thread, a part of a warp, or a block; and they
 * select order statistics, a warp or a block for each slice.
 *
 * Launched by native/cuda/summarize.c, histogram.c, find.c and slices.c with GP_BLOCK threads and any number of blocks, which share the
 * jobs of gp_visit_plan. Only integers, and the sums of add_points, are joined by
 * atomics; all else in a fixed order: the same bits on every run.
 */
#include "bin_lines.cuh"
#include "bin_points.cuh"
#include "find.cuh"
#include "histogram.cuh"
#include "slices.cuh"
#include "summarize.cuh"

/* Devices on which the states of two blocks fill the shared memory of a multiprocessor: nothing else may be there. */
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
#define GP_HAS_LITTLE_SHARED 1
#else
#define GP_HAS_LITTLE_SHARED 0
#endif

/* Threads that a multiprocessor must have room for at once: with 80 registers each, and 128 for the slow loader and for summaries of
 * 64-bit integers, nothing is out of them. */
enum {
    GP_SUMMARY_THREADS = gp_elems::has_stages ? 512 : 768,
    GP_MANY_FACTS_THREADS = GP_HAS_LITTLE_SHARED || gp_elems::has_stages || (!gp_elems::is_float && sizeof(gp_stored) == 8) ? 512
                                                                                                                            : 768
};

GP_KERNEL(GP_OF_CLASS(summarize), gp_summarize_args, GP_BOUNDS(GP_BLOCK, GP_MANY_FACTS_THREADS))
{
    GP_SHARED(gp_summary_state, states, GP_BLOCK);
#if GP_HAS_LITTLE_SHARED
    const gp_visit_plan plan[] = {gp_visit_plan_of(args.plane)};
#else
    GP_SHARED(gp_visit_plan, plan, 1);
    if (threadIdx.x == 0)
        plan[0] = gp_visit_plan_of(args.plane);
    __syncthreads();
#endif
    gp_summarize_block(args, plan[0], states);
    if (threadIdx.x == 0)
        args.states[blockIdx.x] = states[0];
}

GP_KERNEL(GP_OF_CLASS(histogram), gp_histogram_args, GP_BOUNDS(GP_BLOCK, GP_SUMMARY_THREADS))
{
    GP_SHARED(unsigned, counters, GP_HISTOGRAM_COUNTERS);
    gp_histogram_shared(args, counters);
}

#if !GP_CLASS_IS(BYTE) /* counted by their codes, however many bins there are */
GP_KERNEL(GP_OF_CLASS(histogram_wide), gp_histogram_args, GP_BOUNDS(GP_BLOCK, GP_SUMMARY_THREADS))
{
    gp_histogram_visit(args.plane, gp_binning<gp_counter<unsigned long long>>{args, {(unsigned long long *)args.counts, 0, 0}});
}
#endif

GP_KERNEL(GP_OF_CLASS(place_points), gp_place_points_args, GP_BOUNDS(GP_BLOCK, GP_SUMMARY_THREADS))
{
    gp_visit_in_place<gp_placing>(args);
}

GP_KERNEL(GP_OF_CLASS(add_points), gp_add_points_args, GP_BOUNDS(GP_BLOCK, GP_SUMMARY_THREADS))
{
    gp_visit_in_place<gp_adding>(args);
}

GP_KERNEL(GP_OF_CLASS(place_lines), gp_place_lines_args, GP_BOUNDS(GP_BLOCK, GP_SUMMARY_THREADS))
{
    gp_visit_in_place<gp_placing_lines>(args);
}

#if !GP_CLASS_IS(INTEGER) /* among which nothing is looked for that they cannot be */
GP_KERNEL(GP_OF_CLASS(find), gp_find_args, GP_BOUNDS(GP_BLOCK, GP_SUMMARY_THREADS)) { gp_find_block(args); }
#endif

#if !GP_CLASS_IS(STAGED) /* slices are cut from what is stored, and have no hidden axes */
GP_KERNEL(GP_OF_CLASS(summarize_slices), gp_slices_args, GP_BOUNDS(GP_BLOCK, GP_MANY_FACTS_THREADS))
{
    GP_SHARED(gp_summary_state, states, GP_BLOCK);
    gp_summarize_slices(args, states);
}

GP_KERNEL(GP_OF_CLASS(histogram_slices), gp_slices_args, GP_BOUNDS(GP_BLOCK, GP_SUMMARY_THREADS))
{
    GP_SHARED(unsigned, counters, GP_SLICE_COUNTERS);
    gp_histogram_slices(args, counters);
}

GP_KERNEL(GP_OF_CLASS(percentiles_slices), gp_slices_args, GP_BOUNDS(GP_BLOCK, GP_SUMMARY_THREADS))
{
    GP_SHARED(unsigned, counters, GP_SLICE_COUNTERS);
    GP_SHARED(gp_slice_search, search, 1);
    gp_percentiles_slices(args, counters, search[0]);
}
#endif
