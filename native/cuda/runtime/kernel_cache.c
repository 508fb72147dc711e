/* Keeps compiled kernels on disk, for the next process: one file for each source, architecture and compiler version. */
#define _GNU_SOURCE
#include "nvrtc.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A file is this header and the binary. A truncated or altered file fails the checksum and is not used. */
typedef struct file_header {
    char magic[8];
    uint64_t n_bytes, checksum;
} file_header;

static const char magic[8] = "GPKERN1";
static const uint64_t max_bytes = (uint64_t)256 << 20;

/* FNV-1a: tells sources apart; it is no protection against manipulation. */
static uint64_t hash_of(uint64_t hash, const void *data, size_t n_bytes)
{
    const uint8_t *bytes = data;
    for (size_t i = 0; i < n_bytes; i++)
        hash = (hash ^ bytes[i]) * UINT64_C(0x100000001b3);
    return hash;
}

static const uint64_t hash_start = UINT64_C(0xcbf29ce484222325);

/* $XDG_CACHE_HOME/gpuplot or ~/.cache/gpuplot; the XDG specification says to ignore relative values. */
static bool folder_path(char *path, size_t n_bytes)
{
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    int n = -1;
    if (cache != NULL && cache[0] == '/')
        n = snprintf(path, n_bytes, "%s/gpuplot", cache);
    else if (home != NULL && home[0] == '/')
        n = snprintf(path, n_bytes, "%s/.cache/gpuplot", home);
    return n > 0 && (size_t)n < n_bytes;
}

static bool file_path(const gp_cuda_binary_key *key, char *path, size_t n_bytes)
{
    char folder[4000];
    const gp_cuda_image *image = key->image;
    if (!folder_path(folder, sizeof folder))
        return false;
    uint64_t hash = hash_of(hash_start, image->source, (size_t)(image->source_end - image->source));
    hash = hash_of(hash, image->define, strlen(image->define));
    int n = snprintf(path, n_bytes, "%s/%s-%s-nvrtc%d-%016llx.kernels", folder, image->module, key->arch, key->nvrtc_version,
                     (unsigned long long)hash);
    return n > 0 && (size_t)n < n_bytes;
}

/* Makes the folder and its parent if they are missing; failures show when the file is opened. */
static void make_folders(void)
{
    char folder[4000];
    if (!folder_path(folder, sizeof folder))
        return;
    char *last = strrchr(folder, '/');
    *last = '\0';
    (void)mkdir(folder, 0700);
    *last = '/';
    (void)mkdir(folder, 0700);
}

static bool read_file(FILE *file, gp_cuda_binary *out)
{
    file_header header;
    if (fread(&header, sizeof header, 1, file) != 1 || memcmp(header.magic, magic, sizeof magic) != 0 || header.n_bytes == 0 ||
        header.n_bytes > max_bytes)
        return false;
    size_t n_bytes = (size_t)header.n_bytes;
    void *data = malloc(n_bytes);
    if (data == NULL || fread(data, n_bytes, 1, file) != 1 || hash_of(hash_start, data, n_bytes) != header.checksum) {
        free(data);
        return false;
    }
    *out = (gp_cuda_binary){.data = data, .n_bytes = n_bytes, .is_from_disk = true};
    return true;
}

bool gp_cuda_binary_read(const gp_cuda_binary_key *key, gp_cuda_binary *out)
{
    char path[4096];
    FILE *file = file_path(key, path, sizeof path) ? fopen(path, "rb") : NULL;
    if (file == NULL)
        return false;
    bool is_read = read_file(file, out);
    fclose(file);
    return is_read;
}

/* Writes to a temporary file and renames it, so that readers see a complete file or none. */
static bool write_file(const char *path, const gp_cuda_binary *binary)
{
    char part[4200];
    file_header header = {.n_bytes = binary->n_bytes, .checksum = hash_of(hash_start, binary->data, binary->n_bytes)};
    memcpy(header.magic, magic, sizeof magic);
    snprintf(part, sizeof part, "%s.%ld.part", path, (long)getpid());
    FILE *file = fopen(part, "wb");
    if (file == NULL)
        return false;
    bool is_written = fwrite(&header, sizeof header, 1, file) == 1 && fwrite(binary->data, binary->n_bytes, 1, file) == 1;
    is_written = fclose(file) == 0 && is_written;
    if (is_written && rename(part, path) == 0)
        return true;
    (void)unlink(part);
    return false;
}

void gp_cuda_binary_write(const gp_cuda_binary_key *key, const gp_cuda_binary *binary, char *path, size_t n_path_bytes)
{
    bool is_kept = false;
    if (file_path(key, path, n_path_bytes)) {
        make_folders();
        is_kept = write_file(path, binary);
    }
    if (!is_kept)
        path[0] = '\0';
}
