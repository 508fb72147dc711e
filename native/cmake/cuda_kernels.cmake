# The one list of kernel modules: for each its name, source and definition; a driver's module is made of each.
#
# gp_cuda_modules are the names; gp_cuda_source_<name> is the path of the .cu file, gp_cuda_define_<name> what is
# defined for it (empty: nothing). The modules of a class hold the kernels of one kind of elements, so that a picture loads only
# what its dtype needs. This file only says what there is: cuda_images.cmake embeds it, tests/emulator compiles it as C++.
set(gp_cuda_classes I8 F8 I16 H16 I32 F32 I64 F64 ONE ANY)
set(gp_cuda_kernels_dir "${CMAKE_CURRENT_LIST_DIR}/../cuda/kernels")
set(gp_cuda_modules "")

macro(gp_cuda_module name source define)
  list(APPEND gp_cuda_modules ${name})
  set(gp_cuda_source_${name} "${gp_cuda_kernels_dir}/${source}")
  set(gp_cuda_define_${name} "${define}")
endmacro()

foreach(class IN LISTS gp_cuda_classes)
  gp_cuda_module(reduce_${class} reduce.cu GP_CLASS=${class})
  gp_cuda_module(select_${class} select.cu GP_CLASS=${class})
  gp_cuda_module(summary_${class} summary.cu GP_CLASS=${class})
  gp_cuda_module(series_${class} series.cu GP_CLASS=${class})
endforeach()
gp_cuda_module(shade shade.cu "")
gp_cuda_module(convert convert.cu "")
gp_cuda_module(points points.cu "")
gp_cuda_module(joint joint.cu "")
gp_cuda_module(difference difference.cu "")
gp_cuda_module(bin_points bin_points.cu "")
gp_cuda_module(bin_lines bin_lines.cu "")
