# `cmake --install`: headers, libraries, and what find_package(warpwise) and pkg-config find.
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/warpwise)
set(libraries warpwise)
if(WARPWISE_EMULATOR)
  list(APPEND libraries warpwise_emulator)
endif()
install(TARGETS ${libraries} EXPORT warpwiseTargets FILE_SET HEADERS)
if(TARGET warpwise_cudart)
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

# pkg-config takes the prefix from where its file lies, so that an installed tree can be moved.
file(RELATIVE_PATH prefix_from_pc /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
foreach(library IN LISTS libraries)
  string(REPLACE _ - name ${library})
  configure_file(${CMAKE_CURRENT_LIST_DIR}/${name}.pc.in ${PROJECT_BINARY_DIR}/${name}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/${name}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endforeach()
