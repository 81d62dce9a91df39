# `cmake --install`: headers, library, command, and the package that find_package(warpwise) finds.
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/warpwise)
install(TARGETS warpwise warpwise_emulator EXPORT warpwiseTargets FILE_SET HEADERS)
if(WARPWISE_CUDA)
  # The emulated CUDA runtime, and the library on it, under the names of what they stand in for: in a folder that
  # no loader searches by itself.
  install(TARGETS warpwise_cudart warpwise_on_emulator
          LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/warpwise/emulated NAMELINK_SKIP)
endif()
install(EXPORT warpwiseTargets NAMESPACE warpwise:: DESTINATION ${package_dir})
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/warpwiseConfig.cmake.in
                              ${PROJECT_BINARY_DIR}/warpwiseConfig.cmake
                              INSTALL_DESTINATION ${package_dir})
# Before 1.0 a minor version may change the interface.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/warpwiseConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/warpwiseConfig.cmake
              ${PROJECT_BINARY_DIR}/warpwiseConfigVersion.cmake DESTINATION ${package_dir})
