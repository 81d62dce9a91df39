# warpwise_cuda_code(TARGET SOURCE CAPABILITY...)
#
# Compiles a CUDA source of a target to PTX once for each capability for which its kernels have
# special code. The machine code of all CMAKE_CUDA_ARCHITECTURES is made from these PTX texts. This
# saves time, because nvcc's front end takes half of it. Every CUDA source of the target needs a
# call.
#
#   CAPABILITY  75, 80, …: a value of __CUDA_ARCH__ / 10 that the source tests; the first one is the oldest GPU.
#               Its PTX is included if any PTX is requested. With the suffix "-real" only machine code is made from it.
#
# If CMAKE_CUDA_ARCHITECTURES has values other than numbers ("native", "all"), CMake's own rules apply.
function(warpwise_cuda_code target source)
  set(options)
  foreach(architecture IN LISTS CMAKE_CUDA_ARCHITECTURES)
    if(NOT architecture MATCHES "^([0-9]+)([af]?)(-real|-virtual)?$")
      return()
    endif()
    set(number ${CMAKE_MATCH_1})
    set(suffix "${CMAKE_MATCH_2}")
    set(kind "${CMAKE_MATCH_3}")
    set(from)
    foreach(capability IN LISTS ARGN)
      string(REPLACE "-real" "" capability_number ${capability})
      if(NOT capability_number GREATER number)
        set(from ${capability_number})
      endif()
      if(NOT kind STREQUAL "-real" AND NOT capability MATCHES "-real")
        list(APPEND code_${capability_number} compute_${capability_number})
        list(APPEND numbers ${capability_number})
      endif()
    endforeach()
    if(NOT from)
      message(FATAL_ERROR "CMAKE_CUDA_ARCHITECTURES has ${architecture}: ${source} needs CC ${ARGV2} at least")
    endif()
    if(NOT kind STREQUAL "-virtual")
      list(APPEND code_${from} sm_${number}${suffix})
      list(APPEND numbers ${from})
    endif()
  endforeach()
  list(REMOVE_DUPLICATES numbers)
  foreach(number IN LISTS numbers)
    list(REMOVE_DUPLICATES code_${number})
    list(JOIN code_${number} "," code)
    list(APPEND options "--generate-code=arch=compute_${number},code=[${code}]")
  endforeach()
  set_property(TARGET ${target} PROPERTY CUDA_ARCHITECTURES OFF)
  set_property(SOURCE ${source} APPEND PROPERTY COMPILE_OPTIONS ${options})
endfunction()
