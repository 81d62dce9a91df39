# Configures `cpack`. It makes a Debian package for each component of install.cmake, and one tar.gz with all components,
# which runs wherever it is unpacked. scripts/package.sh calls it; package_files.cmake finishes the staged files.
set(so_version ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
set(CPACK_PACKAGE_NAME warpwise)
set(CPACK_PACKAGE_VENDOR "Warpwise")
set(CPACK_PACKAGE_CONTACT "Warpwise maintainers <maintainers@warpwise.invalid>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_PACKAGE_FILE_NAME warpwise-${PROJECT_VERSION}-linux-${CMAKE_SYSTEM_PROCESSOR})
set(CPACK_GENERATOR "DEB;TGZ")
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_COMPONENTS_ALL)
set(CPACK_PRE_BUILD_SCRIPTS ${CMAKE_CURRENT_LIST_DIR}/package_files.cmake)
set(CPACK_WARPWISE_SOURCE ${PROJECT_SOURCE_DIR})
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
    OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)

set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
if(CMAKE_SYSTEM_PROCESSOR STREQUAL aarch64)
  set(CPACK_DEBIAN_PACKAGE_ARCHITECTURE arm64)  # the target's architecture, not this machine's
endif()
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
# Excludes our own libraries from the search for dependencies; the dependencies below name our packages and their
# version.
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${PROJECT_BINARY_DIR}/lib ${PROJECT_BINARY_DIR}/lib/warpwise/emulated)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)

# debian_package(COMPONENT PACKAGE SECTION DESCRIPTION [DEPENDS OWN_PACKAGE...] [LIBRARIES NAME...])
# LIBRARIES: libraries that other packages may link. CPack's own list would offer the emulated libcuda to all of them.
macro(debian_package component package section description)
  cmake_parse_arguments(arg "" "" "DEPENDS;LIBRARIES" ${ARGN})
  list(APPEND CPACK_COMPONENTS_ALL warpwise_${component})
  string(TOUPPER warpwise_${component} upper)
  set(CPACK_DEBIAN_${upper}_PACKAGE_NAME ${package})
  set(CPACK_DEBIAN_${upper}_PACKAGE_SECTION ${section})
  set(CPACK_DEBIAN_${upper}_DESCRIPTION "${description}")
  set(CPACK_COMPONENT_${upper}_DESCRIPTION "${description}")
  list(TRANSFORM arg_DEPENDS APPEND " (= ${PROJECT_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE})")
  list(JOIN arg_DEPENDS ", " CPACK_DEBIAN_${upper}_PACKAGE_DEPENDS)
  if(arg_LIBRARIES)
    list(TRANSFORM arg_LIBRARIES APPEND " ${so_version} ${package} (>= ${PROJECT_VERSION})\n")
    string(CONCAT lines ${arg_LIBRARIES})
    set(control ${PROJECT_BINARY_DIR}/debian/${package})
    file(CONFIGURE OUTPUT ${control}/shlibs CONTENT "${lines}")
    file(CONFIGURE OUTPUT ${control}/triggers CONTENT "activate-noawait ldconfig\n")
    set(CPACK_DEBIAN_${upper}_PACKAGE_CONTROL_EXTRA ${control}/shlibs ${control}/triggers)
  endif()
endmacro()

set(library libwarpwise${so_version})
set(emulator libwarpwise-emulator${so_version})
debian_package(library ${library} libs
"image primitives with identical results on GPU and CPU
 Copies and conversions of colour formats, Sobel, adaptive threshold, block
 motion, stereo disparity, template search and matrix times vector, in C++20.
 The GPU path needs NVIDIA's driver alone, and only when it is used."
  LIBRARIES libwarpwise)
debian_package(emulator ${emulator} libs
"runs CUDA kernels on the CPU, exactly and with counts
 The emulator of Warpwise, a bench for tests of kernels, and a CUDA runtime on
 the emulator, on which whole programs run without a GPU."
  DEPENDS ${library} LIBRARIES libwarpwise_emulator libwarpwise_testbench)
debian_package(dev libwarpwise-dev libdevel
"image primitives with identical results on GPU and CPU (headers)
 Headers, CMake and pkg-config files of Warpwise's libraries: the primitives,
 the emulator of CUDA kernels, and the bench for tests of kernels."
  DEPENDS ${library} ${emulator})
debian_package(tools warpwise graphics
"image primitives and a laboratory of CUDA kernels (command)
 The command warpwise: the primitives on image files and pipes; what a CUDA
 kernel costs and why, without a GPU; every step that made these kernels fast,
 to run. Videos, cameras and windows need warpwise-media."
  DEPENDS ${library} ${emulator})
debian_package(media warpwise-media video
"videos, cameras, windows and rare image files for warpwise
 The modules of the command warpwise that need FFmpeg, OpenGL and OpenCV."
  DEPENDS warpwise)
debian_package(doc warpwise-doc doc
"documents and examples of Warpwise
 How to use the image primitives, the laboratory and the emulator of CUDA
 kernels, and programs that do.")
set(CPACK_DEBIAN_WARPWISE_DOC_PACKAGE_ARCHITECTURE all)
set(CPACK_DEBIAN_WARPWISE_DOC_PACKAGE_SHLIBDEPS OFF)
set(CPACK_DEBIAN_WARPWISE_DEV_PACKAGE_SHLIBDEPS OFF)
set(CPACK_DEBIAN_WARPWISE_TOOLS_PACKAGE_SUGGESTS "warpwise-media, warpwise-doc")
set(CPACK_DEBIAN_WARPWISE_DEV_PACKAGE_SUGGESTS warpwise-doc)

include(CPack)
