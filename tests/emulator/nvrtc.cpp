/* A library with NVRTC's names: it compiles nothing, checks source and options, and writes images for the fake driver. */
#include <cstdlib>
#include <cstring>
#include <set>
#include <string>
#include <vector>

#define NVRTC_CALL extern "C" __attribute__((visibility("default"))) int

enum {
    NVRTC_SUCCESS = 0,
    NVRTC_ERROR_INVALID_INPUT = 3,
    NVRTC_ERROR_INVALID_PROGRAM = 4,
    NVRTC_ERROR_INVALID_OPTION = 5,
    NVRTC_ERROR_COMPILATION = 6
};

namespace {

struct Program {
    std::string source, name, log, image;
    bool is_ptx = false;
};
std::set<Program *> programs;

/* EMU_NVRTC_FAIL=COMPILATION or =VERSION makes the library fail in that way. */
bool is_told(const char *what)
{
    const char *told = getenv("EMU_NVRTC_FAIL");
    return told && !strcmp(told, what);
}

bool starts(const std::string &text, const char *with) { return !text.compare(0, strlen(with), with); }

/* What follows an option, after "=" or as the next argument. */
bool value_of(const std::vector<std::string> &options, size_t *at, const char *option, std::string *value)
{
    const std::string &text = options[*at], with_equals = std::string(option) + "=";
    if (starts(text, with_equals.c_str())) {
        *value = text.substr(with_equals.size());
        return true;
    }
    if (text != option || *at + 1 >= options.size())
        return false;
    *value = options[++*at];
    return true;
}

struct Options {
    std::string arch = "compute_75", define;
    bool contracts = true;
};

/* Only options that gpuplot has reason to give are known. */
int read_options(const std::vector<std::string> &given, Options *out, std::string *log)
{
    for (size_t i = 0; i < given.size(); i++) {
        std::string value;
        if (value_of(given, &i, "--gpu-architecture", &out->arch) || value_of(given, &i, "-arch", &out->arch))
            continue;
        if (value_of(given, &i, "--fmad", &value) || value_of(given, &i, "-fmad", &value))
            out->contracts = value != "false";
        else if (value_of(given, &i, "--define-macro", &value))
            out->define = value;
        else if (starts(given[i], "-D"))
            out->define = given[i].substr(2);
        else if (!value_of(given, &i, "--std", &value) && !value_of(given, &i, "-std", &value) && given[i] != "-default-device" &&
                 given[i] != "--device-as-default-execution-space") {
            *log = "nvrtc: error: unrecognized option " + given[i];
            return NVRTC_ERROR_INVALID_OPTION;
        }
    }
    if (out->contracts) {
        *log = "emulated NVRTC: --fmad=false is missing, so the device would round otherwise than the CPU";
        return NVRTC_ERROR_COMPILATION;
    }
    return NVRTC_SUCCESS;
}

/* There is no folder of headers: the source has to be whole. emu.h is for the emulated build only. */
bool find_include(const std::string &source, std::string *log)
{
    for (size_t at = source.find("#include \""); at != std::string::npos; at = source.find("#include \"", at + 1)) {
        if (at && source[at - 1] != '\n')
            continue;
        std::string line = source.substr(at, source.find('\n', at) - at);
        if (line.find("emu.h") == std::string::npos) {
            *log = "error: could not open source file: " + line;
            return true;
        }
    }
    return false;
}

/* The name by which native/cmake/cuda_kernels.cmake calls this: "reduce.cu" with GP_CLASS=F32 is reduce_F32. */
std::string module_name(const Program &program, const Options &options)
{
    std::string name = program.name.substr(0, program.name.rfind(".cu"));
    name = name.substr(name.rfind('/') + 1);
    size_t equals = options.define.find('=');
    if (starts(options.define, "GP_CLASS=") && name.find('_' + options.define.substr(equals + 1)) == std::string::npos)
        name += '_' + options.define.substr(equals + 1);
    return name;
}

int give(const std::string &text, char *out)
{
    memcpy(out, text.c_str(), text.size() + 1);
    return NVRTC_SUCCESS;
}

} // namespace

NVRTC_CALL nvrtcVersion(int *major, int *minor)
{
    *major = is_told("VERSION") ? 10 : 12;
    *minor = 4;
    return NVRTC_SUCCESS;
}

