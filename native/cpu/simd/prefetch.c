/* Finds out whether this processor follows rows that are read side by side, when the library is loaded. */
#include "prefetch.h"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

bool gp_rows_are_followed = false;

#if defined(__x86_64__)
/* AMD's family 25 is Zen 3 and Zen 4. Zen 5 gains from being asked ahead; other processors were not compared. */
static bool is_zen3_or_zen4(void)
{
    unsigned a, b, c, d;
    if (!__get_cpuid(0, &a, &b, &c, &d) || b != signature_AMD_ebx)
        return false;
    return __get_cpuid(1, &a, &b, &c, &d) && ((a >> 8) & 15) + ((a >> 20) & 255) == 25;
}

__attribute__((constructor)) static void look_at_processor(void) { gp_rows_are_followed = is_zen3_or_zen4(); }
#endif
