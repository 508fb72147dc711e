/* Where threads meet: barriers of the block, and warp functions, whose results the last lane to come works out for all. */
#include "control.h"
#include "driver_state.h"
#include "fiber.h"
#include "threads.h"

#include <cstring>

namespace gp_emu {
namespace {

const char *meet_name(Meet meet)
{
    switch (meet) {
    case Meet::sync: return "__syncwarp";
    case Meet::shuffle: return "__shfl_sync";
    case Meet::shuffle_down: return "__shfl_down_sync";
    case Meet::shuffle_xor: return "__shfl_xor_sync";
    case Meet::any: return "__any_sync";
    case Meet::all: return "__all_sync";
    case Meet::ballot: return "__ballot_sync";
    }
    return "?";
}

bool is_same(Place one, Place other)
{
    return one.line == other.line && (one.file == other.file || !strcmp(one.file, other.file));
}

unsigned first_of_warp(const Thread &thread) { return thread.index - thread.self.lane; }

Thread &lane_of(const Thread &thread, unsigned lane) { return block.threads[first_of_warp(thread) + lane]; }

/* Calls function(lane) for each lane of a mask. */
template <typename Function> void each_lane(unsigned mask, Function function)
{
    for (; mask; mask &= mask - 1)
        function((unsigned)__builtin_ctz(mask));
}

/* A mask must have the caller in it, and nobody who cannot come. */
void check_mask(const Thread &thread)
{
    unsigned n_left = block.n_threads - first_of_warp(thread), there = n_left < 32 ? (1u << n_left) - 1u : ~0u;
    const Warp &warp = block.warps[thread.index / 32];
    const char *name = meet_name(thread.meet);
    if (!(thread.mask >> thread.self.lane & 1u))
        fail_launch(CUDA_ERROR_LAUNCH_FAILED, "%s at %s: the mask 0x%08x does not contain the calling lane %u", name,
                    describe_place(thread.place).c_str(), thread.mask, thread.self.lane);
    if (thread.mask & ~there)
        fail_launch(CUDA_ERROR_LAUNCH_FAILED, "%s at %s names lane %d, but the block ends before it", name,
                    describe_place(thread.place).c_str(), __builtin_ctz(thread.mask & ~there));
    if (thread.mask & warp.done)
        fail_launch(CUDA_ERROR_LAUNCH_FAILED, "%s at %s waits for lane %d, which has returned", name,
                    describe_place(thread.place).c_str(), __builtin_ctz(thread.mask & warp.done));
    if (thread.width < 1 || thread.width > 32 || (thread.width & (thread.width - 1)))
        fail_launch(CUDA_ERROR_LAUNCH_FAILED, "%s at %s has a width of %d", name, describe_place(thread.place).c_str(),
                    thread.width);
}

/* The lane whose value a thread gets. */
unsigned source_lane(const Thread &thread)
{
    unsigned lane = thread.self.lane, width = (unsigned)thread.width, first = lane & ~(width - 1);
    unsigned operand = (unsigned)thread.operand, other;
    switch (thread.meet) {
    case Meet::shuffle: return first + (operand & (width - 1));
    case Meet::shuffle_down: return operand >= width || (lane & (width - 1)) + operand >= width ? lane : lane + operand;
    default: other = (lane ^ operand) & 31u; return other >= first + width ? lane : other;
    }
}

uint64_t shuffled(const Thread &thread)
{
    unsigned from = source_lane(thread);
    if (!(thread.mask >> from & 1u))
        fail_launch(CUDA_ERROR_LAUNCH_FAILED, "%s at %s reads lane %u, which is not in the mask 0x%08x", meet_name(thread.meet),
                    describe_place(thread.place).c_str(), from, thread.mask);
    return lane_of(thread, from).value;
}

/* All lanes are here: gives each its result. */
void finish_meeting(const Thread &last)
{
    uint64_t ballot = 0;
    each_lane(last.mask, [&](unsigned lane) { ballot |= (lane_of(last, lane).value & 1u) << lane; });
    each_lane(last.mask, [&](unsigned lane) {
        Thread &thread = lane_of(last, lane);
        switch (thread.meet) {
        case Meet::sync: thread.result = 0; break;
        case Meet::any: thread.result = ballot != 0; break;
        case Meet::all: thread.result = ballot == last.mask; break;
        case Meet::ballot: thread.result = ballot; break;
        default: thread.result = shuffled(thread);
        }
        thread.state = State::ready;
    });
}

/* The meeting of this warp that has this function and mask. */
Meeting &meeting_of(const Thread &thread)
{
    Warp &warp = block.warps[thread.index / 32];
    Meeting *unused = nullptr;
    for (Meeting &meeting : warp.meetings) {
        if (meeting.arrived && meeting.meet == thread.meet && meeting.mask == thread.mask)
            return meeting;
        if (!meeting.arrived && !unused)
            unused = &meeting;
    }
    *unused = {thread.meet, thread.mask, 0}; /* a lane is in one meeting, so there is room */
    return *unused;
}

} // namespace

std::string describe_place(Place place)
{
    const char *slash = strrchr(place.file, '/');
    return text_of("%s:%d", slash ? slash + 1 : place.file, place.line);
}

std::string describe_wait(const Thread &thread)
{
    std::string text = text_of("thread %u waits in %s with mask 0x%08x at %s", thread.index, meet_name(thread.meet), thread.mask,
                               describe_place(thread.place).c_str()),
                others;
    each_lane(thread.mask, [&](unsigned lane) {
        const Thread &other = lane_of(thread, lane);
        if (!others.empty())
            return;
        if (other.state == State::done)
            others = text_of(", its lane %u has returned", lane);
        else if (other.state == State::at_warp && (other.meet != thread.meet || other.mask != thread.mask))
            others = text_of(", its lane %u in %s with mask 0x%08x at %s", lane, meet_name(other.meet), other.mask,
                             describe_place(other.place).c_str());
    });
    return text + others;
}

/* ---- called by kernels ---------------------------------------------------------------------------------------------- */

void meet_block(Place place)
{
    if (block.n_at_barrier && !is_same(place, block.barrier))
        fail_launch(CUDA_ERROR_LAUNCH_FAILED, "divergence: some threads wait at __syncthreads() at %s, others at %s",
                    describe_place(block.barrier).c_str(), describe_place(place).c_str());
    block.barrier = place;
    block.n_at_barrier++;
    running_thread().state = State::at_barrier;
    fiber_leave();
}

uint64_t meet_warp(Meet what, unsigned mask, uint64_t value, int operand, int width, Place place)
{
    Thread &thread = running_thread();
    thread.meet = what;
    thread.mask = mask;
    thread.value = value;
    thread.operand = operand;
    thread.width = width;
    thread.place = place;
    check_mask(thread);
    Meeting &meeting = meeting_of(thread);
    meeting.arrived |= 1u << thread.self.lane;
    if (meeting.arrived != mask) {
        thread.state = State::at_warp;
        fiber_leave();
        return thread.result;
    }
    meeting.arrived = 0;
    finish_meeting(thread);
    if (settings.order == Order::random)
        fiber_leave(); /* whoever comes next goes on first */
    return thread.result;
}

} // namespace gp_emu
