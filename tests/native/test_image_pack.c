/* Packs of images: each GPU gets the best image that it can run, and what lies outside of a pack is refused. */
#include "cuda/runtime/image_pack.h"
#include "check.h"

#include <stdint.h>
#include <string.h>

/* As tools/make_images.c lays it out, with 48 bytes for each image, all of them its place. */
enum { N_IMAGES = 8, IMAGE_BYTES = 48 };
typedef struct sample_pack {
    gp_cuda_pack_head head;
    gp_cuda_pack_entry entries[N_IMAGES];
    uint8_t images[N_IMAGES][IMAGE_BYTES];
} sample_pack;

/* What the build has by default, by NVRTC 12.9. */
static sample_pack make_pack(void)
{
    static const uint32_t archs[N_IMAGES] = {75, 80, 86, 89, 90, 100, 120, 75};
    sample_pack pack = {.head = {GP_PACK_MAGIC, 12090, N_IMAGES, sizeof pack}};
    for (int i = 0; i < N_IMAGES; i++) {
        uint64_t at = offsetof(sample_pack, images) + (uint64_t)i * IMAGE_BYTES;
        pack.entries[i] = (gp_cuda_pack_entry){archs[i], i == 7, 0, IMAGE_BYTES, at, IMAGE_BYTES, IMAGE_BYTES};
        memset(pack.images[i], i, IMAGE_BYTES);
    }
    return pack;
}

static const gp_cuda_pack_head *head_of(const sample_pack *pack, size_t n_bytes)
{
    const char *bytes = (const char *)pack;
    gp_cuda_image image = {.pack = bytes, .pack_end = bytes + n_bytes};
    return gp_cuda_pack_of(&image);
}

static void check_choice(const gp_cuda_pack_head *head, int capability, int driver, const char *want)
{
    int chosen[2], n = gp_cuda_pack_choose(head, capability, driver, chosen);
    char words[64] = "";
    for (int i = 0; i < n; i++) {
        const gp_cuda_pack_entry *entry = &gp_cuda_pack_entries(head)[chosen[i]];
        snprintf(words + strlen(words), sizeof words - strlen(words), "%s%s%u", i > 0 ? " " : "", entry->is_ptx ? "ptx" : "sm",
                 (unsigned)entry->capability);
    }
    if (strcmp(words, want) != 0)
        fprintf(stderr, "%d, driver %d: '%s', not '%s'\n", capability, driver, words, want);
    CHECK(strcmp(words, want) == 0);
}

static void test_choices(void)
{
    static const struct {
        int capability;
        const char *code;
    } wants[] = {{75, "sm75"},   {80, "sm80"},   {86, "sm86"},   {87, "sm86"},   {89, "sm89"}, {90, "sm90"},
                 {100, "sm100"}, {103, "sm100"}, {120, "sm120"}, {121, "sm120"}, {110, ""},    {130, ""}};
    sample_pack pack = make_pack();
    const gp_cuda_pack_head *head = head_of(&pack, sizeof pack);
    for (size_t i = 0; i < sizeof wants / sizeof wants[0]; i++) {
        char both[64];
        snprintf(both, sizeof both, "%s%sptx75", wants[i].code, *wants[i].code ? " " : "");
        check_choice(head, wants[i].capability, 12000, wants[i].code); /* 525: machine code of any CUDA 12, no newer PTX */
        check_choice(head, wants[i].capability, 12090, both);
        check_choice(head, wants[i].capability, 13000, both);
        check_choice(head, wants[i].capability, 11080, "");
    }
    check_choice(head, 70, 13000, "");
    check_choice(head, 61, 13000, "");
}

static void test_images_are_taken(void)
{
    sample_pack pack = make_pack();
    for (int i = 0; i < N_IMAGES; i++) {
        gp_cuda_binary binary = {0};
        gp_error error = {0};
        CHECK(gp_cuda_pack_take(head_of(&pack, sizeof pack), i, &binary, &error) == GP_OK);
        CHECK(binary.n_bytes == IMAGE_BYTES && memcmp(binary.data, pack.images[i], IMAGE_BYTES) == 0);
        gp_cuda_binary_free(&binary);
    }
}

static void check_refused(sample_pack *pack)
{
    gp_cuda_binary binary = {0};
    gp_error error = {0};
    CHECK(gp_cuda_pack_take(head_of(pack, sizeof *pack), 1, &binary, &error) == GP_ERR_DEVICE && binary.data == NULL);
    CHECK(strstr(error.message, "cannot be unpacked") != NULL);
    *pack = make_pack();
}

static void test_damage(void)
{
    sample_pack pack = make_pack();
    pack.entries[1].stream = sizeof pack - IMAGE_BYTES + 1;
    check_refused(&pack);
    pack.entries[1].stream = UINT64_MAX - 1;
    check_refused(&pack);
    pack.entries[1].n_packed_bytes = sizeof pack;
    check_refused(&pack);
    pack.entries[1].begin = 1;
    check_refused(&pack);
    pack.entries[1].n_bytes = UINT64_MAX;
    check_refused(&pack);
    pack.entries[1].n_packed_bytes--; /* then it ought to be LZMA */
    check_refused(&pack);
    CHECK(head_of(&pack, sizeof pack - 1) == NULL && head_of(&pack, 0) == NULL);
    pack.head.magic[0] ^= 1;
    CHECK(head_of(&pack, sizeof pack) == NULL);
}

int main(void)
{
    test_choices();
    test_images_are_taken();
    test_damage();
    return 0;
}
