/* Compiles one kernel module for a list of architectures by NVRTC, as gpuplot does at first use, and writes the images into a pack. */
#define _GNU_SOURCE
#include "cuda/runtime/image_pack.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/*
 * usage: make_images MODULE DEFINE SOURCE OUTPUT ARCH...   (GPUPLOT_NVRTC names the library)
 * An ARCH is sm_80 (machine code) or compute_75 (PTX); with a question mark behind it is left out where the compiler does not
 * know it. With GPUPLOT_KERNEL_CACHE in the environment, what was compiled before of the same text is taken from that folder.
 */
enum { MAX_SOURCE_BYTES = 1 << 22 };

static int fail(const char *what, const char *words)
{
    fprintf(stderr, "make_images: %s: %s\n", what, words);
    return 1;
}

/* The text of a file, a zero behind it; NULL where it cannot be read. */
static char *read_text(const char *path, size_t *n_bytes)
{
    FILE *file = fopen(path, "rb");
    char *text = calloc(1, MAX_SOURCE_BYTES);
    *n_bytes = file != NULL && text != NULL ? fread(text, 1, MAX_SOURCE_BYTES - 1, file) : 0;
    if (file != NULL)
        fclose(file);
    if (*n_bytes > 0)
        return text;
    free(text);
    return NULL;
}

/* Images in the order of the command line. */
typedef struct image_list {
    gp_cuda_pack_entry entries[GP_PACK_MAX_IMAGES];
    void *data[GP_PACK_MAX_IMAGES];
    int n;
} image_list;

/* One architecture of the command line: compiled and added to `images`, or left out where that is allowed. */
static gp_status add_image(const gp_cuda_image *module, const char *word, image_list *images, gp_error *error)
{
    bool is_ptx = strncmp(word, "compute_", 8) == 0, is_optional = word[strlen(word) - 1] == '?', is_known = false;
    int length = (int)strcspn(word, "?"), capability = atoi(strchr(word, '_') != NULL ? strchr(word, '_') + 1 : "");
    char arch[32];
    gp_cuda_binary binary = {0};
    GP_TRY(gp_cuda_nvrtc_knows(capability, &is_known, error));
    if (!is_known && is_optional)
        return GP_OK;
    if (!is_known || images->n == GP_PACK_MAX_IMAGES)
        return gp_fail(error, GP_ERR_VALUE, "GPUPLOT_CUDA_ARCHS: NVRTC %d.%d makes no code for %.20s: leave it out",
                       gp_cuda_nvrtc_version() / 1000, gp_cuda_nvrtc_version() % 1000 / 10, word);
    snprintf(arch, sizeof arch, "%.*s", length, word);
    GP_TRY(gp_cuda_compile_for(module, arch, &binary, error));
    images->entries[images->n] = (gp_cuda_pack_entry){
        .capability = (uint32_t)capability, .is_ptx = is_ptx, .n_bytes = binary.n_bytes};
    images->data[images->n++] = binary.data;
    return GP_OK;
}

/* Each image is a stream of its own, behind the entries. */
static gp_cuda_pack_head lay_out(image_list *images)
{
    uint64_t at = sizeof(gp_cuda_pack_head) + (uint64_t)images->n * sizeof images->entries[0];
    for (int i = 0; i < images->n; i++) {
        gp_cuda_pack_entry *entry = &images->entries[i];
        entry->stream = at;
        entry->n_packed_bytes = entry->n_stream_bytes = entry->n_bytes;
        at += entry->n_bytes;
    }
    return (gp_cuda_pack_head){.magic = GP_PACK_MAGIC,
                               .nvrtc_version = (uint32_t)gp_cuda_nvrtc_version(),
                               .n_images = (uint32_t)images->n,
                               .n_bytes = at};
}

/* The file is there whole or not at all. */
static gp_status write_pack(const char *path, image_list *images, gp_error *error)
{
    char part[4096];
    gp_cuda_pack_head head = lay_out(images);
    int n = snprintf(part, sizeof part, "%s.part", path);
    FILE *file = n > 0 && (size_t)n < sizeof part ? fopen(part, "wb") : NULL;
    bool is_written = file != NULL && fwrite(&head, sizeof head, 1, file) == 1 &&
                      fwrite(images->entries, sizeof images->entries[0], (size_t)images->n, file) == (size_t)images->n;
    for (int i = 0; i < images->n && is_written; i++)
        is_written = fwrite(images->data[i], (size_t)images->entries[i].n_bytes, 1, file) == 1;
    is_written = file != NULL && fclose(file) == 0 && is_written;
    if (is_written && rename(part, path) == 0)
        return GP_OK;
    (void)unlink(part);
    return gp_fail(error, GP_ERR_DEVICE, "cannot write %.200s", path);
}

int main(int argc, char **argv)
{
    size_t n_bytes = 0;
    gp_error error = {0};
    image_list images = {0};
    gp_status status = GP_OK;
    const char *cache = getenv("GPUPLOT_KERNEL_CACHE");
    if (argc < 6)
        return fail("usage", "make_images MODULE DEFINE SOURCE OUTPUT ARCH...");
    (void)setenv("XDG_CACHE_HOME", cache != NULL ? cache : "/dev/null",
                 1); /* where compiled kernels are kept: no user's folder */
    char *text = read_text(argv[3], &n_bytes);
    if (text == NULL)
        return fail(argv[3], "cannot be read");
    gp_cuda_image module = {.module = argv[1], .define = argv[2], .source = text, .source_end = text + n_bytes};
    for (int i = 5; i < argc && status == GP_OK; i++)
        status = add_image(&module, argv[i], &images, &error);
    if (status == GP_OK && images.n == 0)
        status = gp_fail(&error, GP_ERR_VALUE, "GPUPLOT_CUDA_ARCHS: no architecture is left");
    if (status == GP_OK)
        status = write_pack(argv[4], &images, &error);
    for (int i = 0; i < images.n; i++)
        free(images.data[i]);
    free(text);
    return status == GP_OK ? 0 : fail(argv[1], error.message);
}
