# Embed every kernel module into gp_core: its fatbin where nvcc works, and its source for NVRTC always.
#
# The images are bytes that the assembler includes (.incbin); build/generated/cuda_images.c is the table that
# cuda/images.h declares. GPUPLOT_CUDA_ARCHS (a variable of CMake or the environment) replaces the list of architectures:
# "80-real 90-real 75-virtual", or "80" for both of one.
include(cuda_kernels)
if(NOT CMAKE_SYSTEM_NAME STREQUAL "Linux") # there is no driver, and the backend says so
  set(gp_cuda_modules "")
  set(gp_nvcc "")
endif()
set(GPUPLOT_CUDA_ARCHS "" CACHE STRING "GPU architectures, such as '80 90' (default: the environment, else the usual ones)")

# Machine code for the generations that are common where big arrays are; every other GPU from the oldest of 70 on gets it from
# PTX, by the driver, once, in seconds. More architectures are more megabytes: about one and a half each.
set(gp_cuda_wished_archs 80 90)
set(gp_cuda_wished_ptx 70 75)

# The architectures of an nvcc as numbers, oldest first.
function(gp_known_archs nvcc out)
  execute_process(COMMAND "${nvcc}" --list-gpu-code OUTPUT_VARIABLE known ERROR_QUIET)
  string(REGEX MATCHALL "sm_[0-9]+" known "${known}")
  list(TRANSFORM known REPLACE "sm_" "")
  list(SORT known COMPARE NATURAL)
  set(${out} "${known}" PARENT_SCOPE)
endfunction()

# What is asked for, as entries like 80-real (machine code), 75-virtual (PTX) and 90 (both).
function(gp_wanted_archs known out)
  set(wanted "${GPUPLOT_CUDA_ARCHS}")
  if(wanted STREQUAL "")
    set(wanted "$ENV{GPUPLOT_CUDA_ARCHS}")
  endif()
  string(REGEX MATCHALL "[^ ,;]+" wanted "${wanted}")
  foreach(arch IN LISTS wanted)
    if(NOT arch MATCHES "^([0-9]+)(-real|-virtual)?$" OR NOT CMAKE_MATCH_1 IN_LIST known)
      list(JOIN known " " known)
      message(FATAL_ERROR "GPUPLOT_CUDA_ARCHS: '${arch}' is none of this nvcc's architectures; "
        "use some of ${known}, alone or with -real or -virtual behind")
    endif()
  endforeach()
  if(NOT wanted)
    foreach(arch IN LISTS gp_cuda_wished_archs)
      if(arch IN_LIST known)
        list(APPEND wanted ${arch}-real)
      endif()
    endforeach()
    foreach(arch IN LISTS gp_cuda_wished_ptx)
      if(arch IN_LIST known AND NOT wanted MATCHES "-virtual")
        list(APPEND wanted ${arch}-virtual)
      endif()
    endforeach()
  endif()
  set(${out} "${wanted}" PARENT_SCOPE)
endfunction()

# The -gencode option. All machine code comes from one PTX, that of the oldest architecture, which is compiled once: kernels
# use nothing that is newer, and the machine code is the same bits.
function(gp_choose_archs nvcc option words)
  gp_known_archs("${nvcc}" known)
  gp_wanted_archs("${known}" wanted)
  set(numbers ${wanted})
  list(TRANSFORM numbers REPLACE "-.*" "")
  list(SORT numbers COMPARE NATURAL)
  list(GET numbers 0 oldest)
  set(codes "")
  foreach(arch IN LISTS wanted)
    if(NOT arch MATCHES "-virtual")
      string(REGEX REPLACE "-.*" "" number ${arch})
      list(APPEND codes sm_${number})
    endif()
    if(NOT arch MATCHES "-real")
      list(APPEND codes compute_${oldest})
    endif()
  endforeach()
  list(REMOVE_DUPLICATES codes)
  list(JOIN codes "," list)
  set(${option} "-gencode=arch=compute_${oldest},code=[${list}]" PARENT_SCOPE)
  list(JOIN codes " " list)
  set(${words} "${list}" PARENT_SCOPE)
endfunction()

