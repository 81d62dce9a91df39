# Finishes the files that CPack has staged for one generator. CPack runs this between installing and packing.
cmake_policy(VERSION 3.25)

function(run)
  execute_process(COMMAND ${ARGN} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

# Finishes the folder of one Debian package. Run paths are removed, because the loader searches /usr/lib anyway. The
# emulated runtime's libraries keep theirs, because no loader searches their folder.
function(finish_debian_package folder package)
  file(GLOB_RECURSE binaries ${folder}/usr/bin/* ${folder}/usr/lib/*.so*)
  foreach(binary IN LISTS binaries)
    if(NOT IS_SYMLINK ${binary} AND NOT binary MATCHES "/emulated/")
      file(RPATH_REMOVE FILE ${binary})
    endif()
  endforeach()
  file(GLOB pages ${folder}/usr/share/man/man*/*.[1-9])
  foreach(page IN LISTS pages)
    run(gzip -9n ${page})
  endforeach()
  set(documents ${folder}/usr/share/doc/${package})
  set(debian ${CPACK_WARPWISE_SOURCE}/cmake/debian)
  file(MAKE_DIRECTORY ${documents})
  configure_file(${debian}/copyright ${documents}/copyright COPYONLY)
  string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC)
  set(version ${CPACK_PACKAGE_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE})
  configure_file(${debian}/changelog.in ${documents}/changelog.Debian @ONLY)
  run(gzip -9n ${documents}/changelog.Debian)
  configure_file(${debian}/lintian-overrides ${folder}/usr/share/lintian/overrides/${package} COPYONLY)
endfunction()

# Copies libraries that some systems lack into the archive, with their licences: threads, SIMD, text and image files.
# Left out are libtiff, which would bring libjbig and its GPL, and FFmpeg, OpenCV and OpenGL, because the modules that
# need them use the system's libraries.
set(BUNDLED "^lib(tbb|hwy|fmt|png16|jpeg|webp|sharpyuv|z|zstd)[.]so")
function(finish_tree folder)
  file(GLOB binaries ${folder}/bin/* ${folder}/lib/*.so* ${folder}/lib/warpwise/emulated/*.so*)
  list(FILTER binaries EXCLUDE REGEX "libwarpwise_(tiff|opencv|video|scene|viewer)[.]so")
  file(GET_RUNTIME_DEPENDENCIES LIBRARIES ${binaries} DIRECTORIES ${folder}/lib ${folder}/lib/warpwise/emulated
       PRE_INCLUDE_REGEXES "${BUNDLED}" PRE_EXCLUDE_REGEXES ".*"
       RESOLVED_DEPENDENCIES_VAR found UNRESOLVED_DEPENDENCIES_VAR missing)
  if(missing)
    message(FATAL_ERROR "${missing} cannot be found")
  endif()
  foreach(library IN LISTS found)
    get_filename_component(name ${library} NAME)
    file(REAL_PATH ${library} real)
    configure_file(${real} ${folder}/lib/${name} COPYONLY)
    run(patchelf --set-rpath "$ORIGIN" ${folder}/lib/${name})
    # If /lib is a link to /usr/lib, dpkg knows some files by their path in /lib and others by their path in /usr/lib.
    string(REGEX REPLACE "^/usr" "" short ${real})
    execute_process(COMMAND dpkg-query --search ${real} ${short} OUTPUT_VARIABLE owner ERROR_QUIET)
    string(REGEX MATCH "^[^:]+" owner "${owner}")
    configure_file(/usr/share/doc/${owner}/copyright ${folder}/share/doc/warpwise/licences/${owner} COPYONLY)
    message(STATUS "Bundled: ${name} of ${owner}")
  endforeach()
  # The emulator holds code of Xbyak's headers.
  if(EXISTS /usr/share/doc/libxbyak-dev/copyright)
    configure_file(/usr/share/doc/libxbyak-dev/copyright ${folder}/share/doc/warpwise/licences/libxbyak-dev COPYONLY)
  endif()
endfunction()

if(CPACK_GENERATOR STREQUAL DEB)
  foreach(component IN LISTS CPACK_COMPONENTS_ALL)
    string(TOUPPER ${component} upper)
    finish_debian_package(${CPACK_TEMPORARY_DIRECTORY}/${component} ${CPACK_DEBIAN_${upper}_PACKAGE_NAME})
  endforeach()
else()
  finish_tree(${CPACK_TEMPORARY_INSTALL_DIRECTORY})
endif()
