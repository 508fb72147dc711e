# Embed every kernel module: its source for NVRTC always, and with GPUPLOT_CUDA=1 a pack of its images (cuda/runtime/image_pack.h).
#
# These are bytes that the assembler includes (.incbin); generated/cuda_images.c is the table that cuda/runtime/images.h declares.
# GPUPLOT_CUDA_ARCHS (a variable of CMake or the environment) replaces the list of architectures: "80-real 90-real 75-virtual", or
# "80" for both of one.
include(cuda_kernels)
if(NOT CMAKE_SYSTEM_NAME STREQUAL "Linux") # there is no driver, and the backend says so
  set(gp_cuda_modules "")
endif()
set(GPUPLOT_CUDA_ARCHS "" CACHE STRING "GPU architectures, such as '80 90' (default: the environment, else the usual ones)")

# Machine code for the generations in use; those with a question mark where the compiler knows them (NVRTC 12.8 and newer does).
# PTX is for what is newer still: the driver makes machine code of it, once, in seconds.
set(gp_cuda_wished_archs sm_75 sm_80 sm_86 sm_89 sm_90 sm_100? sm_120? compute_75)

# What is asked for, as make_images takes it: 80-real is sm_80, 75-virtual compute_75, and 90 both.
function(gp_wanted_archs out)
  set(wanted "${GPUPLOT_CUDA_ARCHS}")
  if(wanted STREQUAL "")
    set(wanted "$ENV{GPUPLOT_CUDA_ARCHS}")
  endif()
  string(REGEX MATCHALL "[^ ,;]+" wanted "${wanted}")
  set(archs "")
  foreach(arch IN LISTS wanted)
    if(NOT arch MATCHES "^([0-9]+)(-real|-virtual)?$")
      message(FATAL_ERROR "GPUPLOT_CUDA_ARCHS: '${arch}' is no architecture; give some like 80, 80-real or 75-virtual")
    endif()
    if(NOT CMAKE_MATCH_2 STREQUAL "-virtual")
      list(APPEND archs sm_${CMAKE_MATCH_1})
    endif()
    if(NOT CMAKE_MATCH_2 STREQUAL "-real")
      list(APPEND archs compute_${CMAKE_MATCH_1})
    endif()
  endforeach()
  if(NOT archs)
    set(archs ${gp_cuda_wished_archs})
  endif()
  list(REMOVE_DUPLICATES archs)
  set(${out} "${archs}" PARENT_SCOPE)
endfunction()

