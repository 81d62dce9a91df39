#!/usr/bin/env bash
# Installs the packages that Warpwise needs from Debian 12 (or a later Debian or Ubuntu). Prints nothing and
# asks for nothing if all are installed.
#
#   scripts/packages.sh          to build and run
#   scripts/packages.sh --first  only the packages for scripts/demo.sh's first picture: a third of the time
#   scripts/packages.sh --test   also to test and bench: the peers that results and speeds are compared
#                                with, Google Benchmark, libFuzzer
#   scripts/packages.sh --bench  also OpenCV's StereoBM, which is optional for cpu_bench: 44 packages,
#                                17 MB to download, 67 MB installed
set -euo pipefail

packages=(
  g++ cmake ninja-build                                     # C++20, CMake 3.25
  libtbb-dev libhwy-dev                                     # threads, SIMD
  libxbyak-dev                                              # machine code that the emulator makes
  libfmt-dev libcli11-dev nlohmann-json3-dev                # the command
  libpng-dev                                                # PNG files
  libzstd-dev                                               # PTX inside of CUDA programs
  python3                                                   # the man page, the completion, the progress of a build
)
[ "${1:-}" = "--first" ] || packages+=(
  make                                                      # what CMake builds programs with that use the library
  libjpeg-dev libtiff-dev libwebp-dev                       # image files
  libopencv-core-dev libopencv-imgproc-dev libopencv-imgcodecs-dev  # image files of other formats
  pkg-config libavformat-dev libavcodec-dev libavfilter-dev libavdevice-dev  # videos and cameras
  libglfw3-dev libimgui-dev libgl-dev                        # windows
  libegl-dev libopengl-dev                                  # frames that OpenGL draws without one
)
if [ "${1:-}" = "--test" ] || [ "${1:-}" = "--bench" ]; then
  packages+=(libgtest-dev libbenchmark-dev libyuv-dev libopenblas-dev python3-jsonschema clang libclang-rt-dev
             python3-venv shellcheck doxygen                      # scripts/checks.sh
             gnuplot-nox                                          # lab run --plot
             netpbm                                               # command.pnm compares with it
             man-db zsh                                           # the installed package
             ffmpeg                                               # videos of other programs
             xvfb xauth libgl1-mesa-dri libegl-mesa0 xdotool      # windows without a screen, OpenGL without a GPU
             chromium chromium-driver python3-selenium            # lab report in a browser; 130 MB to load
             time)                                                # scripts/record-opencv.py
fi
[ "${1:-}" != "--bench" ] || packages+=(libopencv-calib3d-dev)

missing=()
for package in "${packages[@]}"; do
  status=$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null || true)
  [ "$status" = installed ] || missing+=("$package")
done
[ ${#missing[@]} -gt 0 ] || exit 0

as_root=()
if [ "$(id -u)" != 0 ]; then
  command -v sudo >/dev/null || { echo "packages.sh: run as root, or install sudo: apt-get install ${missing[*]}" >&2; exit 1; }
  as_root=(sudo)
fi
echo "Installing: ${missing[*]}"
log=$(mktemp)
if ! { "${as_root[@]}" apt-get update -qq &&
       "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
         apt-get install -y -qq --no-install-recommends "${missing[@]}"; } >"$log" 2>&1; then
  tail -n 20 "$log" >&2
  echo "packages.sh: apt-get failed; its last lines are above, the whole of it in $log" >&2
  exit 1
fi
rm -f "$log"
