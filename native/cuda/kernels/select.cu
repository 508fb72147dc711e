/*
 * Order statistics: how many elements have each value of one digit of their keys, the bits of a plane read once.
 *
 * select_first counts the highest digit of every element. Neighboring threads count in different slots, so that values
 * that are alike do not queue up for one counter. select_next counts the next digit of those elements whose higher digits
 * are those of a wanted rank: few elements, and a slot for each such prefix. select_between appends the keys of a few ranges.
 *
 * Counts are 32-bit in shared memory and joined by 64-bit additions, which have no order. GP_BLOCK threads, and as many
 * blocks as keep the device busy; a block may look at no more than 2^31 elements. Compiled once for each element class.
 */
#include "counting.cuh"
#include "elements.cuh"

#include "select_args.h"

/* ---- keys -------------------------------------------------------------------------------------------------------- */

struct key_of {
    GP_DEVICE uint32_t value(int x, int) { return (uint32_t)x; }
    GP_DEVICE uint32_t value(int64_t x, int) { return (uint32_t)x; }
    GP_DEVICE uint32_t value(float x, int n_dropped) { return gp_ordered_f32(x) >> n_dropped; }
    GP_DEVICE uint64_t value(double x, int) { return gp_ordered_f64(x); }
};
typedef decltype(key_of::value(gp_value(), 0)) select_key;

/* ---- counting ---------------------------------------------------------------------------------------------------- */

/* The block's counters: for each value of the digit 1 << log2_slots of them. */
struct digit_counts {
    gp_counter<unsigned> counter;
    int log2_slots;
};

/* The index of these bits among the prefixes; n_prefixes if they are none. */
GP_DEVICE int find_prefix(const gp_select_args &args, select_key bits)
{
    int found = args.n_prefixes;
    for (int i = 0; i < args.n_prefixes; i++)
        found = (select_key)args.prefixes[i] == bits ? i : found;
    return found;
}

template <bool IS_FIRST> GP_DEVICE void count_element(const gp_select_args &args, digit_counts &counts, gp_value value)
{
    select_key key = key_of::value(value, args.n_dropped) - (select_key)args.first, high = key >> args.shift;
    if (key > (select_key)args.span)
        return;
    unsigned digit = (unsigned)high & ((1u << args.digit_bits) - 1);
    int slot = IS_FIRST ? (int)(threadIdx.x & ((1u << counts.log2_slots) - 1)) : find_prefix(args, high >> args.digit_bits);
    if (IS_FIRST || slot < args.n_prefixes)
        gp_counter<unsigned>::add(counts.counter, digit << counts.log2_slots | (unsigned)slot);
}

/* Adds the block's counters to those of all blocks. All slots of the first pass are summed; in later passes each is of one prefix. */
template <bool IS_FIRST> GP_DEVICE void join_counts(const gp_select_args &args, const digit_counts &counts)
{
    int n_slots = 1 << counts.log2_slots, n_joined = IS_FIRST ? n_slots : 1;
    for (int at = (int)threadIdx.x * n_joined; at < n_slots << args.digit_bits; at += GP_BLOCK * n_joined) {
        int digit = at >> counts.log2_slots, prefix = IS_FIRST ? 0 : at & (n_slots - 1);
        unsigned long long sum = 0;
        for (int i = 0; i < n_joined; i++)
            sum += counts.counter.counters[at + i];
        if (sum != 0)
            atomicAdd((unsigned long long *)&args.counts[(prefix << args.digit_bits) + digit], sum);
    }
}

template <bool IS_FIRST> GP_DEVICE void select_pass(const gp_select_args &args, unsigned *bins)
{
    digit_counts counts = {{bins, 0, 0}, gp_select_log2_slots(args.digit_bits)};
    for (int i = (int)threadIdx.x; i < 1 << (counts.log2_slots + args.digit_bits); i += GP_BLOCK)
        bins[i] = 0;
    __syncthreads();
    gp_visit_elements(args.plane, [&](gp_value value) { count_element<IS_FIRST>(args, counts, value); });
    gp_counter<unsigned>::flush(counts.counter);
    __syncthreads();
    join_counts<IS_FIRST>(args, counts);
}

/* ---- collecting -------------------------------------------------------------------------------------------------- */

GP_DEVICE void collect_element(const gp_collect_args &args, gp_value value)
{
    select_key key = key_of::value(value, args.n_dropped) - (select_key)args.first;
    bool is_inside = false;
    for (int i = 0; i < args.n_ranges; i++)
        is_inside |= key >= (select_key)args.lows[i] && key <= (select_key)args.highs[i];
    if (!is_inside)
        return;
    uint64_t at = atomicAdd((unsigned long long *)args.found, 1ull);
    if (at < args.most)
        args.found[1 + at] = key;
}

/* ---- kernels ----------------------------------------------------------------------------------------------------- */

/* The number of resident threads of a multiprocessor; without it the compiler uses fewer registers than the kernel needs. */
enum { GP_SELECT_THREADS = gp_elems::has_stages ? 512 : 768 };

GP_KERNEL(GP_OF_CLASS(select_first), gp_select_args, GP_BOUNDS(GP_BLOCK, GP_SELECT_THREADS))
{
    GP_SHARED(unsigned, bins, GP_SELECT_COUNTERS);
    select_pass<true>(args, bins);
}

#if !GP_CLASS_IS(SHORT)
GP_KERNEL(GP_OF_CLASS(select_next), gp_select_args, GP_BOUNDS(GP_BLOCK, GP_SELECT_THREADS))
{
    GP_SHARED(unsigned, bins, GP_SELECT_COUNTERS);
    select_pass<false>(args, bins);
}
#endif

GP_KERNEL(GP_OF_CLASS(select_between), gp_collect_args, GP_BOUNDS(GP_BLOCK, GP_SELECT_THREADS))
{
    gp_visit_elements(args.plane, [&](gp_value value) { collect_element(args, value); });
}
