/* The order "compare": every launch runs forward, in reverse and at random, and must leave the same bytes each time. */
#include "control.h"
#include "memory.h"
#include "scheduler.h"

#include <cstring>

namespace gp_emu {
namespace {

/* What all memory that a kernel can write held. */
struct Image {
    const Allocation *allocation;
    std::vector<char> bytes;
};

std::vector<Image> take_images(int device)
{
    std::vector<Image> images;
    for (const Allocation *a : writable_memory(device)) {
        const char *from = (const char *)(uintptr_t)a->on_device;
        images.push_back({a, std::vector<char>(from, from + a->n_bytes)});
    }
    return images;
}

void put_back(const std::vector<Image> &images)
{
    for (const Image &image : images)
        memcpy((void *)(uintptr_t)image.allocation->on_device, image.bytes.data(), image.bytes.size());
}

/* Notes the first byte that differs from what the forward order gave; true if there is one. */
bool find_difference(const Launch &launch, const std::vector<Image> &forward, const char *order)
{
    for (const Image &image : forward) {
        const char *now = (const char *)(uintptr_t)image.allocation->on_device;
        if (!memcmp(now, image.bytes.data(), image.bytes.size()))
            continue;
        size_t at = 0;
        while (now[at] == image.bytes[at])
            at++;
        note_problem("kernel %s gives other bytes in %s order, first at %s", launch.kernel->name.c_str(), order,
                     describe_address(image.allocation->on_device + at).c_str());
        return true;
    }
    return false;
}

} // namespace

int run_in_all_orders(const Launch &launch)
{
    std::vector<Image> before = take_images(launch.device), forward;
    int code = 0;
    bool is_found = false;
    for (Order order : {Order::forward, Order::reverse, Order::random}) {
        settings.order = order;
        put_back(before);
        code = code ? code : run_launch(launch);
        if (order == Order::forward)
            forward = take_images(launch.device);
        else if (!code && !is_found)
            is_found = find_difference(launch, forward, order == Order::reverse ? "reverse" : "random");
    }
    settings.order = Order::compare;
    return code;
}

} // namespace gp_emu
