# A toolchain for aarch64 with Debian's cross compiler. scripts/packages.sh --arm64 makes the folder of Debian's arm64
# packages; tests run under QEMU.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)

cmake_path(SET root NORMALIZE ${CMAKE_CURRENT_LIST_DIR}/../build/arm64-root)
set(CMAKE_SYSROOT ${root})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
foreach(kind LIBRARY INCLUDE PACKAGE)
  set(CMAKE_FIND_ROOT_PATH_MODE_${kind} ONLY)
endforeach()
set(ENV{PKG_CONFIG_SYSROOT_DIR} ${root})
set(ENV{PKG_CONFIG_LIBDIR} ${root}/usr/lib/aarch64-linux-gnu/pkgconfig:${root}/usr/share/pkgconfig)
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64-static -L ${root})

# nvcc searches its toolkit for a folder for arm64, which the toolkit's wheels lack. The headers are the same for all
# processors, and scripts/get-arm64-cuda.sh downloads the runtime.
set(CMAKE_CUDA_HOST_COMPILER ${CMAKE_CXX_COMPILER})
set(cuda /usr/local/cuda/include)
set(CMAKE_CUDA_FLAGS_INIT "-isystem ${cuda} -isystem ${cuda}/cccl -L${root}/usr/local/cuda/lib")
