# Finds the few parts of OpenCV that Warpwise uses, as imported targets. Debian's OpenCVConfig.cmake is in
# libopencv-dev, which installs every module of OpenCV and hundreds of packages that they need. The parts needed here
# come in small -dev packages without a CMake file.
#
#   OpenCVParts::imgcodecs  image files       OpenCVParts::imgproc  results and times to compare with
#   OpenCVParts::calib3d    StereoBM for cpu_bench, if it is installed
find_path(OpenCVParts_INCLUDE_DIR opencv2/imgcodecs.hpp PATH_SUFFIXES opencv4)
foreach(part core imgproc imgcodecs calib3d)
  find_library(OpenCVParts_${part}_LIBRARY opencv_${part})
  mark_as_advanced(OpenCVParts_${part}_LIBRARY)
endforeach()
mark_as_advanced(OpenCVParts_INCLUDE_DIR)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(OpenCVParts REQUIRED_VARS
  OpenCVParts_INCLUDE_DIR OpenCVParts_core_LIBRARY OpenCVParts_imgproc_LIBRARY
  OpenCVParts_imgcodecs_LIBRARY)

if(OpenCVParts_FOUND AND NOT TARGET OpenCVParts::core)
  foreach(part core imgproc imgcodecs)
    add_library(OpenCVParts::${part} UNKNOWN IMPORTED)
    set_target_properties(OpenCVParts::${part} PROPERTIES
      IMPORTED_LOCATION ${OpenCVParts_${part}_LIBRARY}
      INTERFACE_INCLUDE_DIRECTORIES ${OpenCVParts_INCLUDE_DIR})
  endforeach()
  target_link_libraries(OpenCVParts::imgproc INTERFACE OpenCVParts::core)
  target_link_libraries(OpenCVParts::imgcodecs INTERFACE OpenCVParts::core)
endif()

if(OpenCVParts_FOUND AND OpenCVParts_calib3d_LIBRARY AND NOT TARGET OpenCVParts::calib3d)
  add_library(OpenCVParts::calib3d UNKNOWN IMPORTED)
  set_target_properties(OpenCVParts::calib3d PROPERTIES IMPORTED_LOCATION ${OpenCVParts_calib3d_LIBRARY})
  target_link_libraries(OpenCVParts::calib3d INTERFACE OpenCVParts::imgproc)
endif()