# Add a rule that makes one amalgamated source; several modules may share it.
function(gp_amalgamate source out)
  get_filename_component(name "${source}" NAME)
  set(output "${CMAKE_CURRENT_BINARY_DIR}/kernels/${name}")
  get_property(made DIRECTORY PROPERTY gp_amalgamated)
  if(NOT output IN_LIST made)
    file(GLOB headers CONFIGURE_DEPENDS core/*/*.h cuda/kernels/*.h cuda/kernels/*.cuh)
    add_custom_command(OUTPUT "${output}"
      COMMAND "${CMAKE_COMMAND}" "-DSOURCE=${source}" "-DROOT=${CMAKE_CURRENT_SOURCE_DIR}" "-DOUTPUT=${output}"
              -P "${CMAKE_CURRENT_SOURCE_DIR}/cmake/amalgamate.cmake"
      DEPENDS "${source}" ${headers} cmake/amalgamate.cmake
      COMMENT "Amalgamating ${name}" VERBATIM)
    set_property(DIRECTORY APPEND PROPERTY gp_amalgamated "${output}")
  endif()
  set(${out} "${output}" PARENT_SCOPE)
endfunction()

# The program that compiles. It is of the files that compile kernels at first use, and is not installed.
add_executable(make_images EXCLUDE_FROM_ALL tools/make_images.c cuda/runtime/nvrtc.c cuda/runtime/kernel_cache.c core/base/status.c core/base/progress.c)
target_include_directories(make_images PRIVATE .)
target_link_libraries(make_images PRIVATE gp_flags Threads::Threads ${CMAKE_DL_LIBS})

# Add a rule that makes the pack of one module by this libnvrtc, for these architectures, in a folder of packs. It is compressed
# where there is a Python; a quarter of a gigabyte it would be otherwise.
function(gp_add_pack module source nvrtc archs folder out)
  set(output "${CMAKE_CURRENT_BINARY_DIR}/${folder}/${module}.pack")
  file(MAKE_DIRECTORY "${CMAKE_CURRENT_BINARY_DIR}/${folder}")
  find_package(Python COMPONENTS Interpreter QUIET)
  set(script "${CMAKE_CURRENT_SOURCE_DIR}/tools/compress_pack.py")
  set(compress "")
  if(Python_EXECUTABLE)
    set(compress COMMAND "${Python_EXECUTABLE}" "${script}" "${output}" "${output}")
  endif()
  add_custom_command(OUTPUT "${output}"
    COMMAND "${CMAKE_COMMAND}" -E env "GPUPLOT_NVRTC=${nvrtc}" "$<TARGET_FILE:make_images>" ${module}
            "${gp_cuda_define_${module}}" "${source}" "${output}" ${archs}
    ${compress}
    DEPENDS "${source}" make_images "${script}" "${nvrtc}"
    COMMENT "Compiling kernels ${module}" VERBATIM)
  set(${out} "${output}" PARENT_SCOPE)
endfunction()

# Assembler that includes a file between two symbols of this name; the zero behind it ends a source.
function(gp_embed symbol path out)
  string(REGEX REPLACE "([\"\\\\])" "\\\\\\1" path "${path}")
  set(${out} "GP_EMBED(${symbol}, \"${path}\")\n" PARENT_SCOPE)
endfunction()

# Make the table of all modules as a library of one object, `target`; without a libnvrtc it has sources alone.
function(gp_add_images target nvrtc archs)
  set(gp_image_symbols "")
  set(gp_image_rows "")
  set(files "")
  set(embedded "")
  foreach(module IN LISTS gp_cuda_modules)
    gp_amalgamate("${gp_cuda_source_${module}}" text)
    get_filename_component(stem "${gp_cuda_source_${module}}" NAME_WE)
    if(NOT stem IN_LIST embedded)
      list(APPEND embedded ${stem})
      gp_embed(gp_source_${stem} "${text}" line)
      string(APPEND gp_image_symbols "${line}")
      list(APPEND files "${text}")
    endif()
    set(pack_symbols "NULL, NULL")
    if(nvrtc)
      gp_add_pack(${module} "${text}" "${nvrtc}" "${archs}" ${target} pack)
      gp_embed(gp_pack_${module} "${pack}" line)
      string(APPEND gp_image_symbols "${line}")
      list(APPEND files "${pack}")
      set(pack_symbols "gp_pack_${module}, gp_pack_${module}_end")
    endif()
    string(APPEND gp_image_rows "    {\"${module}\", \"${gp_cuda_define_${module}}\", gp_source_${stem}, gp_source_${stem}_end, ${pack_symbols}},\n")
  endforeach()
  set(generated "${CMAKE_CURRENT_BINARY_DIR}/generated/${target}.c")
  configure_file(cuda/runtime/images.c.in "${generated}" @ONLY)
  set_source_files_properties("${generated}" PROPERTIES OBJECT_DEPENDS "${files}")
  add_library(${target} OBJECT "${generated}")
  target_include_directories(${target} PRIVATE .)
  target_link_libraries(${target} PRIVATE gp_flags)
endfunction()

gp_wanted_archs(gp_cuda_archs)
gp_add_images(gp_images "${gp_nvrtc}" "${gp_cuda_archs}")
get_property(gp_kernel_texts DIRECTORY PROPERTY gp_amalgamated) # what make_images is given is never older than the sources
add_custom_target(kernel_texts DEPENDS ${gp_kernel_texts})
add_dependencies(make_images kernel_texts)
if(gp_nvrtc)
  list(JOIN gp_cuda_archs " " gp_words)
  message(STATUS "CUDA architectures: ${gp_words}")
endif()
