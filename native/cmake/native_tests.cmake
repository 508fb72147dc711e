# The C tests: every tests/native/test_*.c is a program; the other C files there are linked into each of them.
enable_testing()
set(gp_tests_dir "${CMAKE_CURRENT_SOURCE_DIR}/../tests/native")
file(GLOB gp_test_sources CONFIGURE_DEPENDS "${gp_tests_dir}/test_*.c")
file(GLOB gp_test_support CONFIGURE_DEPENDS "${gp_tests_dir}/*.c")
list(REMOVE_ITEM gp_test_support ${gp_test_sources})
if(NOT GPUPLOT_EMULATOR) # these run on the emulated device
  list(FILTER gp_test_sources EXCLUDE REGEX "/test_cuda_[^/]*\\.c$")
endif()

foreach(source IN LISTS gp_test_sources)
  get_filename_component(name "${source}" NAME_WE)
  add_executable(${name} "${source}" ${gp_test_support})
  target_include_directories(${name} PRIVATE "${gp_tests_dir}")
  gp_link_core(${name})
  add_test(NAME ${name} COMMAND ${name})
  set_tests_properties(${name} PROPERTIES TIMEOUT 120)
  if(name MATCHES "^test_cuda_")
    set(gp_emulator_built "${CMAKE_CURRENT_BINARY_DIR}/emulator")
    set_tests_properties(${name} PROPERTIES ENVIRONMENT
      "GPUPLOT_CUDA_DRIVER=${gp_emulator_built}/libcuda.so.1;GPUPLOT_NVRTC=${gp_emulator_built}/libnvrtc.so;\
LSAN_OPTIONS=print_suppressions=0:suppressions=${gp_tests_dir}/emulator_leaks.txt")
  endif()
endforeach()

# Where the linker can replace functions for our own objects, the encoder's test fails each allocation once, counts
# bytes, and answers for zlib.
include(CheckLinkerFlag)
set(gp_wrap_functions "-Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=free,--wrap=deflate")
check_linker_flag(C "${gp_wrap_functions}" gp_can_wrap)
if(gp_can_wrap AND gp_have_png AND TARGET test_png_encoder)
  target_link_options(test_png_encoder PRIVATE "${gp_wrap_functions}")
  target_compile_definitions(test_png_encoder PRIVATE GP_TEST_WRAPS=1)
endif()
