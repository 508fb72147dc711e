/* Chooses the image for a GPU among those of a pack, and expands it. */
#include "image_pack.h"

#include "../../core/base/alloc.h"
#include "../../core/base/lzma.h"

#include <string.h>

const gp_cuda_pack_head *gp_cuda_pack_of(const gp_cuda_image *image)
{
    const gp_cuda_pack_head *head = (const gp_cuda_pack_head *)(const void *)image->pack; /* aligned by GP_EMBED */
    bool is_pack = image->pack_end > image->pack && memcmp(head->magic, GP_PACK_MAGIC, sizeof head->magic) == 0;
    return is_pack && head->n_bytes == (uint64_t)(image->pack_end - image->pack) ? head : NULL;
}

const gp_cuda_pack_entry *gp_cuda_pack_entries(const gp_cuda_pack_head *pack)
{
    return (const gp_cuda_pack_entry *)(const void *)(pack + 1);
}

/* ---- choosing ---------------------------------------------------------------------------------------------------------- */

/* Machine code runs on later GPUs of the same major number, PTX on all later ones. */
static bool runs_on(const gp_cuda_pack_entry *entry, int capability)
{
    int own = (int)entry->capability;
    return own <= capability && (entry->is_ptx || own / 10 == capability / 10);
}

static int newest(const gp_cuda_pack_head *pack, bool is_ptx, int capability)
{
    const gp_cuda_pack_entry *entries = gp_cuda_pack_entries(pack);
    int best = -1;
    for (int i = 0; i < (int)pack->n_images; i++) {
        if ((entries[i].is_ptx != 0) == is_ptx && runs_on(&entries[i], capability) &&
            (best < 0 || entries[i].capability > entries[best].capability))
            best = i;
    }
    return best;
}

int gp_cuda_pack_choose(const gp_cuda_pack_head *pack, int capability, int driver_version, int out[2])
{
    int n = 0, compiler = (int)pack->nvrtc_version;
    int code = driver_version / 1000 >= compiler / 1000 ? newest(pack, false, capability) : -1;
    int ptx = driver_version >= compiler ? newest(pack, true, capability) : -1;
    if (code >= 0)
        out[n++] = code;
    if (ptx >= 0)
        out[n++] = ptx;
    return n;
}

/* ---- expanding --------------------------------------------------------------------------------------------------------- */

/* Whether an entry's stream is within the pack, and its image within the stream. */
static bool is_inside(const gp_cuda_pack_head *pack, const gp_cuda_pack_entry *entry)
{
    return entry->stream <= pack->n_bytes && entry->n_packed_bytes <= pack->n_bytes - entry->stream &&
           entry->begin <= entry->n_stream_bytes && entry->n_bytes <= entry->n_stream_bytes - entry->begin;
}

/* Expands the first n_bytes bytes of a stream. */
static bool expand(const gp_cuda_pack_head *pack, const gp_cuda_pack_entry *entry, uint8_t *out, size_t n_bytes)
{
    const uint8_t *packed = (const uint8_t *)pack + entry->stream;
    if (entry->n_packed_bytes != entry->n_stream_bytes)
        return gp_lzma_expand(packed, (size_t)entry->n_packed_bytes, out, n_bytes);
    memcpy(out, packed, n_bytes);
    return true;
}

gp_status gp_cuda_pack_take(const gp_cuda_pack_head *pack, int at, gp_cuda_binary *out, gp_error *error)
{
    const gp_cuda_pack_entry *entry = &gp_cuda_pack_entries(pack)[at];
    size_t end = (size_t)(entry->begin + entry->n_bytes);
    uint8_t *bytes = NULL;
    if (is_inside(pack, entry))
        GP_TRY(gp_alloc(end, &bytes, error));
    if (bytes == NULL || !expand(pack, entry, bytes, end)) {
        free(bytes);
        return gp_fail(error, GP_ERR_DEVICE, "internal: the kernels of the build cannot be unpacked");
    }
    memmove(bytes, bytes + entry->begin, (size_t)entry->n_bytes);
    *out = (gp_cuda_binary){.data = bytes, .n_bytes = (size_t)entry->n_bytes};
    return GP_OK;
}
