/*
 * Series of samples, planes of one row: the kernels of one element class.
 *
 * m4 finds the first, last, smallest and largest sample of each column of pixels, with a block for a part of a column; m4_join joins the
 * parts of a column. find_ways tells whether samples rise or fall, search_sorted finds positions in samples that rise, and take
 * gathers single samples.
 *
 * Launched by native/cuda/series.c with GP_BLOCK threads. States are exact and joined in a fixed order: the same bits on every run.
 */
#include "m4.cuh"
#include "sorted.cuh"

/* Threads that a multiprocessor must have room for at once: with 80 registers each, and 128 for the slow loader and for the
 * neighbors of every sample. */
enum { GP_SERIES_THREADS = gp_elems::has_stages ? 512 : 768, GP_WAYS_THREADS = 512 };

GP_KERNEL(GP_OF_CLASS(m4), gp_m4_args, GP_BOUNDS(GP_BLOCK, GP_SERIES_THREADS))
{
    GP_SHARED(gp_m4_state, pool, GP_BLOCK / GP_WARP);
    gp_m4_block(args, pool);
}

GP_KERNEL(GP_OF_CLASS(m4_join), gp_m4_args, GP_BLOCK) { gp_m4_join_parts(args); }

GP_KERNEL(GP_OF_CLASS(find_ways), gp_ways_args, GP_BOUNDS(GP_BLOCK, GP_WAYS_THREADS)) { gp_find_ways_block(args); }

GP_KERNEL(GP_OF_CLASS(search_sorted), gp_search_args, GP_BOUNDS(GP_BLOCK, GP_SERIES_THREADS)) { gp_search_values(args); }

GP_KERNEL(GP_OF_CLASS(take), gp_take_args, GP_BOUNDS(GP_BLOCK, GP_SERIES_THREADS)) { gp_take_values(args); }
