/* Copies through pinned memory: every size around the pieces, whenever the device gets to it, and with little memory. */
#include "check.h"
#include "emulated.h"
#include "cuda/runtime/device.h"
#include "cuda/runtime/ring.h"
#include "cuda/runtime/runtime.h"
#include "cuda/runtime/scratch.h"
#include "cuda/runtime/staging.h"

#include <string.h>

/* Pieces that the ring has when so many of its allocations were refused. */
static const size_t slots[] = {(size_t)3 << 20, (size_t)1 << 20, (size_t)128 << 10};
enum { N_PIECES = 4, SLOT_MOST = 3 << 20, MOST = N_PIECES * SLOT_MOST + SLOT_MOST / 2 };

static uint8_t bytes[MOST], back[MOST + 8];

/* Device 0 with memory for four and a half pieces of a ring with so many refused allocations. */
static gp_cuda_device *enter(int n_refused, CUdeviceptr *memory)
{
    gp_cuda_device *device = NULL;
    gp_error error = {0};
    for (int i = 0; i < n_refused; i++)
        emulated()->fail("cuMemHostAlloc", i + 1, CUDA_ERROR_OUT_OF_MEMORY, 0);
    CHECK(gp_cuda_enter(0, &device, &error) == GP_OK);
    CHECK(gp_cuda_scratch(device, GP_SLOT_GATHER, MOST, memory, &error) == GP_OK);
    return device;
}

/* To the device and back, with a fence behind the end; the sizes are around one piece and around the whole ring. */
static void check_round_trip(gp_cuda_device *device, CUdeviceptr memory, size_t n_bytes)
{
    gp_error error = {0};
    for (size_t i = 0; i < n_bytes; i++)
        bytes[i] = (uint8_t)(i * 7 + i / 251 + n_bytes);
    memset(back, 0xee, n_bytes + 8);
    CHECK(gp_cuda_upload(device, memory, bytes, n_bytes, &error) == GP_OK);
    memset(bytes, 0x55, n_bytes < 64 ? n_bytes : 64); /* the caller's own again at once */
    CHECK(gp_cuda_download(device, back, memory, n_bytes, &error) == GP_OK);
    CHECK(emulated()->pending() == 0); /* the stream is idle */
    for (size_t i = 0; i < n_bytes; i++)
        CHECK(back[i] == (uint8_t)(i * 7 + i / 251 + n_bytes));
    for (int i = 0; i < 8; i++)
        CHECK(back[n_bytes + (size_t)i] == 0xee);
}

static void test_sizes(int pace, int n_refused)
{
    size_t slot = slots[n_refused];
    size_t sizes[] = {
        0, 1, 1000, slot - 1, slot, slot + 1, 2 * slot, N_PIECES * slot, N_PIECES * slot + 1, N_PIECES * slot + slot / 2};
    CUdeviceptr memory = 0;
    gp_cuda_device *device = enter(n_refused, &memory);
    emulated()->set_streams(pace, 7);
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        check_round_trip(device, memory, sizes[i]);
    gp_cuda_leave(device);
    CHECK(emulated_count("cuMemHostAlloc") == n_refused + 1);
    emulated_check_clean();
}

/* Facts and pixels are one copy and one wait. */
static void test_small_download_is_one_wait(void)
{
    gp_cuda_device *device = NULL;
    CUdeviceptr memory = 0;
    gp_error error = {0};
    CHECK(gp_cuda_enter(0, &device, &error) == GP_OK);
    CHECK(gp_cuda_scratch(device, GP_SLOT_FACTS, 4096, &memory, &error) == GP_OK);
    CHECK(gp_cuda_download(device, back, memory, 4096, &error) == GP_OK);
    int64_t n_copies = emulated_count("cuMemcpyDtoHAsync_v2"), n_waits = emulated_count("cuStreamSynchronize");
    CHECK(gp_cuda_download(device, back, memory, 4096, &error) == GP_OK);
    CHECK(emulated_count("cuMemcpyDtoHAsync_v2") == n_copies + 1 && emulated_count("cuStreamSynchronize") == n_waits + 1);
    CHECK(emulated_count("cuEventSynchronize") == 0 && emulated_count("cuEventRecord") == 0);
    gp_cuda_leave(device);
    emulated_check_clean();
}

