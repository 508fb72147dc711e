/* Finds out how far ahead this processor wants to be asked for memory, when the library is loaded. */
#include "prefetch.h"

#if defined(__x86_64__)
#include <cpuid.h>
#include <stdbool.h>
#endif

/* What suits Zen 5 of AMD best; other processors were not compared, but for Zen 4. */
int gp_prefetch_bytes = 2048;

#if defined(__x86_64__)
/* AMD's family 25 is Zen 3 and Zen 4, of which the latter alone has AVX-512. */
static bool is_zen4(void)
{
    unsigned a, b, c, d;
    if (!__get_cpuid(0, &a, &b, &c, &d) || b != signature_AMD_ebx)
        return false;
    if (!__get_cpuid(1, &a, &b, &c, &d) || ((a >> 8) & 15) + ((a >> 20) & 255) != 25)
        return false;
    return __get_cpuid_count(7, 0, &a, &b, &c, &d) && (b & bit_AVX512F) != 0;
}

__attribute__((constructor)) static void find_distance(void)
{
    if (is_zen4())
        gp_prefetch_bytes = 0;
}
#endif
