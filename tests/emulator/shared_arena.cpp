/* Shared memory lies at the end of its pages, and no page before it is open, so that running over either end faults. */
#include "shared_arena.h"

#include "control.h"
#include "poisoning.h"

#include <cstdlib>
#include <cstring>
#include <sys/mman.h>

namespace gp_emu {
namespace {

constexpr size_t limit_bytes = 48 * 1024, fence_bytes = 64;
constexpr size_t arena_bytes = 2 * limit_bytes;       /* room for the fences */
constexpr size_t guard_bytes = (size_t)16 << 20;      /* forbidden addresses on either side */
constexpr size_t page_bytes = 4096;
constexpr unsigned char new_byte = 0xff, fence_byte = 0xfb;

struct Array {
    std::string name;
    char *start;
    size_t n_bytes;
};

/* Bytes that must still be fences when the block ends. */
struct Fence {
    char *start;
    size_t n_bytes;
};

char *arena;
size_t used, asked; /* with and without fences */
size_t opened;      /* at the arena's end */
std::vector<Array> arrays;
std::vector<Fence> fences;

void make_arena()
{
    char *map = (char *)mmap(nullptr, arena_bytes + 2 * guard_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1,
                             0);
    if (map == MAP_FAILED)
        abort();
    arena = map + guard_bytes;
}

/* Opens so many bytes at the arena's end, in whole pages; 0 closes all. */
void open_end(size_t n_bytes)
{
    n_bytes = (n_bytes + page_bytes - 1) / page_bytes * page_bytes;
    size_t n_changed = n_bytes > opened ? n_bytes : opened;
    if (n_changed > 0 && mprotect(arena + arena_bytes - n_changed, n_changed, n_bytes > 0 ? PROT_READ | PROT_WRITE : PROT_NONE))
        abort();
    opened = n_bytes;
}

void add_fence(char *start, size_t n_bytes)
{
    memset(start, fence_byte, n_bytes);
    ASAN_POISON_MEMORY_REGION(start, n_bytes);
    fences.push_back({start, n_bytes});
}

} // namespace

void shared_begin_launch()
{
    if (!arena)
        make_arena();
    open_end(0);
}

void shared_begin()
{
    ASAN_UNPOISON_MEMORY_REGION(arena, arena_bytes);
    used = asked = 0;
    arrays.clear();
    fences.clear();
}

/* Arrays are laid out downwards from the end of the arena. */
void *shared_declare(int nth, const char *name, size_t n_bytes, size_t alignment, std::string *problem)
{
    if ((size_t)nth < arrays.size()) {
        const Array &array = arrays[(size_t)nth];
        if (array.name == name && array.n_bytes == n_bytes)
            return array.start;
        *problem = text_of("shared array %s of %zu bytes where other threads of the block declared %s of %zu", name, n_bytes,
                           array.name.c_str(), array.n_bytes);
        return nullptr;
    }
    asked += n_bytes;
    if (asked > limit_bytes) {
        *problem = text_of("more than %zu bytes of shared memory: %zu with array %s", limit_bytes, asked, name);
        return nullptr;
    }
    size_t before = used;
    used += n_bytes;
    used = (used + alignment - 1) / alignment * alignment;
    char *start = arena + arena_bytes - used;
    char *behind = start + n_bytes; /* up to what was declared before */
    if (used + fence_bytes > opened)
        open_end(used + fence_bytes);
    memset(start, new_byte, n_bytes);
    add_fence(behind, (size_t)(arena + arena_bytes - before - behind));
    used += fence_bytes;
    add_fence(arena + arena_bytes - used, fence_bytes);
    arrays.push_back({name, start, n_bytes});
    return start;
}

/* A byte of a fence, by the nearest end of an array. */
static std::string describe_fence(const char *at)
{
    ptrdiff_t distance = (ptrdiff_t)arena_bytes;
    std::string nearest;
    for (const Array &array : arrays) {
        ptrdiff_t before = array.start - at, past = at - (array.start + array.n_bytes) + 1;
        ptrdiff_t here = before > 0 ? before : past;
        if (here >= distance)
            continue;
        distance = here;
        nearest = text_of("%td bytes %s shared array %s of %zu bytes", here, before > 0 ? "before" : "past the end of",
                          array.name.c_str(), array.n_bytes);
    }
    return nearest;
}

bool shared_end(const char *kernel)
{
    ASAN_UNPOISON_MEMORY_REGION(arena, arena_bytes);
    for (const Fence &fence : fences)
        for (size_t i = 0; i < fence.n_bytes; i++)
            if ((unsigned char)fence.start[i] != fence_byte) {
                note_problem("out-of-bounds write in kernel %s: %s", kernel, describe_fence(fence.start + i).c_str());
                return false;
            }
    return true;
}

std::string describe_shared(const void *address)
{
    const char *at = (const char *)address;
    if (!arena || at < arena - guard_bytes || at >= arena + arena_bytes + guard_bytes)
        return "";
    for (const Array &array : arrays)
        if (at >= array.start)
            return text_of("byte %td of shared array %s of %zu bytes", at - array.start, array.name.c_str(), array.n_bytes);
    return "shared memory that no array has";
}

} // namespace gp_emu