/* A note is there after the wait of a later download, whose pieces do not touch it. */
static void test_a_note_beside_a_download(int pace)
{
    CUdeviceptr memory = 0;
    const void *note = NULL;
    gp_error error = {0};
    gp_cuda_device *device = enter(2, &memory);
    emulated()->set_streams(pace, 5);
    check_round_trip(device, memory, GP_NOTE_BYTES);
    CHECK(gp_cuda_download_note(device, memory, GP_NOTE_BYTES, &note, &error) == GP_OK);
    CHECK(gp_cuda_download(device, back, memory + GP_NOTE_BYTES, (N_PIECES - 1) * slots[2], &error) == GP_OK);
    for (size_t i = 0; i < GP_NOTE_BYTES; i++)
        CHECK(((const uint8_t *)note)[i] == (uint8_t)(i * 7 + i / 251 + GP_NOTE_BYTES));
    CHECK(gp_cuda_download_note(device, memory, GP_NOTE_BYTES + 1, &note, &error) == GP_ERR_VALUE);
    gp_cuda_leave(device);
    emulated_check_clean();
}

static void test_little_pinned_memory(int n_refused)
{
    CUdeviceptr memory = 0;
    gp_cuda_counts counts;
    gp_error error = {0};
    gp_cuda_device *device = enter(n_refused, &memory);
    if (n_refused == 3) {
        CHECK(gp_cuda_upload(device, memory, bytes, 1, &error) == GP_ERR_DEVICE && gp_cuda_is_out_of_memory(&error));
        n_refused = 0; /* the next time there is some */
    }
    check_round_trip(device, memory, 10);
    gp_cuda_leave(device);
    CHECK(gp_cuda_count(0, &counts, &error) == GP_OK && counts.n_pinned_allocs == 1);
    CHECK(counts.pinned_bytes == (int64_t)(N_PIECES * slots[n_refused] + GP_NOTE_BYTES + GP_N_FLAGS * sizeof(uint32_t)));
    emulated_check_clean();
}

/* A copy that fails in the middle leaves the ring usable: what is still under way does not land in later copies. */
static void test_failing_copies(int pace, const char *call)
{
    CUdeviceptr memory = 0;
    gp_error error = {0};
    int n_failed = 0;
    size_t n_bytes = N_PIECES * slots[2] + slots[2] / 2;
    gp_cuda_device *device = enter(2, &memory);
    check_round_trip(device, memory, 1); /* now there is a ring */
    emulated()->set_streams(pace, 3);
    for (int nth = 1; nth < 20; nth++) {
        emulated()->fail(call, nth, CUDA_ERROR_INVALID_VALUE, 0);
        gp_status status = gp_cuda_upload(device, memory, bytes, n_bytes, &error);
        if (status == GP_OK)
            status = gp_cuda_download(device, back, memory, n_bytes, &error);
        bool is_done = emulated()->failures() == 0;
        CHECK((status == GP_OK) == is_done);
        n_failed += status != GP_OK;
        emulated()->fail_clear();
        check_round_trip(device, memory, n_bytes);
        if (is_done)
            break;
    }
    CHECK(n_failed >= 1);
    gp_cuda_leave(device);
    emulated_check_clean();
}

int main(void)
{
    emulated();
    test_sizes(PACE_LATE, 0);
    for (int pace = 0; pace < N_PACES; pace++)
        test_sizes(pace, 2);
    test_small_download_is_one_wait();
    for (int pace = 0; pace < N_PACES; pace++)
        test_a_note_beside_a_download(pace);
    for (int n_refused = 1; n_refused <= 3; n_refused++)
        test_little_pinned_memory(n_refused);
    for (int pace = 0; pace < N_PACES; pace++) {
        test_failing_copies(pace, "cuMemcpyHtoDAsync_v2");
        test_failing_copies(pace, "cuMemcpyDtoHAsync_v2");
        test_failing_copies(pace, "cuEventRecord");
        test_failing_copies(pace, "cuEventSynchronize");
        test_failing_copies(pace, "cuStreamSynchronize");
    }
    return 0;
}
