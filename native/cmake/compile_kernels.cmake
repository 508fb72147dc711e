# Compile one kernel module by nvcc; where that fails, leave an empty image, so that its source is compiled at first use.
#
# usage: cmake -DNVCC=... "-DOPTIONS=a;b" -DSOURCE=... -DOUTPUT=... -DSTRICT=0|1 -P compile_kernels.cmake
# With STRICT (GPUPLOT_CUDA=1, and our own checks) the failure ends the build. GPUPLOT_KERNEL_CACHE (environment) names a folder of
# images: one that the same nvcc made of the same text with the same options is taken from there. By default there is none.
set(kept "")
if(NOT "$ENV{GPUPLOT_KERNEL_CACHE}" STREQUAL "")
  execute_process(COMMAND "${NVCC}" --version OUTPUT_VARIABLE version ERROR_QUIET)
  file(READ "${SOURCE}" text)
  string(SHA256 key "${version}|${OPTIONS}|$ENV{NVCC_PREPEND_FLAGS}|$ENV{NVCC_APPEND_FLAGS}|${text}")
  set(kept "$ENV{GPUPLOT_KERNEL_CACHE}/${key}.fatbin")
  if(EXISTS "${kept}")
    execute_process(COMMAND "${CMAKE_COMMAND}" -E copy "${kept}" "${OUTPUT}")
    file(TOUCH "${kept}") # builds drop what was not used for a month
    return()
  endif()
endif()

execute_process(COMMAND "${NVCC}" ${OPTIONS} -fatbin -o "${OUTPUT}.part" "${SOURCE}"
  RESULT_VARIABLE status OUTPUT_VARIABLE words ERROR_VARIABLE words)
if(status EQUAL 0)
  file(RENAME "${OUTPUT}.part" "${OUTPUT}")
  if(kept)
    file(MAKE_DIRECTORY "$ENV{GPUPLOT_KERNEL_CACHE}")
    string(RANDOM LENGTH 12 part)
    execute_process(COMMAND "${CMAKE_COMMAND}" -E copy "${OUTPUT}" "${kept}.${part}")
    file(RENAME "${kept}.${part}" "${kept}") # whole or not at all, also beside another build
  endif()
else()
  file(REMOVE "${OUTPUT}.part")
  if(STRICT)
    message(FATAL_ERROR "nvcc does not compile ${SOURCE}:\n${words}")
  endif()
  message(WARNING "nvcc does not compile ${SOURCE}; NVRTC will have to at first use:\n${words}")
  file(WRITE "${OUTPUT}" "")
endif()
