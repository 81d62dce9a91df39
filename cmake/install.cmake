# Configures `cmake --install`: headers, libraries, and the files for find_package(warpwise) and pkg-config. If this is
# the top-level project, also the documents and the examples.
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/warpwise)
set(libraries warpwise)
if(WARPWISE_EMULATOR)
  list(APPEND libraries warpwise_emulator warpwise_testbench)
endif()
foreach(library IN LISTS libraries)
  set(component warpwise_emulator)
  if(library STREQUAL warpwise)
    set(component warpwise_library)
  endif()
  install(TARGETS ${library} EXPORT warpwiseTargets
          LIBRARY COMPONENT ${component} NAMELINK_COMPONENT warpwise_dev
          FILE_SET HEADERS COMPONENT warpwise_dev)
endforeach()
if(TARGET warpwise_runtime)
  install(TARGETS warpwise_runtime EXPORT warpwiseTargets LIBRARY COMPONENT warpwise_library NAMELINK_SKIP)
endif()
# opencv.hpp is installed by itself: it needs OpenCV, so the build cannot compile it alone like the other headers.
install(FILES ${PROJECT_SOURCE_DIR}/warpwise/opencv.hpp DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/warpwise COMPONENT warpwise_dev)
if(TARGET warpwise_cudart)
  get_target_property(emulated_library_runtime warpwise_cudart WARPWISE_LIBRARY_RUNTIME)
  # The emulated CUDA runtime and driver have the names of the libraries they replace. They go into a folder that no loader
  # searches by default.
  install(FILES ${emulated_library_runtime} DESTINATION ${CMAKE_INSTALL_LIBDIR}/warpwise/emulated COMPONENT warpwise_emulator)
  install(TARGETS warpwise_cuda warpwise_cudart
          LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/warpwise/emulated COMPONENT warpwise_emulator NAMELINK_SKIP)
  install(PROGRAMS ${PROJECT_SOURCE_DIR}/warpwise/emulator/runtime/preload/ptxas
          DESTINATION ${CMAKE_INSTALL_LIBDIR}/warpwise/emulated COMPONENT warpwise_emulator)
  install(PROGRAMS ${PROJECT_SOURCE_DIR}/warpwise/emulator/runtime/preload/nvcc
          DESTINATION ${CMAKE_INSTALL_LIBDIR}/warpwise/emulated/bin COMPONENT warpwise_emulator)
  install(TARGETS warpwise_preload LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/warpwise/emulated COMPONENT warpwise_emulator)
endif()
install(EXPORT warpwiseTargets NAMESPACE warpwise:: DESTINATION ${package_dir} COMPONENT warpwise_dev)
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/warpwiseConfig.cmake.in
                              ${PROJECT_BINARY_DIR}/warpwiseConfig.cmake
                              INSTALL_DESTINATION ${package_dir})
# Before 1.0 a minor version may change the interface.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/warpwiseConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/warpwiseConfig.cmake
              ${PROJECT_BINARY_DIR}/warpwiseConfigVersion.cmake
              ${CMAKE_CURRENT_LIST_DIR}/warpwise_add_ptx.cmake DESTINATION ${package_dir} COMPONENT warpwise_dev)

# pkg-config derives the prefix from the place of its file, so that an installed tree can be moved.
file(RELATIVE_PATH prefix_from_pc /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
foreach(library IN LISTS libraries)
  string(REPLACE _ - name ${library})
  configure_file(${CMAKE_CURRENT_LIST_DIR}/${name}.pc.in ${PROJECT_BINARY_DIR}/${name}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/${name}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT warpwise_dev)
endforeach()

if(PROJECT_IS_TOP_LEVEL)
  # The documents keep the layout of the repository, so that links between them work, and docs/hardware-rules.md in a
  # message is a valid path.
  install(FILES LICENSE README.md README.ko.md CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT warpwise_doc)
  install(DIRECTORY docs DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT warpwise_doc FILES_MATCHING PATTERN "*.md")
  install(DIRECTORY examples DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT warpwise_doc)
  file(GLOB_RECURSE readmes RELATIVE ${PROJECT_SOURCE_DIR} CONFIGURE_DEPENDS warpwise/README.md)
  foreach(readme IN LISTS readmes)
    get_filename_component(folder ${readme} DIRECTORY)
    install(FILES ${readme} DESTINATION ${CMAKE_INSTALL_DOCDIR}/${folder} COMPONENT warpwise_doc)
  endforeach()
endif()
if(PROJECT_IS_TOP_LEVEL)
  include(${CMAKE_CURRENT_LIST_DIR}/packages.cmake)
endif()
