# warpwise_add_ptx(TARGET SOURCE.cu... [ARCHITECTURE 75] [DEFINITIONS K=V...] [INCLUDE_FOLDERS FOLDER...]
#                  [OPTIONS OPTION...])
#
# Compiles CUDA files to PTX with source lines, for the tests of TARGET, and compiles them again when a file or a header
# changes. TARGET gets the macro WARPWISE_PTX_FOLDER, the folder of the PTX files: kernels/blur.cu becomes "blur.ptx".
# Several calls for one TARGET add files, each with its own options. Relative folders begin at the caller's source
# folder. OPTIONS are nvcc's own. nvcc is $CMAKE_CUDA_COMPILER, or else that of $CUDACXX, $CUDA_HOME, $CUDA_PATH, $PATH
# or /usr/local/cuda; CUDA need not be enabled. Without nvcc the configuration fails; Testbench::load() can compile a
# .cu file by NVRTC instead.
function(warpwise_add_ptx target)
  set(call "warpwise_add_ptx(${target})")
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "ARCHITECTURE" "DEFINITIONS;INCLUDE_FOLDERS;OPTIONS")
  if(NOT arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "${call}: no CUDA file is named")
  endif()
  if(NOT DEFINED arg_ARCHITECTURE)
    set(arg_ARCHITECTURE 75)
  elseif(NOT arg_ARCHITECTURE MATCHES "^[0-9]+[af]?$")
    message(FATAL_ERROR "${call}: ARCHITECTURE is '${arg_ARCHITECTURE}', it needs a number, such as 80 for compute_80")
  endif()
  set(nvcc ${CMAKE_CUDA_COMPILER})
  if(NOT nvcc)
    find_program(WARPWISE_NVCC NAMES $ENV{CUDACXX} nvcc HINTS $ENV{CUDA_HOME}/bin $ENV{CUDA_PATH}/bin /usr/local/cuda/bin)
    if(NOT WARPWISE_NVCC)
      message(FATAL_ERROR "${call} needs nvcc, which is not here: set CUDACXX to it, or load the .cu "
                          "files with Testbench::load(), which NVRTC can compile when the test runs")
    endif()
    set(nvcc ${WARPWISE_NVCC})
  endif()
  list(TRANSFORM arg_DEFINITIONS PREPEND -D)
  set(includes)
  foreach(folder IN LISTS arg_INCLUDE_FOLDERS)
    # nvcc runs in the build folder, so the folders must be absolute.
    get_filename_component(folder ${folder} ABSOLUTE)
    list(APPEND includes -I${folder})
  endforeach()

  set(folder ${CMAKE_CURRENT_BINARY_DIR}/${target}_ptx)
  file(MAKE_DIRECTORY ${folder})
  get_property(all TARGET ${target} PROPERTY WARPWISE_PTX_FILES)
  set(own)
  foreach(source IN LISTS arg_UNPARSED_ARGUMENTS)
    get_filename_component(path ${source} ABSOLUTE)
    get_source_file_property(is_generated ${path} GENERATED)
    if(NOT path MATCHES "[.]cu$" OR (NOT EXISTS ${path} AND NOT is_generated))
      message(FATAL_ERROR "${call}: '${source}' is neither a CUDA file (.cu) that is there nor one of the words "
                          "ARCHITECTURE, DEFINITIONS, INCLUDE_FOLDERS, OPTIONS")
    endif()
    get_filename_component(name ${source} NAME_WLE)
    set(ptx ${folder}/${name}.ptx)
    if(ptx IN_LIST all)
      message(FATAL_ERROR "${call}: two files would become ${name}.ptx")
    endif()
    list(APPEND all ${ptx})
    list(APPEND own ${ptx})
    add_custom_command(OUTPUT ${ptx} DEPENDS ${path} DEPFILE ${ptx}.d
      COMMAND ${nvcc} -ptx -lineinfo -arch=compute_${arg_ARCHITECTURE} ${arg_DEFINITIONS} ${includes}
              ${arg_OPTIONS} -MD -MT ${ptx} -MF ${ptx}.d -o ${ptx} ${path}
      COMMENT "Compiling ${name}.ptx" VERBATIM)
  endforeach()
  set_property(TARGET ${target} PROPERTY WARPWISE_PTX_FILES ${all})
  # Each call gets a target of its own, because files cannot be added to an existing custom target.
  list(LENGTH all count)
  add_custom_target(${target}_ptx_${count} DEPENDS ${own})
  add_dependencies(${target} ${target}_ptx_${count})
  target_compile_definitions(${target} PRIVATE WARPWISE_PTX_FOLDER="${folder}")
endfunction()
