# The program of tests/nvrtc that compiles the embedded kernels by a real libnvrtc; built only where somebody asks for it.
set(gp_nvrtc_source "${CMAKE_CURRENT_SOURCE_DIR}/../tests/nvrtc/compile_kernels.c")
include(CheckLinkerFlag)
set(gp_wrap_dlsym "-Wl,--wrap=dlsym") # the program listens to what the library says
check_linker_flag(C "${gp_wrap_dlsym}" gp_can_wrap_dlsym)
if(EXISTS "${gp_nvrtc_source}" AND gp_can_wrap_dlsym)
  add_executable(compile_kernels EXCLUDE_FROM_ALL "${gp_nvrtc_source}")
  target_include_directories(compile_kernels PRIVATE .)
  target_link_options(compile_kernels PRIVATE "${gp_wrap_dlsym}")
  gp_link_core(compile_kernels)
endif()
