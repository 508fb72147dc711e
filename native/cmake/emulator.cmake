# The emulated device of the tests: emulator/libcuda.so.1 runs the kernels as C++ (GPUPLOT_EMULATOR=ON, needs a C++ compiler).
enable_language(CXX)
include(cuda_kernels)
include(CheckCXXCompilerFlag)
set(gp_emulator_dir "${CMAKE_CURRENT_SOURCE_DIR}/../tests/emulator")

add_library(gp_emulator_flags INTERFACE)
target_compile_features(gp_emulator_flags INTERFACE cxx_std_17)
# The same rounding as on the device, and -O2 whatever the kind of build: tests wait for these loops.
target_compile_options(gp_emulator_flags INTERFACE -O2 -g1 -ffp-contract=off -fvisibility=hidden -Wall -Wextra
  -Wno-unknown-pragmas)
if(GPUPLOT_WERROR)
  target_compile_options(gp_emulator_flags INTERFACE -Werror)
endif()
if(GPUPLOT_SANITIZE)
  set(gp_emulator_sanitize "-fsanitize=${GPUPLOT_SANITIZE}")
  target_compile_options(gp_emulator_flags INTERFACE ${gp_emulator_sanitize} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(gp_emulator_flags INTERFACE ${gp_emulator_sanitize})
endif()

# Variables that kernels forget to set hold a pattern, not by chance a zero.
check_cxx_compiler_flag(-ftrivial-auto-var-init=pattern gp_has_pattern_init)

# One library of objects for each kernel module, and the kernels of the emulator's own tests. Modules of different classes give
# the same names to different things. A driver keeps modules apart; here each is in a namespace of its own, or the linker
# would take one module's function for all.
set(gp_emulator_objects "")
function(gp_emulate_kernels module source)
  set(name "${module}")
  if("GP_FLOAT64_IS_SLOW=1" IN_LIST ARGN)
    string(APPEND name "_slow_float64")
  endif()
  set(apart "${CMAKE_CURRENT_BINARY_DIR}/emulated/${name}.cpp")
  file(CONFIGURE OUTPUT "${apart}" CONTENT "/* Module ${module} of the emulated device, apart from all others. */
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include \"emu.h\"

namespace {
#include \"${source}\"
}
")
  add_library(gp_emulated_${name} OBJECT "${apart}")
  target_compile_options(gp_emulated_${name} PRIVATE -Wno-unused-function) # the host's, which kernels only see declared
  target_include_directories(gp_emulated_${name} PRIVATE "${gp_emulator_dir}")
  target_compile_definitions(gp_emulated_${name} PRIVATE GP_EMULATED=1 GP_EMU_MODULE="${module}" ${ARGN})
  target_compile_options(gp_emulated_${name} PRIVATE $<$<BOOL:${gp_has_pattern_init}>:-ftrivial-auto-var-init=pattern>)
  target_link_libraries(gp_emulated_${name} PRIVATE gp_emulator_flags)
  list(APPEND gp_emulator_objects $<TARGET_OBJECTS:gp_emulated_${name}>)
  set(gp_emulator_objects "${gp_emulator_objects}" PARENT_SCOPE)
endfunction()

foreach(module IN LISTS gp_cuda_modules)
  gp_emulate_kernels(${module} "${gp_cuda_source_${module}}" ${gp_cuda_define_${module}})
endforeach()
# Once more as they are compiled for GPUs whose float64 is slow: those that differ there.
foreach(class F8 H16 F32)
  gp_emulate_kernels(reduce_${class} "${gp_cuda_source_reduce_${class}}" ${gp_cuda_define_reduce_${class}} GP_FLOAT64_IS_SLOW=1)
endforeach()
gp_emulate_kernels(planted "${gp_emulator_dir}/planted.cu")

file(GLOB gp_emulator_sources CONFIGURE_DEPENDS "${gp_emulator_dir}/*.cpp")
list(FILTER gp_emulator_sources EXCLUDE REGEX "/nvrtc\\.cpp$")
add_library(gp_emulator_driver OBJECT ${gp_emulator_sources})
target_link_libraries(gp_emulator_driver PRIVATE gp_emulator_flags)

add_library(emulated_cuda SHARED $<TARGET_OBJECTS:gp_emulator_driver> ${gp_emulator_objects})
target_link_libraries(emulated_cuda PRIVATE gp_emulator_flags Threads::Threads)
set_target_properties(emulated_cuda PROPERTIES PREFIX "" OUTPUT_NAME "libcuda" SUFFIX ".so.1" NO_SONAME ON LINKER_LANGUAGE CXX
  LIBRARY_OUTPUT_DIRECTORY "${CMAKE_CURRENT_BINARY_DIR}/emulator")
target_link_options(emulated_cuda PRIVATE -Wl,-soname,libcuda.so.1 -Wl,--no-undefined)

add_library(emulated_nvrtc SHARED "${gp_emulator_dir}/nvrtc.cpp")
target_link_libraries(emulated_nvrtc PRIVATE gp_emulator_flags)
set_target_properties(emulated_nvrtc PROPERTIES PREFIX "" OUTPUT_NAME "libnvrtc"
  LIBRARY_OUTPUT_DIRECTORY "${CMAKE_CURRENT_BINARY_DIR}/emulator")

# A driver that is too old: everything but one call that gpuplot needs, and no kernels.
add_library(emulated_old_cuda SHARED $<TARGET_OBJECTS:gp_emulator_driver>)
target_link_libraries(emulated_old_cuda PRIVATE gp_emulator_flags Threads::Threads)
set_target_properties(emulated_old_cuda PROPERTIES PREFIX "" OUTPUT_NAME "libcuda" SUFFIX ".so.1" NO_SONAME ON
  LINKER_LANGUAGE CXX LIBRARY_OUTPUT_DIRECTORY "${CMAKE_CURRENT_BINARY_DIR}/emulator/old")
target_link_options(emulated_old_cuda PRIVATE "-Wl,--version-script=${gp_emulator_dir}/old_driver.map")
