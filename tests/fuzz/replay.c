/* Runs a fuzz target over files, and over the files of folders: what a fuzzer found stays a test without a fuzzer. */
#define _GNU_SOURCE
#include "check.h"
#include "input.h"

#include <dirent.h>

static int replay_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    CHECK(file != NULL && fseek(file, 0, SEEK_END) == 0);
    long n_bytes = ftell(file);
    CHECK(n_bytes >= 0 && fseek(file, 0, SEEK_SET) == 0);
    uint8_t *data = malloc(n_bytes > 0 ? (size_t)n_bytes : 1); /* of just this size: a sanitizer sees the byte beyond */
    CHECK(data != NULL && fread(data, 1, (size_t)n_bytes, file) == (size_t)n_bytes);
    fclose(file);
    fprintf(stderr, "%s\n", path); /* the last one printed is the one that failed */
    int result = LLVMFuzzerTestOneInput(data, (size_t)n_bytes);
    free(data);
    CHECK(result == 0);
    return 1;
}

static int replay_folder(const char *path)
{
    struct dirent **entries;
    int n_replayed = 0, n = scandir(path, &entries, NULL, alphasort);
    if (n < 0)
        return replay_file(path);
    for (int i = 0; i < n; i++) {
        char *inner = NULL;
        if (entries[i]->d_name[0] != '.') {
            CHECK(asprintf(&inner, "%s/%s", path, entries[i]->d_name) > 0);
            n_replayed += replay_file(inner);
        }
        free(inner);
        free(entries[i]);
    }
    free(entries);
    return n_replayed;
}

int main(int argc, char **argv)
{
    int n_replayed = 0;
    for (int i = 1; i < argc; i++)
        n_replayed += replay_folder(argv[i]);
    CHECK(n_replayed > 0); /* an empty corpus tests nothing */
    printf("%d inputs\n", n_replayed);
    return 0;
}
