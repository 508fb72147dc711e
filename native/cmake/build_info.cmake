# Write generated/build_info.h: what gpuplot.show_config() tells about this build.
get_target_property(gp_build_flags gp_flags INTERFACE_COMPILE_OPTIONS)
list(FILTER gp_build_flags EXCLUDE REGEX "^-W")
string(TOUPPER "${CMAKE_BUILD_TYPE}" gp_build_type_upper)
list(PREPEND gp_build_flags "${CMAKE_C_FLAGS}" "${CMAKE_C_FLAGS_${gp_build_type_upper}}")
list(JOIN gp_build_flags " " gp_build_flags)
string(STRIP "${gp_build_flags}" gp_build_flags)

# The values become C string literals.
foreach(name IN ITEMS gp_build_flags gp_png_note gp_nvrtc_note)
  string(REGEX REPLACE "[\"\\\\]" "'" ${name} "${${name}}")
endforeach()
configure_file(python/build_info.h.in generated/build_info.h @ONLY)
