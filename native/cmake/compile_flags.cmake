# The flags of every C file, as the interface target gp_flags.
include(CheckCCompilerFlag)
add_library(gp_flags INTERFACE)

# No contraction and no reordering: every instruction level and every machine gives the same bits.
# Nobody reads errno or floating-point traps, and without them the loops can be vectorized.
target_compile_options(gp_flags INTERFACE -fno-trapping-math -fno-math-errno -ffp-contract=off)

target_compile_options(gp_flags INTERFACE -Wall -Wextra -Wconversion -Wshadow -Wvla)
if(GPUPLOT_WERROR)
  target_compile_options(gp_flags INTERFACE -Werror)
endif()

if(GPUPLOT_SANITIZE)
  set(gp_sanitize "-fsanitize=${GPUPLOT_SANITIZE}")
  target_compile_options(gp_flags INTERFACE ${gp_sanitize} -fno-sanitize-recover=all -fno-omit-frame-pointer -g)
  target_link_options(gp_flags INTERFACE ${gp_sanitize})
endif()
