# Compile one kernel module by nvcc; where that fails, leave an empty image, so that its source is compiled at first use.
#
# usage: cmake -DNVCC=... "-DOPTIONS=a;b" -DSOURCE=... -DOUTPUT=... -DSTRICT=0|1 -P compile_kernels.cmake
# With STRICT (GPUPLOT_CUDA=1, and our own checks) the failure ends the build.
execute_process(COMMAND "${NVCC}" ${OPTIONS} -fatbin -o "${OUTPUT}.part" "${SOURCE}"
  RESULT_VARIABLE status OUTPUT_VARIABLE words ERROR_VARIABLE words)
if(status EQUAL 0)
  file(RENAME "${OUTPUT}.part" "${OUTPUT}")
else()
  file(REMOVE "${OUTPUT}.part")
  if(STRICT)
    message(FATAL_ERROR "nvcc does not compile ${SOURCE}:\n${words}")
  endif()
  message(WARNING "nvcc does not compile ${SOURCE}; NVRTC will have to at first use:\n${words}")
  file(WRITE "${OUTPUT}" "")
endif()
