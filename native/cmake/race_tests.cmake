# Programs for ThreadSanitizer (GPUPLOT_RACES=ON): every tests/races/race_*.c is one; stub_driver.c stands for the driver and NVRTC.
enable_testing()
set(gp_races_dir "${CMAKE_CURRENT_SOURCE_DIR}/../tests/races")
file(GLOB gp_race_sources CONFIGURE_DEPENDS "${gp_races_dir}/race_*.c")

# A driver without a lock: what it is called by is ordered by nobody but gpuplot.
add_library(race_driver SHARED "${gp_races_dir}/stub_driver.c")
target_include_directories(race_driver PRIVATE .)
target_link_libraries(race_driver PRIVATE gp_flags)
set_target_properties(race_driver PROPERTIES PREFIX "" OUTPUT_NAME "libstub_driver")

foreach(source IN LISTS gp_race_sources)
  get_filename_component(name "${source}" NAME_WE)
  add_executable(${name} "${source}" "${gp_races_dir}/at_once.c" "${gp_races_dir}/draws.c")
  target_include_directories(${name} PRIVATE "${gp_races_dir}" "${gp_races_dir}/../native" .)
  gp_link_core(${name})
endforeach()
