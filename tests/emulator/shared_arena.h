/* The shared memory of the one block that runs: arrays between fences, full of 0xFF when a block begins. */
#ifndef GP_EMU_SHARED_ARENA_H
#define GP_EMU_SHARED_ARENA_H

#include <cstddef>
#include <string>

namespace gp_emu {

/* Before the first block of a launch, and before each block. */
void shared_begin_launch();
void shared_begin();

/* The nth array that a thread of this block declares: made by the first thread, the same for every other. NULL with a
 * problem where declarations differ or there are more than 48 KB. */
void *shared_declare(int nth, const char *name, size_t n_bytes, size_t alignment, std::string *problem);

/* False, after noting a problem, where a fence was written to. */
bool shared_end(const char *kernel);

/* What an address in or near the arena is, or empty. */
std::string describe_shared(const void *address);

} // namespace gp_emu

#endif
