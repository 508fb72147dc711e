# The fuzz targets in C: every tests/fuzz/fuzz_*.c is a program, with input.c and others linked into each of them.
#
# With GPUPLOT_FUZZ and clang each runs libFuzzer; for the C tests each replays the files of its corpus, once at every level of
# vector instructions, with any compiler.
set(gp_fuzz_dir "${CMAKE_CURRENT_SOURCE_DIR}/../tests/fuzz")
file(GLOB gp_fuzz_sources CONFIGURE_DEPENDS "${gp_fuzz_dir}/fuzz_*.c")
file(GLOB gp_fuzz_support CONFIGURE_DEPENDS "${gp_fuzz_dir}/*.c")
list(REMOVE_ITEM gp_fuzz_support ${gp_fuzz_sources} "${gp_fuzz_dir}/replay.c")
list(APPEND gp_fuzz_support "${gp_fuzz_dir}/../native/cast_elements.c")
if(NOT gp_have_png)
  list(FILTER gp_fuzz_sources EXCLUDE REGEX "/fuzz_png\\.c$")
endif()

# A program of one target's source file and the support files, with what tells libFuzzer's main from ours.
function(gp_add_fuzz_program program source)
  add_executable(${program} "${source}" ${gp_fuzz_support} ${ARGN})
  target_include_directories(${program} PRIVATE "${gp_fuzz_dir}" "${gp_fuzz_dir}/../native")
  gp_link_core(${program})
endfunction()

foreach(source IN LISTS gp_fuzz_sources)
  get_filename_component(name "${source}" NAME_WE)
  if(GPUPLOT_FUZZ)
    gp_add_fuzz_program(${name} "${source}")
    target_link_options(${name} PRIVATE -fsanitize=fuzzer)
  endif()
  if(GPUPLOT_TESTS)
    string(REPLACE "fuzz_" "" target "${name}")
    gp_add_fuzz_program(replay_${target} "${source}" "${gp_fuzz_dir}/replay.c")
    foreach(level IN ITEMS base avx2 avx512)
      add_test(NAME replay_${target}_${level} COMMAND replay_${target} "${gp_fuzz_dir}/corpus/${target}")
      set_tests_properties(replay_${target}_${level} PROPERTIES TIMEOUT 120 ENVIRONMENT "GPUPLOT_CPU_LEVEL=${level}")
    endforeach()
  endif()
endforeach()
