/* Images of one kernel module for several architectures, packed into one sequence of bytes inside the library. */
#ifndef GP_CUDA_IMAGE_PACK_H
#define GP_CUDA_IMAGE_PACK_H

#include "images.h"
#include "nvrtc.h"

#include <stdint.h>

/*
 * A pack is a head, an entry for each image, and streams of bytes. Images with similar code share a stream, as kernels of one
 * module, and code for neighboring generations of GPUs, differ little. tools/make_images.c writes packs with uncompressed
 * streams, tools/compress_pack.py packs with LZMA streams; both are read.
 */
#define GP_PACK_MAGIC "GPPACK1"
enum { GP_PACK_MAX_IMAGES = 64 };

typedef struct gp_cuda_pack_head {
    char magic[8];
    uint32_t nvrtc_version; /* 1000 major + 10 minor, of the compiler */
    uint32_t n_images;
    uint64_t n_bytes; /* of the whole pack */
} gp_cuda_pack_head;

typedef struct gp_cuda_pack_entry {
    uint32_t capability; /* 10 major + minor */
    uint32_t is_ptx;
    uint64_t begin, n_bytes;          /* of the image, in its stream */
    uint64_t stream, n_stream_bytes;  /* of the stream: its first byte in the pack, and its expanded size */
    uint64_t n_packed_bytes;          /* size of the stream in the pack; n_stream_bytes if it is not compressed */
} gp_cuda_pack_entry;

/* The pack of a module; NULL if the build made none. */
const gp_cuda_pack_head *gp_cuda_pack_of(const gp_cuda_image *image);

/* The entries after a head. */
const gp_cuda_pack_entry *gp_cuda_pack_entries(const gp_cuda_pack_head *pack);

/*
 * The images of a pack that a GPU of this compute capability can run with a driver of this version (1000 major + 10 minor), best
 * first, at most two: machine code of its own generation, the newest that is not newer than it; then the newest such PTX, which the
 * driver translates. Machine code needs a driver of the compiler's major version or later, PTX one of its exact version or later.
 * Returns how many; their places among the entries are in `out`.
 */
int gp_cuda_pack_choose(const gp_cuda_pack_head *pack, int capability, int driver_version, int out[2]);

/* One image, expanded; to be freed by gp_cuda_binary_free. During the call it needs memory for its whole stream. */
gp_status gp_cuda_pack_take(const gp_cuda_pack_head *pack, int at, gp_cuda_binary *out, gp_error *error) GP_MUST_CHECK;

#endif
