/* Text chunks of a PNG: the check of keywords, and the choice between the two encodings of a text. */
#ifndef GP_PNG_TEXT_H
#define GP_PNG_TEXT_H

#include "png_encoder.h"

/* A checked text. value is latin-1 (tEXt) or, if it has other characters, UTF-8 (iTXt). */
typedef struct gp_png_chunk_text {
    char key[80]; /* latin-1 */
    char *value;
    bool is_utf8;
} gp_png_chunk_text;

/* One entry per text of the options; free with gp_png_texts_free, also after a failure. */
gp_status gp_png_texts_from(const gp_png_options *options, gp_png_chunk_text **out, gp_error *error) GP_MUST_CHECK;
void gp_png_texts_free(gp_png_chunk_text *texts, int n_texts);

#endif
