/* Shared memory lies at the end of its pages, so that running over the last array faults. */
#include "shared_arena.h"

#include "control.h"

#include <cstdlib>
#include <cstring>
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

constexpr size_t limit_bytes = 48 * 1024, fence_bytes = 64;
constexpr size_t arena_bytes = 2 * limit_bytes; /* room for the fences */
constexpr unsigned char new_byte = 0xff, fence_byte = 0xfb;

struct Array {
    std::string name;
    char *start;
    size_t n_bytes;
};

char *arena;
size_t used, asked; /* with and without fences */
std::vector<Array> arrays;

void make_arena()
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    char *map = (char *)mmap(nullptr, arena_bytes + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (map == MAP_FAILED || mprotect(map + page, arena_bytes, PROT_READ | PROT_WRITE))
        abort();
    arena = map + page;
}

} // namespace

void shared_begin()
{
    if (!arena)
        make_arena();
    ASAN_UNPOISON_MEMORY_REGION(arena, arena_bytes);
    used = asked = 0;
    arrays.clear();
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
    char *fence = start + n_bytes; /* up to what was declared before */
    memset(fence, fence_byte, (size_t)(arena + arena_bytes - before - fence));
    memset(start, new_byte, n_bytes);
    used += fence_bytes;
    memset(arena + arena_bytes - used, fence_byte, fence_bytes);
    ASAN_POISON_MEMORY_REGION(fence, (size_t)(arena + arena_bytes - before - fence));
    ASAN_POISON_MEMORY_REGION(arena + arena_bytes - used, fence_bytes);
    arrays.push_back({name, start, n_bytes});
    return start;
}

bool shared_end(const char *kernel)
{
    ASAN_UNPOISON_MEMORY_REGION(arena, arena_bytes);
    const char *end = arena + arena_bytes;
    for (size_t i = 0; i < arrays.size(); i++) {
        const Array &array = arrays[i];
        const char *after = array.start + array.n_bytes;
        for (const char *at = array.start - fence_bytes; at < end; at++) {
            if (at == array.start)
                at = after;
            if (at < end && (unsigned char)*at != fence_byte) {
                note_problem("out-of-bounds write in kernel %s: %td bytes %s shared array %s of %zu bytes", kernel,
                             at < array.start ? array.start - at : at - after + 1,
                             at < array.start ? "before" : "past the end of", array.name.c_str(), array.n_bytes);
                return false;
            }
        }
        end = array.start - fence_bytes;
    }
    return true;
}

std::string describe_shared(const void *address)
{
    const char *at = (const char *)address;
    if (!arena || at < arena - 4096 || at >= arena + arena_bytes + 4096)
        return "";
    for (const Array &array : arrays)
        if (at >= array.start)
            return text_of("byte %td of shared array %s of %zu bytes", at - array.start, array.name.c_str(), array.n_bytes);
    return "shared memory that no array has";
}

} // namespace gp_emu
