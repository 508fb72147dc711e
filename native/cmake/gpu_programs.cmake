# The C program of tests/gpu that runs every kernel: on a GPU by hand and under compute-sanitizer, on the emulated device by ctest.
set(gp_gpu_dir "${CMAKE_CURRENT_SOURCE_DIR}/../tests/gpu")
file(GLOB gp_gpu_sources CONFIGURE_DEPENDS "${gp_gpu_dir}/every_kernel.c" "${gp_gpu_dir}/kernels/*.c")

add_executable(every_kernel ${gp_gpu_sources})
target_include_directories(every_kernel PRIVATE "${gp_gpu_dir}")
gp_link_core(every_kernel)

# Where the linker can, it sends each launch through the program, which counts the kernels that ran.
include(CheckLinkerFlag)
set(gp_wrap_launch "-Wl,--wrap=gp_cuda_launch")
check_linker_flag(C "${gp_wrap_launch}" gp_can_wrap_launch)
if(gp_can_wrap_launch)
  target_link_options(every_kernel PRIVATE "${gp_wrap_launch}")
  target_compile_definitions(every_kernel PRIVATE GP_TEST_WRAPS_LAUNCH=1)
endif()

# On the emulated device: cases that launch every kernel, and some more, in other orders of threads and paces of streams.
# Primes, so that cases of all kinds are among them.
function(gp_test_every_kernel name)
  set(built "${CMAKE_CURRENT_BINARY_DIR}/emulator")
  add_test(NAME ${name} COMMAND every_kernel ${ARGN})
  set_tests_properties(${name} PROPERTIES TIMEOUT 600 ENVIRONMENT
    "GPUPLOT_CUDA_DRIVER=${built}/libcuda.so.1;GPUPLOT_NVRTC=${built}/libnvrtc.so;XDG_CACHE_HOME=${built}/cache;\
LSAN_OPTIONS=print_suppressions=0:suppressions=${gp_gpu_dir}/../native/emulator_leaks.txt")
endfunction()
if(GPUPLOT_EMULATOR)
  gp_test_every_kernel(every_kernel --every 997 --complete)
  gp_test_every_kernel(every_kernel_late --every 797 --order 2 --pace 2)
  gp_test_every_kernel(every_kernel_compared --every 1499 --order 4 --pace 3)
endif()

# How fast the kernels are: by hand, on a GPU.
add_executable(kernel_speed EXCLUDE_FROM_ALL "${gp_gpu_dir}/kernel_speed.c" "${gp_gpu_dir}/kernels/memory.c")
target_include_directories(kernel_speed PRIVATE "${gp_gpu_dir}")
gp_link_core(kernel_speed)