extern "C" __attribute__((visibility("default"))) const char *nvrtcGetErrorString(int code)
{
    switch (code) {
    case NVRTC_SUCCESS: return "NVRTC_SUCCESS";
    case NVRTC_ERROR_INVALID_INPUT: return "NVRTC_ERROR_INVALID_INPUT";
    case NVRTC_ERROR_INVALID_PROGRAM: return "NVRTC_ERROR_INVALID_PROGRAM";
    case NVRTC_ERROR_INVALID_OPTION: return "NVRTC_ERROR_INVALID_OPTION";
    case NVRTC_ERROR_COMPILATION: return "NVRTC_ERROR_COMPILATION";
    default: return "NVRTC_ERROR unknown";
    }
}

/* Nothing newer than device 0 is, so that images for other devices are PTX. */
static const int known_archs[] = {70, 75, 80, 90};

NVRTC_CALL nvrtcGetNumSupportedArchs(int *n)
{
    *n = (int)(sizeof known_archs / sizeof *known_archs);
    return NVRTC_SUCCESS;
}

NVRTC_CALL nvrtcGetSupportedArchs(int *archs)
{
    memcpy(archs, known_archs, sizeof known_archs);
    return NVRTC_SUCCESS;
}

NVRTC_CALL nvrtcCreateProgram(Program **program, const char *source, const char *name, int n_headers, const char *const *headers,
                              const char *const *include_names)
{
    (void)headers;
    (void)include_names;
    if (!source || n_headers)
        return NVRTC_ERROR_INVALID_INPUT;
    *program = new Program();
    (*program)->source = source;
    (*program)->name = name ? name : "default_program";
    programs.insert(*program);
    return NVRTC_SUCCESS;
}

NVRTC_CALL nvrtcCompileProgram(Program *program, int n_options, const char *const *options)
{
    if (!programs.count(program))
        return NVRTC_ERROR_INVALID_PROGRAM;
    Options found;
    int status = read_options(std::vector<std::string>(options, options + n_options), &found, &program->log);
    if (status)
        return status;
    if (find_include(program->source, &program->log))
        return NVRTC_ERROR_COMPILATION;
    if (program->source.find("GP_KERNEL(") == std::string::npos || is_told("COMPILATION")) {
        program->log = program->name + "(1): error: there is no kernel here";
        return NVRTC_ERROR_COMPILATION;
    }
    bool is_known = false;
    for (int arch : known_archs)
        is_known |= found.arch.substr(found.arch.find('_') + 1) == std::to_string(arch);
    if (!is_known) {
        program->log = "nvrtc: error: invalid value for --gpu-architecture (-arch)";
        return NVRTC_ERROR_INVALID_OPTION;
    }
    program->is_ptx = starts(found.arch, "compute_");
    program->image = "EMULATED-CUBIN " + module_name(*program, found) + ' ' + found.arch;
    return NVRTC_SUCCESS;
}

NVRTC_CALL nvrtcGetProgramLogSize(Program *program, size_t *n_bytes)
{
    *n_bytes = program->log.size() + 1;
    return NVRTC_SUCCESS;
}

NVRTC_CALL nvrtcGetProgramLog(Program *program, char *out) { return give(program->log, out); }

/* As the real one: there is no cubin where a virtual architecture was asked for. */
NVRTC_CALL nvrtcGetCUBINSize(Program *program, size_t *n_bytes)
{
    *n_bytes = program->is_ptx || program->image.empty() ? 0 : program->image.size() + 1;
    return NVRTC_SUCCESS;
}

NVRTC_CALL nvrtcGetCUBIN(Program *program, char *out)
{
    return program->is_ptx || program->image.empty() ? NVRTC_ERROR_INVALID_PROGRAM : give(program->image, out);
}

NVRTC_CALL nvrtcGetPTXSize(Program *program, size_t *n_bytes)
{
    *n_bytes = program->image.size() + 1;
    return NVRTC_SUCCESS;
}

NVRTC_CALL nvrtcGetPTX(Program *program, char *out) { return give(program->image, out); }

NVRTC_CALL nvrtcDestroyProgram(Program **program)
{
    if (!program || !programs.erase(*program))
        return NVRTC_ERROR_INVALID_PROGRAM;
    delete *program;
    *program = nullptr;
    return NVRTC_SUCCESS;
}

/* Programs that were made and not destroyed. */
extern "C" __attribute__((visibility("default"))) int emu_nvrtc_live_programs(void) { return (int)programs.size(); }
