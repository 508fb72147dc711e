/* The driver's calls about modules and kernels: images are looked at, the kernels are those compiled into this library. */
#include "memory.h"
#include "scheduler.h"
#include "streams.h"

#include <cstring>

namespace gp_emu {

namespace {

std::vector<Module *> modules;
std::vector<Function *> functions; /* never deleted */

/* What the fake NVRTC (nvrtc.cpp) writes: this, the module's name, its architecture. */
const char own_image[] = "EMULATED-CUBIN ";

/* The architecture of an ELF file of NVIDIA's, as "sm_90": the compilers of CUDA 13, and for new GPUs that of 12, have another ABI
 * than those before, and keep it in other bits. Empty where this is none. */
std::string arch_of_elf(const uint8_t *image)
{
    const int machine = image[18] | image[19] << 8, cuda = 190, old_abi = 0x33, new_abi = 0x41;
    if (machine != cuda || (image[7] != old_abi && image[7] != new_abi))
        return "";
    return "sm_" + std::to_string(image[7] == old_abi ? image[48] : image[49]);
}

/* The architecture that a PTX text is for, as "compute_75"; empty where it does not say. */
std::string arch_of_ptx(const char *text)
{
    const char *target = strstr(text, ".target sm_");
    return target ? "compute_" + std::to_string(atoi(target + strlen(".target sm_"))) : "";
}

/* What an image is for, and of our own images the module's name; false where it is none. */
bool read_image(const void *image, std::string *name, std::string *arch)
{
    const char *text = (const char *)image;
    if (!strncmp(text, own_image, sizeof own_image - 1)) {
        std::string words = text + sizeof own_image - 1;
        *name = words.substr(0, words.find(' '));
        *arch = words.substr(words.find(' ') + 1);
    } else if (!memcmp(text, "\177ELF", 4)) {
        *arch = arch_of_elf((const uint8_t *)image);
    } else if (!memcmp(text, "//", 2) || !memcmp(text, ".ver", 4)) {
        *arch = arch_of_ptx(text);
    }
    return !arch->empty();
}

/* The number of "sm_90" or "compute_90". */
int number_of(const std::string &arch) { return atoi(arch.c_str() + arch.find('_') + 1); }

/* A cubin of another generation does not run: the major number must be the device's, the minor not above its. PTX is compiled for
 * any later one. */
CUresult check_arch(const std::string &arch, const Context *context)
{
    int number = number_of(arch), own = capability_of(context->device);
    bool is_ptx = !arch.compare(0, 8, "compute_");
    return (is_ptx || number / 10 == own / 10) && number <= own ? CUDA_SUCCESS : CUDA_ERROR_NO_BINARY_FOR_GPU;
}

/* Whether kernels of an architecture are compiled with GP_FLOAT64_IS_SLOW. */
bool is_float64_slow(const std::string &arch)
{
    int number = number_of(arch);
    return number != 70 && number != 80 && number != 90 && number != 100;
}

/* Words of the parameters that are addresses of memory: what the kernel uses, as far as can be known. */
std::vector<uint64_t> addresses_in(const std::vector<char> &args)
{
    std::vector<uint64_t> found;
    for (size_t i = 0; i + 8 <= args.size(); i += 8) {
        uint64_t word;
        memcpy(&word, args.data() + i, sizeof word);
        const Allocation *a = memory_at(word);
        if (a && a->is_live && memory_around(word, 0))
            found.push_back(word - start_seen_from(a, word) + a->start);
    }
    return found;
}

/* Whether a parameter is the host's address of pinned memory. */
bool names_pinned(const std::vector<char> &args)
{
    for (size_t i = 0; i + 8 <= args.size(); i += 8) {
        uint64_t word;
        memcpy(&word, args.data() + i, sizeof word);
        const Allocation *a = memory_at(word);
        if (a && a->is_live && a->kind == Kind::pinned && start_seen_from(a, word) == a->start)
            return true;
    }
    return false;
}

/* Large pinned memory, which takes long to hide, is hidden from kernels that are told of it, and from each eighth. */
int run_kernel(const Launch &launch)
{
    static unsigned n_runs;
    const size_t most_bytes = names_pinned(launch.args) || n_runs++ % 8 == 0 ? SIZE_MAX : (size_t)1 << 20;
    memory_hide_pinned(true, most_bytes);
    int code = settings.order == Order::compare ? run_in_all_orders(launch) : run_launch(launch);
    memory_hide_pinned(false, most_bytes);
    check_touched_fences(("kernel " + launch.kernel->name).c_str());
    return code;
}

CUresult check_shape(const Launch &launch, unsigned shared_bytes)
{
    const dim3 &grid = launch.grid, &block = launch.block;
    uint64_t n_threads = (uint64_t)block.x * block.y * block.z;
    const char *name = launch.kernel->name.c_str();
    if (!grid.x || !grid.y || !grid.z || !n_threads || grid.x > 0x7fffffffu || grid.y > 65535 || grid.z > 65535 ||
        n_threads > 1024 || block.z > 64) {
        note_problem("kernel %s: a grid of %u x %u x %u blocks of %u x %u x %u threads cannot be launched", name, grid.x, grid.y,
                     grid.z, block.x, block.y, block.z);
        return CUDA_ERROR_INVALID_VALUE;
    }
    if (n_threads > launch.kernel->max_threads) {
        note_problem("kernel %s: %llu threads, more than the %u of its GP_KERNEL", name, (unsigned long long)n_threads,
                     launch.kernel->max_threads);
        return LAUNCH_OUT_OF_RESOURCES;
    }
    if (shared_bytes) {
        note_problem("kernel %s: %u bytes of dynamic shared memory, which kernels have no word for", name, shared_bytes);
        return CUDA_ERROR_INVALID_VALUE;
    }
    return CUDA_SUCCESS;
}

} // namespace

void end_modules_of(Context *context)
{
    for (Module *module : modules) {
        if (module->context == context && module->is_live) {
            module->is_live = false;
            end_handle(module);
        }
    }
}

std::string list_modules()
{
    std::string text;
    for (const Module *module : modules)
        if (module->is_live)
            text += text_of("module %s on device %d\n", module->name.c_str(), module->context->device);
    return text;
}

} // namespace gp_emu

