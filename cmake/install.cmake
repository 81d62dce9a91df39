# `cmake --install`: headers, library, command, and the package that find_package(warpwise) finds.
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/warpwise)
install(TARGETS warpwise EXPORT warpwiseTargets)
install(EXPORT warpwiseTargets NAMESPACE warpwise:: DESTINATION ${package_dir})
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/warpwiseConfig.cmake.in
                              ${PROJECT_BINARY_DIR}/warpwiseConfig.cmake
                              INSTALL_DESTINATION ${package_dir})
# Before 1.0 a minor version may change the interface.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/warpwiseConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/warpwiseConfig.cmake
              ${PROJECT_BINARY_DIR}/warpwiseConfigVersion.cmake DESTINATION ${package_dir})

# What a program includes: the headers of base and gpu that need no toolkit, and one a primitive.
install(FILES warpwise/warpwise.hpp DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/warpwise)
install(DIRECTORY warpwise/base warpwise/gpu warpwise/primitives
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/warpwise
        FILES_MATCHING PATTERN "*.hpp"
        PATTERN backends.hpp EXCLUDE PATTERN validate.hpp EXCLUDE
        PATTERN check.hpp EXCLUDE PATTERN launch.hpp EXCLUDE)
