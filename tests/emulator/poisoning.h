/* AddressSanitizer's marks of memory that nobody may read or write; they do nothing without it. */
#ifndef GP_EMU_POISONING_H
#define GP_EMU_POISONING_H

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(address, n) ((void)(address), (void)(n))
#define ASAN_UNPOISON_MEMORY_REGION(address, n) ((void)(address), (void)(n))
#endif

#endif
