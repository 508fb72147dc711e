/* Allocations by mmap: fences of a known pattern inside the pages, forbidden pages outside, a quarantine after the end. */
#include "memory.h"

#include "control.h"
#include "driver_state.h"

#include <algorithm>
#include <cstring>
#include <list>
#include <sys/mman.h>
#include <unistd.h>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(address, n) ((void)(address), (void)(n))
#define ASAN_UNPOISON_MEMORY_REGION(address, n) ((void)(address), (void)(n))
#endif

namespace gp_emu {
namespace {

constexpr unsigned char new_byte = 0xcd, fence_byte = 0xfb;
constexpr size_t max_quarantine = 2000;

std::map<uint64_t, Allocation *> by_map; /* key: lowest byte of the map */
std::list<Allocation *> quarantine;
uint64_t n_made;
uint64_t used_bytes[max_devices], limit_bytes[max_devices];
int n_open[max_devices];

size_t page_bytes()
{
    static const size_t n = (size_t)sysconf(_SC_PAGESIZE);
    return n;
}

char *usable(const Allocation *a) { return a->map + page_bytes(); }
size_t usable_bytes(const Allocation *a) { return a->map_bytes - 2 * page_bytes(); }
char *end_of(const Allocation *a) { return (char *)a->start + a->n_bytes; }

bool is_of_device(const Allocation *a) { return a->kind == Kind::device || a->kind == Kind::pool; }

/* The parts of the usable pages before and after what was asked for. */
template <typename Function> void each_fence(const Allocation *a, Function function)
{
    char *first = usable(a), *last = usable(a) + usable_bytes(a);
    function(first, (size_t)((char *)a->start - first));
    function(end_of(a), (size_t)(last - end_of(a)));
}

void protect(const Allocation *a, int how)
{
    mprotect(usable(a), usable_bytes(a), how);
}

bool is_open(const Allocation *a) { return !is_of_device(a) || n_open[a->device] > 0; }

void open_one(const Allocation *a)
{
    if (!is_open(a))
        protect(a, PROT_READ | PROT_WRITE);
}

void close_one(const Allocation *a)
{
    if (!is_open(a))
        protect(a, PROT_NONE);
}

/* The address and value of a changed byte of a fence. */
bool find_broken(const Allocation *a, uint64_t *at)
{
    bool is_broken = false;
    each_fence(a, [&](char *from, size_t n) {
        for (size_t i = 0; i < n && !is_broken; i++)
            if ((unsigned char)from[i] != fence_byte) {
                *at = (uint64_t)(uintptr_t)(from + i);
                is_broken = true;
            }
    });
    return is_broken;
}

void fill_fences(const Allocation *a)
{
    each_fence(a, [](char *from, size_t n) { memset(from, fence_byte, n); });
}

void check_fence(const Allocation *a)
{
    open_one(a);
    each_fence(a, [](char *from, size_t n) { ASAN_UNPOISON_MEMORY_REGION(from, n); });
    uint64_t at;
    if (find_broken(a, &at)) {
        note_problem("out-of-bounds write: the byte at %s was changed", describe_address(at).c_str());
        fill_fences(a);
    }
    each_fence(a, [](char *from, size_t n) { ASAN_POISON_MEMORY_REGION(from, n); });
    close_one(a);
}

void forget_oldest()
{
    Allocation *a = quarantine.front();
    quarantine.pop_front();
    by_map.erase((uint64_t)(uintptr_t)a->map);
    munmap(a->map, a->map_bytes);
    delete a;
}

} // namespace

const char *kind_name(Kind kind)
{
    switch (kind) {
    case Kind::device: return "device";
    case Kind::pool: return "stream-ordered device";
    case Kind::managed: return "managed";
    case Kind::pinned: return "pinned";
    }
    return "?";
}

Allocation *memory_new(Kind kind, size_t n_bytes, Context *context, int device, unsigned flags)
{
    if (kind != Kind::pinned && limit_bytes[device] && used_bytes[device] + n_bytes > limit_bytes[device])
        return nullptr;
    const size_t page = page_bytes();
    if (n_bytes > ((size_t)1 << 44))
        return nullptr;
    size_t pages = (n_bytes + page - 1) / page * page;
    void *map = mmap(nullptr, pages + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (map == MAP_FAILED)
        return nullptr;
    Allocation *a = new Allocation();
    a->map = (char *)map;
    a->map_bytes = pages + 2 * page;
    /* As near to the forbidden page behind as the alignment allows. */
    size_t alignment = (size_t)settings.alignment;
    a->start = (uint64_t)(uintptr_t)(usable(a) + (pages - n_bytes) / alignment * alignment);
    a->n_bytes = n_bytes;
    a->kind = kind;
    a->context = context;
    a->device = device;
    a->flags = flags;
    a->serial = ++n_made;
    a->is_live = true;
    protect(a, PROT_READ | PROT_WRITE);
    memset((void *)a->start, new_byte, n_bytes);
    fill_fences(a);
    each_fence(a, [](char *from, size_t n) { ASAN_POISON_MEMORY_REGION(from, n); });
    close_one(a);
    by_map[(uint64_t)(uintptr_t)map] = a;
    if (kind != Kind::pinned)
        used_bytes[device] += n_bytes;
    return a;
}

void memory_end(Allocation *a)
{
    check_fence(a);
    a->is_live = false;
    if (a->kind != Kind::pinned)
        used_bytes[a->device] -= a->n_bytes;
    ASAN_UNPOISON_MEMORY_REGION(usable(a), usable_bytes(a));
    madvise(usable(a), usable_bytes(a), MADV_DONTNEED);
    protect(a, PROT_NONE);
    quarantine.push_back(a);
    if (quarantine.size() > max_quarantine)
        forget_oldest();
}

Allocation *memory_at(uint64_t address)
{
    auto after = by_map.upper_bound(address);
    if (after == by_map.begin())
        return nullptr;
    Allocation *a = std::prev(after)->second;
    return address < (uint64_t)(uintptr_t)a->map + a->map_bytes ? a : nullptr;
}

Allocation *memory_around(uint64_t address, size_t n_bytes)
{
    Allocation *a = memory_at(address);
    if (!a || !a->is_live || address < a->start || n_bytes > a->n_bytes || address - a->start > a->n_bytes - n_bytes)
        return nullptr;
    return a;
}

void memory_open(int device)
{
    if (n_open[device] == 0)
        for (auto &entry : by_map)
            if (entry.second->is_live && entry.second->device == device)
                open_one(entry.second);
    n_open[device]++;
}

void memory_close(int device)
{
    if (--n_open[device] == 0)
        for (auto &entry : by_map)
            if (entry.second->is_live && entry.second->device == device)
                close_one(entry.second);
}

bool memory_allow_host(uint64_t address)
{
    Allocation *a = memory_at(address);
    if (!a || !a->is_live || !is_of_device(a) || address < (uint64_t)(uintptr_t)usable(a) ||
        address >= (uint64_t)(uintptr_t)usable(a) + usable_bytes(a))
        return false;
    protect(a, PROT_READ | PROT_WRITE);
    return true;
}

void check_fences()
{
    for (auto &entry : by_map)
        if (entry.second->is_live)
            check_fence(entry.second);
}

std::string list_memory()
{
    std::string text;
    for (auto &entry : by_map) {
        const Allocation *a = entry.second;
        if (a->is_live)
            text += text_of("%s memory: %zu bytes on device %d (allocation %llu)\n", kind_name(a->kind), a->n_bytes,
                            a->device, (unsigned long long)a->serial);
    }
    return text;
}

void memory_end_all_of(Context *context)
{
    for (auto &entry : by_map)
        if (entry.second->is_live && entry.second->context == context) {
            Allocation *a = entry.second;
            memory_end(a);
            memory_end_all_of(context); /* the map may have lost its oldest entry */
            return;
        }
}

std::string describe_address(uint64_t address)
{
    const Allocation *a = memory_at(address);
    if (!a)
        return text_of("0x%llx, which is no memory of CUDA's", (unsigned long long)address);
    std::string what = text_of("%s memory of %zu bytes on device %d (allocation %llu%s)", kind_name(a->kind), a->n_bytes,
                               a->device, (unsigned long long)a->serial, a->is_live ? "" : ", freed");
    if (address < a->start)
        return text_of("%llu bytes before %s", (unsigned long long)(a->start - address), what.c_str());
    if (address >= a->start + a->n_bytes)
        return text_of("%llu bytes after the end of %s", (unsigned long long)(address - a->start - a->n_bytes),
                       what.c_str());
    return text_of("byte %llu of %s", (unsigned long long)(address - a->start), what.c_str());
}

} // namespace gp_emu

using namespace gp_emu;

/* Allocations beyond so many bytes on a device fail; 0: no limit. */
GP_EMU_API void emu_set_memory_limit(int device, uint64_t n_bytes)
{
    std::lock_guard<std::recursive_mutex> hold(lock);
    limit_bytes[device] = n_bytes;
}

GP_EMU_API uint64_t emu_memory_used(int device)
{
    std::lock_guard<std::recursive_mutex> hold(lock);
    return used_bytes[device];
}
