# The extension module gpuplot._native.
find_package(Python 3.11 COMPONENTS Interpreter Development.Module NumPy REQUIRED)

file(GLOB gp_python_sources CONFIGURE_DEPENDS python/*.c)
if(GPUPLOT_ABI3)
  Python_add_library(_native MODULE ${gp_python_sources})
  set_target_properties(_native PROPERTIES SUFFIX ".abi3.so")
  target_compile_definitions(_native PRIVATE Py_LIMITED_API=0x030B0000)
else()
  Python_add_library(_native MODULE WITH_SOABI ${gp_python_sources})
endif()
target_include_directories(_native PRIVATE python "${CMAKE_CURRENT_BINARY_DIR}/generated")
target_link_libraries(_native PRIVATE Python::NumPy)
gp_link_core(_native)

if(GPUPLOT_INPLACE)
  set_target_properties(_native PROPERTIES LIBRARY_OUTPUT_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}/../gpuplot")
endif()
install(TARGETS _native LIBRARY DESTINATION gpuplot)
