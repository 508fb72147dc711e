/* Emulated memory: every allocation lies alone between forbidden addresses, filled, fenced, and never reused after it is freed. */
#ifndef GP_EMU_MEMORY_H
#define GP_EMU_MEMORY_H

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace gp_emu {

struct Context;

enum class Kind { device, pool, managed, pinned };
const char *kind_name(Kind kind);

struct Allocation {
    uint64_t start; /* the address handed out */
    uint64_t on_device; /* what kernels must use: another one for mapped pinned memory, as registered memory has it */
    size_t n_bytes;
    Kind kind;
    Context *context; /* that it was made in */
    int device;
    unsigned flags; /* of pinned memory */
    const void *pool; /* of stream-ordered memory that was taken of a pool somebody made */
    bool is_mapped; /* virtual memory: a part of a reserved range, which is all that its range tells */
    uint64_t serial;
    bool is_live;
    char *map; /* forbidden addresses, usable pages, forbidden addresses */
    char *device_map; /* the same pages again, or NULL */
    size_t map_bytes;
};

/* Addresses as on a GPU: device memory may not be touched by the host. NULL where the limit of the device is reached. */
Allocation *memory_new(Kind kind, size_t n_bytes, Context *context, int device, unsigned flags);

/* Checks the fences, forbids every access from now on, and remembers the addresses for messages. */
void memory_end(Allocation *allocation);

/* The allocation that contains or ends at this address, or that was freed there; NULL for foreign memory. */
Allocation *memory_at(uint64_t address);

/* The live allocation that contains n bytes from this address. */
Allocation *memory_around(uint64_t address, size_t n_bytes);

/* Where the allocation begins: on the host or on the device, whichever of its addresses this is. */
uint64_t start_seen_from(const Allocation *allocation, uint64_t address);

/* Between these two the memory of one device can be touched; the fault handler opens it piece by piece. They nest. */
void memory_open(int device);
void memory_close(int device);

/* For a kernel, which may not touch pinned memory by its host address: blocks of at most so many bytes. */
void memory_hide_pinned(bool is_hidden, size_t most_bytes);

/* The live memory that kernels of a device may write to. */
std::vector<const Allocation *> writable_memory(int device);

/* For the fault handler: opens a piece of memory around an address, where its device's memory can be touched now. */
bool memory_open_at(uint64_t address);

/* The same when the host touched it, which may be while no memory of devices can be touched: is_wrong. False for foreign memory. */
bool memory_allow_host(uint64_t address, bool *is_wrong);

/* Notes a problem for each live allocation whose fence was written to; `who` may have done it. */
void check_fences(const char *who);

/* The same for what was opened since memory_open, and what is always open. */
void check_touched_fences(const char *who);

/* One line for each live allocation; ends those of one context. */
std::string list_memory();
void memory_end_all_of(Context *context);

/* What an address is, in words for a message. */
std::string describe_address(uint64_t address);

} // namespace gp_emu

#endif
