/* Numbers from a fuzzer's bytes. */
#include "input.h"

uint64_t input_bits(gp_input *input, int n_bytes)
{
    uint64_t bits = 0;
    for (int i = 0; i < n_bytes && input->n_left > 0; i++, input->at++, input->n_left--)
        bits |= (uint64_t)*input->at << (8 * i);
    return bits;
}

int64_t input_between(gp_input *input, int64_t low, int64_t high)
{
    uint64_t n = (uint64_t)high - (uint64_t)low + 1;
    return (int64_t)((uint64_t)low + input_bits(input, n <= 256 ? 1 : 8) % n);
}

bool input_one_in(gp_input *input, int n) { return (int)input_bits(input, 1) % n == n - 1; }

int64_t input_int64(gp_input *input)
{
    static const int64_t ends[] = {INT64_MAX,        INT64_MIN,        INT32_MAX,       INT32_MIN,
                                   (int64_t)1 << 59, (int64_t)1 << 62, (int64_t)1 << 53};
    switch (input_between(input, 0, 3)) {
    case 0: return input_between(input, 0, 15);
    case 1: return (int8_t)input_bits(input, 1);
    case 2: {
        uint64_t end = (uint64_t)ends[input_between(input, 0, (int64_t)(sizeof ends / sizeof *ends) - 1)];
        return (int64_t)(end + (uint64_t)(int64_t)(int8_t)input_bits(input, 1));
    }
    default: return (int64_t)input_bits(input, 8);
    }
}

double input_double(gp_input *input, int64_t n)
{
    double near = (double)input_between(input, -2, n < 120 ? n + 2 : 122);
    switch (input_between(input, 0, 4)) {
    case 0: return near + (double)input_between(input, 0, 7) / 8.0;
    case 1: return near + (double)input_bits(input, 2) / 65536.0;
    case 2: return near + (double)(int8_t)input_bits(input, 1) * 0x1p-50;
    case 3: return near * (double)n / 120.0;
    default: return gp_f64_from_bits(input_bits(input, 8));
    }
}

void input_fill(gp_input *input, void *out, size_t n_bytes)
{
    size_t n_here = n_bytes < input->n_left ? n_bytes : input->n_left;
    if (n_here > 0)
        memcpy(out, input->at, n_here);
    memset((char *)out + n_here, 0, n_bytes - n_here);
    input->at += n_here, input->n_left -= n_here;
}

void input_fill_random(gp_input *input, void *out, size_t n_bytes)
{
    uint64_t state = input_bits(input, 4) * 2 + 1;
    for (size_t i = 0; i < n_bytes; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        ((uint8_t *)out)[i] = (uint8_t)(state >> 56);
    }
}
