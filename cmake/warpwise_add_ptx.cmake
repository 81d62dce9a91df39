# warpwise_add_ptx(TARGET SOURCE.cu... [ARCHITECTURE 75] [DEFINITIONS K=V...] [INCLUDE_FOLDERS FOLDER...]
#                  [OPTIONS OPTION...])
#
# Compiles CUDA files to PTX with source lines, for what TARGET tests, and does so again when one of them or a header
# changes. TARGET gets the macro WARPWISE_PTX_FOLDER, the folder with the results: of kernels/blur.cu "blur.ptx".
# OPTIONS are nvcc's own. nvcc is $CMAKE_CUDA_COMPILER, else that of $CUDACXX, $PATH or /usr/local/cuda; the language
# CUDA need not be enabled. Without nvcc configuring ends: Testbench::load() of a .cu file takes NVRTC instead.
function(warpwise_add_ptx target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "ARCHITECTURE" "DEFINITIONS;INCLUDE_FOLDERS;OPTIONS")
  if(NOT arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "warpwise_add_ptx(${target}): no CUDA file is named")
  endif()
  if(NOT arg_ARCHITECTURE)
    set(arg_ARCHITECTURE 75)
  endif()
  set(nvcc ${CMAKE_CUDA_COMPILER})
  if(NOT nvcc)
    find_program(WARPWISE_NVCC NAMES $ENV{CUDACXX} nvcc HINTS $ENV{CUDA_HOME}/bin $ENV{CUDA_PATH}/bin /usr/local/cuda/bin)
    if(NOT WARPWISE_NVCC)
      message(FATAL_ERROR "warpwise_add_ptx(${target}) needs nvcc, which is not here: set CUDACXX to it, or load the .cu "
                          "files with Testbench::load(), which NVRTC can compile when the test runs")
    endif()
    set(nvcc ${WARPWISE_NVCC})
  endif()
  list(TRANSFORM arg_DEFINITIONS PREPEND -D)
  list(TRANSFORM arg_INCLUDE_FOLDERS PREPEND -I)
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/${target}_ptx)
  file(MAKE_DIRECTORY ${folder})
  set(all)
  foreach(source IN LISTS arg_UNPARSED_ARGUMENTS)
    get_filename_component(path ${source} ABSOLUTE)
    get_filename_component(name ${source} NAME_WE)
    set(ptx ${folder}/${name}.ptx)
    if(ptx IN_LIST all)
      message(FATAL_ERROR "warpwise_add_ptx(${target}): two files would become ${name}.ptx")
    endif()
    list(APPEND all ${ptx})
    add_custom_command(OUTPUT ${ptx} DEPENDS ${path} DEPFILE ${ptx}.d
      COMMAND ${nvcc} -ptx -lineinfo -arch=compute_${arg_ARCHITECTURE} ${arg_DEFINITIONS} ${arg_INCLUDE_FOLDERS}
              ${arg_OPTIONS} -MD -MT ${ptx} -MF ${ptx}.d -o ${ptx} ${path}
      COMMENT "Compiling ${name}.ptx" VERBATIM)
  endforeach()
  add_custom_target(${target}_ptx DEPENDS ${all})
  add_dependencies(${target} ${target}_ptx)
  target_compile_definitions(${target} PRIVATE WARPWISE_PTX_FOLDER="${folder}")
endfunction()
