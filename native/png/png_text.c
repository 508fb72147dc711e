/* Checks and converts UTF-8 keywords and values for the tEXt and iTXt chunks of a PNG. */
#include "png_text.h"
#include "../core/base/alloc.h"

#define VALUE_BYTES_MAX (1 << 30) /* chunk lengths have 31 bits */

/* The next code point; -1 where the bytes are not UTF-8. */
static int32_t next_code_point(const uint8_t **at)
{
    static const int32_t smallest[4] = {0, 0x80, 0x800, 0x10000}; /* shorter forms must be used below these */
    const uint8_t *bytes = *at;
    int n_more = bytes[0] < 0x80 ? 0 : bytes[0] >> 5 == 6 ? 1 : bytes[0] >> 4 == 14 ? 2 : bytes[0] >> 3 == 30 ? 3 : -1;
    if (n_more < 0)
        return -1;
    int32_t point = n_more == 0 ? bytes[0] : bytes[0] & (0x3F >> n_more);
    for (int k = 1; k <= n_more; k++) {
        if (bytes[k] >> 6 != 2) /* the terminating zero included */
            return -1;
        point = point << 6 | (bytes[k] & 0x3F);
    }
    bool is_surrogate = point >= 0xD800 && point < 0xE000;
    if (point < smallest[n_more] || point > 0x10FFFF || is_surrogate)
        return -1;
    *at = bytes + n_more + 1;
    return point;
}

/* Printable latin-1, 1 to 79 characters, spaces single and only inside. */
static gp_status key_from(const char *utf8, char out[80], gp_error *error)
{
    const uint8_t *at = (const uint8_t *)utf8;
    int n_chars = 0;
    while (*at != 0) {
        int32_t point = next_code_point(&at);
        bool is_printable = (point >= 32 && point < 127) || (point > 160 && point < 256);
        if (!is_printable)
            return gp_fail(error, GP_ERR_VALUE,
                           "metadata key %.120s: a PNG keyword has printable Latin-1 characters only; rename the key", utf8);
        if (point == ' ' && (n_chars == 0 || out[n_chars - 1] == ' ' || *at == 0))
            return gp_fail(error, GP_ERR_VALUE,
                           "metadata key '%.120s': no space may lead, end or follow another one; rename the key", utf8);
        if (n_chars == 79)
            return gp_fail(error, GP_ERR_VALUE, "metadata key %.80s...: a PNG keyword has at most 79 characters", utf8);
        out[n_chars++] = (char)(uint8_t)point;
    }
    out[n_chars] = 0;
    return n_chars > 0 ? GP_OK : gp_fail(error, GP_ERR_VALUE, "a metadata key is empty; a PNG keyword has 1 to 79 characters");
}

static gp_status value_from(const char *utf8, gp_png_chunk_text *out, gp_error *error)
{
    size_t n_bytes = strlen(utf8);
    if (n_bytes > VALUE_BYTES_MAX)
        return gp_fail(error, GP_ERR_OVERFLOW, "metadata %s has %zu bytes; at most %d fit", out->key, n_bytes, VALUE_BYTES_MAX);
    GP_TRY(gp_alloc_zeroed(n_bytes + 1, &out->value, error));
    const uint8_t *at = (const uint8_t *)utf8;
    size_t n_chars = 0;
    while (*at != 0) {
        int32_t point = next_code_point(&at);
        if (point < 0)
            return gp_fail(error, GP_ERR_VALUE, "metadata %s is not valid UTF-8; pass an ordinary string", out->key);
        out->is_utf8 = out->is_utf8 || point > 255;
        out->value[n_chars++] = (char)(uint8_t)(point & 255);
    }
    out->value[n_chars] = 0;
    if (out->is_utf8)
        memcpy(out->value, utf8, n_bytes + 1);
    return GP_OK;
}

gp_status gp_png_texts_from(const gp_png_options *options, gp_png_chunk_text **out, gp_error *error)
{
    *out = NULL;
    if (options->n_texts <= 0)
        return GP_OK;
    GP_TRY(gp_alloc_zeroed((size_t)options->n_texts * sizeof **out, out, error));
    for (int i = 0; i < options->n_texts; i++) {
        GP_TRY(key_from(options->texts[i].key, (*out)[i].key, error));
        GP_TRY(value_from(options->texts[i].value, &(*out)[i], error));
    }
    return GP_OK;
}

void gp_png_texts_free(gp_png_chunk_text *texts, int n_texts)
{
    for (int i = 0; texts != NULL && i < n_texts; i++)
        free(texts[i].value);
    free(texts);
}
