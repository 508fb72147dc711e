// The speed of light of a GPU: how fast CUB's sum reads so many bytes, as a library that the benchmarks load.
//
// nvcc -O3 -shared -Xcompiler -fPIC -o speed_of_light.so speed_of_light.cu
#include <cub/device/device_reduce.cuh>

static void *scratch;
static size_t scratch_bytes;
static float *sum;

// Memory for sums of up to n floats; 0, or an error of the CUDA runtime.
extern "C" int speed_of_light_prepare(size_t n)
{
    size_t n_bytes = 0;
    cudaError_t code = cub::DeviceReduce::Sum(nullptr, n_bytes, (const float *)nullptr, (float *)nullptr, (long long)n);
    if (code == cudaSuccess && sum == nullptr)
        code = cudaMalloc(&sum, sizeof *sum);
    if (code == cudaSuccess && n_bytes > scratch_bytes) {
        cudaFree(scratch);
        scratch = nullptr, scratch_bytes = 0;
        code = cudaMalloc(&scratch, n_bytes);
        scratch_bytes = code == cudaSuccess ? n_bytes : 0;
    }
    return (int)code;
}

// Milliseconds of one sum of n floats at a device address, between two events; less than 0 is minus an error.
extern "C" float speed_of_light_milliseconds(const void *data, size_t n)
{
    cudaEvent_t begin, end;
    float milliseconds = 0;
    size_t n_bytes = scratch_bytes;
    cudaEventCreate(&begin);
    cudaEventCreate(&end);
    cudaEventRecord(begin);
    cub::DeviceReduce::Sum(scratch, n_bytes, (const float *)data, sum, (long long)n);
    cudaEventRecord(end);
    cudaError_t code = cudaEventSynchronize(end);
    if (code == cudaSuccess)
        code = cudaEventElapsedTime(&milliseconds, begin, end);
    cudaEventDestroy(begin);
    cudaEventDestroy(end);
    return code == cudaSuccess ? milliseconds : -(float)code;
}
