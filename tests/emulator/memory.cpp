/* Allocations by mmap: fences of a known pattern inside the pages, forbidden pages outside, a quarantine after the end. */
#include "memory.h"

#include "control.h"
#include "driver_state.h"
#include "poisoning.h"
#include "scheduler.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <list>
#include <set>
#include <sys/mman.h>
#include <unistd.h>

namespace gp_emu {
namespace {

constexpr unsigned char new_byte = 0xcd, fence_byte = 0xfb;
constexpr size_t max_quarantine = 2000;
constexpr size_t guard_bytes = (size_t)1 << 20; /* forbidden addresses on either side */
constexpr size_t chunk_bytes = (size_t)1 << 18; /* opened at once around an address that is touched */
constexpr unsigned mapped_flag = CU_MEMHOSTALLOC_DEVICEMAP;

std::map<uint64_t, Allocation *> by_map; /* key: lowest byte of the map */
std::map<uint64_t, Allocation *> by_device_map;
std::map<uint64_t, Allocation *> live; /* key: serial number */
std::list<Allocation *> quarantine;
uint64_t n_made;
uint64_t used_bytes[max_devices], limit_bytes[max_devices];
int n_open[max_devices];

struct Span {
    char *from;
    size_t n;
};
/* What was opened of a device's memory since it was last closed. Opening all of it for each step would cost what there is. */
std::vector<Span> opened[max_devices];

size_t page_bytes()
{
    static const size_t n = (size_t)sysconf(_SC_PAGESIZE);
    return n;
}

char *usable(const Allocation *a) { return a->map + guard_bytes; }
size_t usable_bytes(const Allocation *a) { return a->map_bytes - 2 * guard_bytes; }
char *end_of(const Allocation *a) { return (char *)a->start + a->n_bytes; }

bool is_of_device(const Allocation *a) { return a->kind == Kind::device || a->kind == Kind::pool; }

/* The parts of the usable pages before and after what was asked for. */
template <typename Function> void each_fence(const Allocation *a, Function function)
{
    char *first = usable(a), *last = usable(a) + usable_bytes(a);
    function(first, (size_t)((char *)a->start - first));
    function(end_of(a), (size_t)(last - end_of(a)));
}

void protect(const Allocation *a, int how) { mprotect(usable(a), usable_bytes(a), how); }

void open_span(const Allocation *a, char *from, char *to)
{
    mprotect(from, (size_t)(to - from), PROT_READ | PROT_WRITE);
    opened[a->device].push_back({from, (size_t)(to - from)});
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

void check_fence(const Allocation *a, const char *who)
{
    memory_open(a->device);
    each_fence(a, [](char *from, size_t n) { ASAN_UNPOISON_MEMORY_REGION(from, n); });
    uint64_t at;
    if (find_broken(a, &at)) {
        note_problem("out-of-bounds write by %s: %s", who, describe_address(at).c_str());
        fill_fences(a);
    }
    each_fence(a, [](char *from, size_t n) { ASAN_POISON_MEMORY_REGION(from, n); });
    memory_close(a->device);
}

/* Kernels see the same pages at another address. */
void map_again(Allocation *a)
{
    void *map = mmap(nullptr, a->map_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (map == MAP_FAILED ||
        mremap(usable(a), 0, usable_bytes(a), MREMAP_MAYMOVE | MREMAP_FIXED, (char *)map + guard_bytes) == MAP_FAILED)
        abort();
    a->device_map = (char *)map;
    a->on_device = a->start + (uint64_t)(a->device_map - a->map);
    by_device_map[(uint64_t)(uintptr_t)map] = a;
}

void forget_oldest()
{
    Allocation *a = quarantine.front();
    quarantine.pop_front();
    by_map.erase((uint64_t)(uintptr_t)a->map);
    munmap(a->map, a->map_bytes);
    if (a->device_map) {
        by_device_map.erase((uint64_t)(uintptr_t)a->device_map);
        munmap(a->device_map, a->map_bytes);
    }
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
    const int sharing = kind == Kind::pinned ? MAP_SHARED : MAP_PRIVATE;
    void *map = mmap(nullptr, pages + 2 * guard_bytes, PROT_NONE, sharing | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (map == MAP_FAILED)
        return nullptr;
    Allocation *a = new Allocation();
    a->map = (char *)map;
    a->map_bytes = pages + 2 * guard_bytes;
    /* As near to the forbidden page behind as the alignment allows. */
    size_t alignment = (size_t)settings.alignment;
    a->start = (uint64_t)(uintptr_t)(usable(a) + (pages - n_bytes) / alignment * alignment);
    a->on_device = a->start;
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
    if (is_of_device(a))
        protect(a, PROT_NONE);
    by_map[(uint64_t)(uintptr_t)map] = live[a->serial] = a;
    if (kind == Kind::pinned && flags & mapped_flag)
        map_again(a);
    if (kind != Kind::pinned)
        used_bytes[device] += n_bytes;
    return a;
}

void memory_end(Allocation *a)
{
    check_fence(a, "somebody");
    a->is_live = false;
    live.erase(a->serial);
    if (a->kind != Kind::pinned)
        used_bytes[a->device] -= a->n_bytes;
    ASAN_UNPOISON_MEMORY_REGION(usable(a), usable_bytes(a));
    madvise(usable(a), usable_bytes(a), a->kind == Kind::pinned ? MADV_REMOVE : MADV_DONTNEED);
    protect(a, PROT_NONE);
    if (a->device_map)
        mprotect(a->device_map + guard_bytes, usable_bytes(a), PROT_NONE);
    quarantine.push_back(a);
    if (quarantine.size() > max_quarantine)
        forget_oldest();
}

static Allocation *find_in(const std::map<uint64_t, Allocation *> &maps, uint64_t address)
{
    auto after = maps.upper_bound(address);
    if (after == maps.begin())
        return nullptr;
    auto found = std::prev(after);
    return address < found->first + found->second->map_bytes ? found->second : nullptr;
}

/* The live allocation whose usable pages an address is in. */
static const Allocation *usable_at(uint64_t address)
{
    const Allocation *a = find_in(by_map, address);
    char *at = (char *)(uintptr_t)address;
    return a && a->is_live && at >= usable(a) && at < usable(a) + usable_bytes(a) ? a : nullptr;
}

Allocation *memory_at(uint64_t address)
{
    Allocation *a = find_in(by_map, address);
    return a ? a : find_in(by_device_map, address);
}

uint64_t start_seen_from(const Allocation *a, uint64_t address)
{
    return find_in(by_map, address) == a ? a->start : a->on_device;
}

Allocation *memory_around(uint64_t address, size_t n_bytes)
{
    Allocation *a = memory_at(address);
    if (!a || !a->is_live)
        return nullptr;
    uint64_t start = start_seen_from(a, address);
    return address < start || n_bytes > a->n_bytes || address - start > a->n_bytes - n_bytes ? nullptr : a;
}

void memory_open(int device)
{
    catch_faults();
    n_open[device]++;
}

void memory_close(int device)
{
    if (--n_open[device] > 0)
        return;
    for (const Span &span : opened[device])
        if (find_in(by_map, (uint64_t)(uintptr_t)span.from))
            mprotect(span.from, span.n, PROT_NONE);
    opened[device].clear();
}

std::vector<const Allocation *> writable_memory(int device)
{
    std::vector<const Allocation *> found;
    for (auto &entry : live) {
        const Allocation *a = entry.second;
        if (a->device == device && (a->kind != Kind::pinned || a->device_map))
            found.push_back(a);
    }
    return found;
}

/* Kernels have the other address of mapped memory, and none of memory that isn't mapped. */
void memory_hide_pinned(bool is_hidden, size_t most_bytes)
{
    for (auto &entry : live) {
        const Allocation *a = entry.second;
        if (a->kind == Kind::pinned && a->n_bytes <= most_bytes)
            protect(a, is_hidden ? PROT_NONE : PROT_READ | PROT_WRITE);
    }
}

bool memory_open_at(uint64_t address)
{
    const Allocation *a = usable_at(address);
    if (!a || !is_of_device(a) || !n_open[a->device])
        return false;
    char *first = usable(a), *last = first + usable_bytes(a);
    char *from = first + ((size_t)address - (size_t)first) / chunk_bytes * chunk_bytes;
    open_span(a, from, std::min(from + chunk_bytes, last));
    return true;
}

bool memory_allow_host(uint64_t address, bool *is_wrong)
{
    *is_wrong = false;
    if (memory_open_at(address))
        return true;
    const Allocation *a = usable_at(address);
    if (!a)
        return false;
    *is_wrong = is_of_device(a);
    if (*is_wrong)
        open_span(a, usable(a), usable(a) + usable_bytes(a)); /* until a step on the device ends */
    else
        protect(a, PROT_READ | PROT_WRITE);
    return true;
}

void check_fences(const char *who)
{
    for (auto &entry : live)
        check_fence(entry.second, who);
}

void check_touched_fences(const char *who)
{
    std::set<const Allocation *> touched;
    for (const std::vector<Span> &spans : opened)
        for (const Span &span : spans)
            touched.insert(find_in(by_map, (uint64_t)(uintptr_t)span.from));
    for (auto &entry : live) {
        const Allocation *a = entry.second;
        if (!is_of_device(a) || touched.count(a))
            check_fence(a, who);
    }
}

std::string list_memory()
{
    std::string text;
    for (auto &entry : live) {
        const Allocation *a = entry.second;
        text += text_of("%s memory: %zu bytes on device %d (allocation %llu)\n", kind_name(a->kind), a->n_bytes, a->device,
                        (unsigned long long)a->serial);
    }
    return text;
}

void memory_end_all_of(Context *context)
{
    const std::map<uint64_t, Allocation *> before = live;
    for (auto &entry : before)
        if (entry.second->context == context)
            memory_end(entry.second);
}

std::string describe_address(uint64_t address)
{
    const Allocation *a = memory_at(address);
    if (!a)
        return text_of("0x%llx, which is no memory of CUDA's", (unsigned long long)address);
    std::string what = text_of("%s memory of %zu bytes on device %d (allocation %llu%s)", kind_name(a->kind), a->n_bytes,
                               a->device, (unsigned long long)a->serial, a->is_live ? "" : ", freed");
    uint64_t start = start_seen_from(a, address);
    if (address < start)
        return text_of("%llu bytes before %s", (unsigned long long)(start - address), what.c_str());
    if (address >= start + a->n_bytes)
        return text_of("%llu bytes after the end of %s", (unsigned long long)(address - start - a->n_bytes), what.c_str());
    return text_of("byte %llu of %s%s", (unsigned long long)(address - start), what.c_str(),
                   a->kind == Kind::pinned && start == a->start ? ", by its address on the host" : "");
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
