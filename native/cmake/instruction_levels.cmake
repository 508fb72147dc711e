# The CPU loops (cpu/simd/loops_*.c), compiled once per level of vector instructions; the running machine picks one.
#
# A loop file sees its level as GP_LEVEL (sse2, avx2, avx512 or baseline) and makes its names from it.
# The dispatcher sees GP_HAVE_AVX2 and GP_HAVE_AVX512 for the levels above the baseline that were built.
file(GLOB gp_loop_sources CONFIGURE_DEPENDS cpu/simd/loops_*.c)
include(CheckCSourceCompiles)
check_c_source_compiles("
#if !defined(__x86_64__)
#error not x86-64
#endif
int main(void) { return 0; }" GP_TARGET_IS_X86_64)

set(gp_flags_avx2 -mavx2 -mfma -mf16c)
set(gp_flags_avx512 -mavx512f -mavx512bw -mavx512dq -mavx512vl ${gp_flags_avx2})
# Short loops run once a cell: one that crosses a line of the decoder's cache takes up to twice the time.
check_c_compiler_flag(-falign-loops=32 GP_COMPILER_ALIGNS_LOOPS)
set(gp_loop_flags $<$<BOOL:${GP_COMPILER_ALIGNS_LOOPS}>:-falign-loops=32>)

set(gp_levels baseline)
set(gp_level_definitions "")

if(GP_TARGET_IS_X86_64)
  set(gp_levels sse2)
  foreach(level IN ITEMS avx2 avx512)
    string(TOUPPER ${level} upper)
    string(REPLACE ";" " " flags "${gp_flags_${level}}")
    check_c_compiler_flag("${flags}" GP_COMPILER_HAS_${upper})
    if(GP_COMPILER_HAS_${upper})
      list(APPEND gp_levels ${level})
      list(APPEND gp_level_definitions GP_HAVE_${upper}=1)
    endif()
  endforeach()
endif()
list(JOIN gp_levels " " gp_level_names)
message(STATUS "CPU loops: ${gp_level_names}")

# Add the loops of every level to `target`, each as objects of its own.
function(gp_add_level_objects target)
  if(NOT gp_loop_sources)
    return()
  endif()
  foreach(level IN LISTS gp_levels)
    add_library(gp_loops_${level} OBJECT ${gp_loop_sources})
    target_include_directories(gp_loops_${level} PRIVATE include cpu)
    target_compile_definitions(gp_loops_${level} PRIVATE GP_LEVEL=${level} ${gp_level_definitions})
    target_compile_options(gp_loops_${level} PRIVATE ${gp_flags_${level}} ${gp_loop_flags})
    target_link_libraries(gp_loops_${level} PRIVATE gp_flags)
    set_property(TARGET ${target} APPEND PROPERTY GP_LEVEL_TARGETS gp_loops_${level})
  endforeach()
endfunction()

# Link the core, the loops of every level and a table of kernels into `target`; the table is that of the library `gp_images`
# unless another one is named.
function(gp_link_core target)
  set(images gp_images ${ARGN})
  list(GET images -1 images)
  target_link_libraries(${target} PRIVATE gp_core)
  target_sources(${target} PRIVATE $<TARGET_OBJECTS:${images}>)
  get_target_property(level_targets gp_core GP_LEVEL_TARGETS)
  if(level_targets)
    foreach(level_target IN LISTS level_targets)
      target_sources(${target} PRIVATE $<TARGET_OBJECTS:${level_target}>)
    endforeach()
  endif()
endfunction()
