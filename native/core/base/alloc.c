/* Working memory in whole cache lines; large blocks in huge pages, where the system has these on request. */
#define _GNU_SOURCE
#include "alloc.h"

#include <stdint.h>
#if defined(__linux__)
#include <sys/mman.h>
#endif

#define LINE_BYTES ((size_t)64)
#define HUGE_PAGE_BYTES ((size_t)2 << 20)

static size_t rounded(size_t n_bytes, size_t to) { return (n_bytes / to + 1) * to; }

/* Freed blocks below this size may stay in the C library's heap for the next allocation; larger ones return to the system. glibc's
 * limit is 32 MB, of which a block needs some for itself. */
#define MOST_KEPT_BYTES (((size_t)32 << 20) - ((size_t)64 << 10))

/* The first write to a page is a page fault: with pages of 4 KB these faults take as long as a reduction to many cells. */
static void ask_for_huge_pages(void *memory, size_t n_bytes)
{
#if defined(MADV_HUGEPAGE)
    uintptr_t begin = ((uintptr_t)memory + HUGE_PAGE_BYTES - 1) / HUGE_PAGE_BYTES * HUGE_PAGE_BYTES;
    uintptr_t end = ((uintptr_t)memory + n_bytes) / HUGE_PAGE_BYTES * HUGE_PAGE_BYTES;
    if (begin < end)
        (void)madvise((void *)begin, end - begin, MADV_HUGEPAGE);
#else
    (void)memory, (void)n_bytes;
#endif
}

/* A block aligned to huge pages leaves a smaller hole than the next one of its size needs, so the heap could not reuse it. */
static void *alloc_aligned(size_t n_bytes)
{
    if (n_bytes > SIZE_MAX - 2 * HUGE_PAGE_BYTES)
        return NULL;
    size_t alignment = n_bytes < MOST_KEPT_BYTES ? LINE_BYTES : HUGE_PAGE_BYTES, n_rounded = rounded(n_bytes, alignment);
    void *memory = aligned_alloc(alignment, n_rounded);
    if (memory != NULL && n_rounded >= 2 * HUGE_PAGE_BYTES)
        ask_for_huge_pages(memory, n_rounded);
    return memory;
}

static gp_status hand_out(void *memory, size_t n_bytes, void *out, gp_error *error)
{
    memcpy(out, &memory, sizeof memory);
    return memory != NULL ? GP_OK : gp_fail_memory(error, (double)n_bytes);
}

gp_status gp_alloc(size_t n_bytes, void *out, gp_error *error) { return hand_out(alloc_aligned(n_bytes), n_bytes, out, error); }

gp_status gp_alloc_zeroed(size_t n_bytes, void *out, gp_error *error)
{
    return hand_out(calloc(n_bytes > 0 ? n_bytes : 1, 1), n_bytes, out, error);
}
