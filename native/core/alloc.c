/* Working memory in whole cache lines; large blocks in huge pages, where the system has them for those who ask. */
#define _GNU_SOURCE
#include "alloc.h"

#include <stdint.h>
#if defined(__linux__)
#include <sys/mman.h>
#endif

#define LINE_BYTES ((size_t)64)
#define HUGE_PAGE_BYTES ((size_t)2 << 20)

static size_t rounded(size_t n_bytes, size_t to) { return (n_bytes / to + 1) * to; }

/* A first write to each page costs a call of the system: of 4 KB pages these take as long as a reduction to many cells. */
static void *alloc_huge(size_t n_bytes)
{
    size_t n_rounded = rounded(n_bytes, HUGE_PAGE_BYTES);
    void *memory = aligned_alloc(HUGE_PAGE_BYTES, n_rounded);
#if defined(MADV_HUGEPAGE)
    if (memory != NULL)
        (void)madvise(memory, n_rounded, MADV_HUGEPAGE);
#endif
    return memory;
}

static void *alloc_aligned(size_t n_bytes)
{
    if (n_bytes > SIZE_MAX - 2 * HUGE_PAGE_BYTES)
        return NULL;
    return n_bytes >= 2 * HUGE_PAGE_BYTES ? alloc_huge(n_bytes) : aligned_alloc(LINE_BYTES, rounded(n_bytes, LINE_BYTES));
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