# Add a rule that makes one amalgamated source; several modules may share it.
function(gp_amalgamate source out)
  get_filename_component(name "${source}" NAME)
  set(output "${CMAKE_CURRENT_BINARY_DIR}/kernels/${name}")
  get_property(made DIRECTORY PROPERTY gp_amalgamated)
  if(NOT output IN_LIST made)
    file(GLOB headers CONFIGURE_DEPENDS core/*.h cuda/kernels/*.h cuda/kernels/*.cuh)
    add_custom_command(OUTPUT "${output}"
      COMMAND "${CMAKE_COMMAND}" "-DSOURCE=${source}" "-DROOT=${CMAKE_CURRENT_SOURCE_DIR}" "-DOUTPUT=${output}"
              -P "${CMAKE_CURRENT_SOURCE_DIR}/cmake/amalgamate.cmake"
      DEPENDS "${source}" ${headers} cmake/amalgamate.cmake
      COMMENT "Amalgamating ${name}" VERBATIM)
    set_property(DIRECTORY APPEND PROPERTY gp_amalgamated "${output}")
  endif()
  set(${out} "${output}" PARENT_SCOPE)
endfunction()

# Add a rule that makes the fatbin of one module.
function(gp_add_fatbin module source out)
  set(output "${CMAKE_CURRENT_BINARY_DIR}/kernels/${module}.fatbin")
  set(options ${gp_nvcc_flags})
  if(gp_cuda_define_${module})
    list(APPEND options -D${gp_cuda_define_${module}})
  endif()
  set(strict 0)
  if(GPUPLOT_WERROR OR "$ENV{GPUPLOT_CUDA}" STREQUAL "1")
    set(strict 1)
  endif()
  add_custom_command(OUTPUT "${output}"
    COMMAND "${CMAKE_COMMAND}" "-DNVCC=${gp_nvcc}" "-DOPTIONS=${options}" "-DSOURCE=${source}" "-DOUTPUT=${output}"
            -DSTRICT=${strict} -P "${CMAKE_CURRENT_SOURCE_DIR}/cmake/compile_kernels.cmake"
    DEPENDS "${source}" cmake/compile_kernels.cmake
    COMMENT "Compiling kernels ${module}" VERBATIM)
  set(${out} "${output}" PARENT_SCOPE)
endfunction()

set(gp_cuda_archs "")
if(gp_nvcc)
  gp_choose_archs("${gp_nvcc}" gp_nvcc_flags gp_cuda_archs)
  # No contraction: kernels do the operations that the CPU does.
  list(APPEND gp_nvcc_flags -std=c++17 --fmad=false)
  execute_process(COMMAND "${gp_nvcc}" --help OUTPUT_VARIABLE gp_nvcc_help ERROR_QUIET)
  if(gp_nvcc_help MATCHES "--compress-mode") # of CUDA 12.4 and newer; a thirtieth of the size
    list(APPEND gp_nvcc_flags --compress-mode=size)
  endif()
  if(GPUPLOT_WERROR)
    list(APPEND gp_nvcc_flags -Werror=all-warnings)
  endif()
  message(STATUS "CUDA kernels: ${gp_cuda_archs}")
endif()

# Assembler that includes a file between two symbols of this name; the zero behind it ends a source.
function(gp_embed symbol path out)
  string(REGEX REPLACE "([\"\\\\])" "\\\\\\1" path "${path}")
  set(${out} "GP_EMBED(${symbol}, \"${path}\")\n" PARENT_SCOPE)
endfunction()

set(gp_image_symbols "")
set(gp_image_rows "")
set(gp_image_files "")
set(gp_embedded "")
foreach(module IN LISTS gp_cuda_modules)
  gp_amalgamate("${gp_cuda_source_${module}}" gp_text)
  get_filename_component(gp_stem "${gp_cuda_source_${module}}" NAME_WE)
  if(NOT gp_stem IN_LIST gp_embedded)
    list(APPEND gp_embedded ${gp_stem})
    gp_embed(gp_source_${gp_stem} "${gp_text}" gp_line)
    string(APPEND gp_image_symbols "${gp_line}")
    list(APPEND gp_image_files "${gp_text}")
  endif()
  set(gp_fatbin_symbols "NULL, NULL")
  if(gp_nvcc)
    gp_add_fatbin(${module} "${gp_text}" gp_fatbin)
    gp_embed(gp_fatbin_${module} "${gp_fatbin}" gp_line)
    string(APPEND gp_image_symbols "${gp_line}")
    list(APPEND gp_image_files "${gp_fatbin}")
    set(gp_fatbin_symbols "gp_fatbin_${module}, gp_fatbin_${module}_end")
  endif()
  string(APPEND gp_image_rows "    {\"${module}\", \"${gp_cuda_define_${module}}\", gp_source_${gp_stem}, "
    "gp_source_${gp_stem}_end, ${gp_fatbin_symbols}},\n")
endforeach()

configure_file(cuda/images.c.in generated/cuda_images.c @ONLY)
set_source_files_properties("${CMAKE_CURRENT_BINARY_DIR}/generated/cuda_images.c" PROPERTIES
  OBJECT_DEPENDS "${gp_image_files}")
target_sources(gp_core PRIVATE "${CMAKE_CURRENT_BINARY_DIR}/generated/cuda_images.c")
