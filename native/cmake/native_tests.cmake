# The C tests: every tests/native/test_*.c is a program; the other C files there are linked into each of them.
enable_testing()
set(gp_tests_dir "${CMAKE_CURRENT_SOURCE_DIR}/../tests/native")
file(GLOB gp_test_sources CONFIGURE_DEPENDS "${gp_tests_dir}/test_*.c")
file(GLOB gp_test_support CONFIGURE_DEPENDS "${gp_tests_dir}/*.c")
list(REMOVE_ITEM gp_test_support ${gp_test_sources})
if(NOT GPUPLOT_EMULATOR) # these run on the emulated device
  list(FILTER gp_test_sources EXCLUDE REGEX "/test_cuda_[^/]*\\.c$")
endif()
set(gp_choice_test "${gp_tests_dir}/test_cuda_image_choice.c") # has its own table of images, and is run in several ways
list(REMOVE_ITEM gp_test_sources "${gp_choice_test}")

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

# The same on a device without memory pools.
if(GPUPLOT_EMULATOR)
  add_test(NAME test_cuda_memory_without_pools COMMAND test_cuda_memory)
  set_tests_properties(test_cuda_memory_without_pools PROPERTIES TIMEOUT 120 ENVIRONMENT
    "EMU_POOLS=0;GPUPLOT_CUDA_DRIVER=${gp_emulator_built}/libcuda.so.1;GPUPLOT_NVRTC=${gp_emulator_built}/libnvrtc.so;\
LSAN_OPTIONS=print_suppressions=0:suppressions=${gp_tests_dir}/emulator_leaks.txt")
endif()

# Images by the emulated NVRTC, which knows 70, 75, 80 and 90: what does each GPU run? "none": what NVRTC compiles at first use.
if(GPUPLOT_EMULATOR)
  gp_add_images(gp_test_images "$<TARGET_FILE:emulated_nvrtc>" "sm_75;sm_80;sm_86?;sm_90;sm_100?;compute_75")
  add_executable(test_cuda_image_choice "${gp_choice_test}" ${gp_test_support})
  target_include_directories(test_cuda_image_choice PRIVATE "${gp_tests_dir}")
  gp_link_core(test_cuda_image_choice gp_test_images)
  foreach(case IN ITEMS 70:none 75:sm_75 80:sm_80 86:sm_80 89:sm_80 90:sm_90 100:compute_75 110:compute_75 121:compute_75)
    string(REPLACE ":" ";" case "${case}")
    list(GET case 0 capability)
    add_test(NAME test_cuda_image_choice_${capability} COMMAND test_cuda_image_choice ${case})
    set_tests_properties(test_cuda_image_choice_${capability} PROPERTIES TIMEOUT 120 ENVIRONMENT
      "EMU_CAPABILITY=${capability};GPUPLOT_CUDA_DRIVER=${gp_emulator_built}/libcuda.so.1;\
GPUPLOT_NVRTC=${gp_emulator_built}/libnvrtc.so;XDG_CACHE_HOME=/dev/null;\
LSAN_OPTIONS=print_suppressions=0:suppressions=${gp_tests_dir}/emulator_leaks.txt")
  endforeach()
endif()

# Where the linker can replace functions for our own objects, the encoder's test fails each allocation once, counts
# bytes, and answers for zlib.
include(CheckLinkerFlag)
set(gp_wrap_functions "-Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=free,--wrap=deflate")
check_linker_flag(C "${gp_wrap_functions}" gp_can_wrap)
if(gp_can_wrap AND gp_have_png AND TARGET test_png_encoder)
  target_link_options(test_png_encoder PRIVATE "${gp_wrap_functions}")
  target_compile_definitions(test_png_encoder PRIVATE GP_TEST_WRAPS=1)
endif()