using namespace gp_emu;

GP_EMU_CALL cuModuleLoadData(CUmodule *module, const void *image)
{
    GP_EMU_BEGIN(Needs::context)
    std::string name, arch;
    if (!read_image(image, &name, &arch))
        return CUDA_ERROR_INVALID_IMAGE;
    if (CUresult code = check_arch(arch, call.context))
        return code;
    Module *made = new Module{call.context, name, arch, true};
    modules.push_back(made);
    add_handle(Handle::module, made);
    *module = (CUmodule)made;
    return CUDA_SUCCESS;
}

GP_EMU_CALL cuModuleUnload(CUmodule handle)
{
    GP_EMU_BEGIN_RELEASE(Needs::context)
    Module *module = (Module *)handle;
    if (!is_handle(Handle::module, module) || module->context != call.context) {
        note_problem("cuModuleUnload was given no live module of the current context");
        return CUDA_ERROR_INVALID_HANDLE;
    }
    module->is_live = false;
    end_handle(module);
    return call.failure;
}

GP_EMU_CALL cuModuleGetFunction(CUfunction *function, CUmodule handle, const char *name)
{
    GP_EMU_BEGIN(Needs::context)
    Module *module = (Module *)handle;
    if (!is_handle(Handle::module, module) || module->context != call.context) {
        note_problem("cuModuleGetFunction was given no live module of the current context");
        return CUDA_ERROR_INVALID_HANDLE;
    }
    const Kernel *kernel = find_kernel(name, is_float64_slow(module->arch));
    if (!kernel || (!module->name.empty() && kernel->module != module->name))
        return CUDA_ERROR_NOT_FOUND;
    functions.push_back(new Function{module, kernel});
    add_handle(Handle::function, functions.back());
    *function = (CUfunction)functions.back();
    return CUDA_SUCCESS;
}

GP_EMU_CALL cuLaunchKernel(CUfunction handle, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                           unsigned block_y, unsigned block_z, unsigned shared_bytes, CUstream stream_handle, void **parameters,
                           void **extra)
{
    GP_EMU_BEGIN(Needs::context)
    Stream *stream;
    if (CUresult code = begin_work(stream_handle, call, &stream))
        return code;
    Function *function = (Function *)handle;
    if (!is_handle(Handle::function, function) || !function->module->is_live || function->module->context != call.context) {
        note_problem("cuLaunchKernel was given no function of a live module of the current context");
        return CUDA_ERROR_INVALID_HANDLE;
    }
    if (extra || !parameters || !parameters[0])
        return CUDA_ERROR_INVALID_VALUE;
    const char *bytes = (const char *)parameters[0];
    Launch launch{function->kernel,
                  {grid_x, grid_y, grid_z},
                  {block_x, block_y, block_z},
                  call.context->device,
                  std::vector<char>(bytes, bytes + function->kernel->args_bytes)};
    if (CUresult code = check_shape(launch, shared_bytes))
        return code;
    if (stream->capture)
        return CUDA_SUCCESS;
    std::vector<uint64_t> uses = addresses_in(launch.args);
    enqueue(stream, {"kernel " + launch.kernel->name, [launch] { return run_kernel(launch); }, uses, {}});
    return CUDA_SUCCESS;
}

/* "name architecture" of the image of every loaded module, a line each. */
GP_EMU_API int64_t emu_images(char *out, int64_t n_bytes)
{
    std::string text;
    for (const Module *module : modules)
        if (module->is_live)
            text += module->name + ' ' + module->arch + '\n';
    return give_text(text, out, n_bytes);
}

/* "name module max_threads args_bytes" of every kernel, a line each. */
GP_EMU_API int64_t emu_kernels(char *out, int64_t n_bytes)
{
    std::string text;
    for (const Kernel *kernel : all_kernels())
        text += text_of("%s %s %u %zu\n", kernel->name.c_str(), kernel->module.c_str(), kernel->max_threads, kernel->args_bytes);
    return give_text(text, out, n_bytes);
}
