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
#   scripts/packages.sh --arm64  also to build for aarch64 and to run its tests: the cross compiler, QEMU, and Debian's
#                                arm64 libraries in build/arm64-root (802 MB), because some cannot be installed beside amd64's
set -euo pipefail

packages=(
  g++ cmake ninja-build                                     # C++20, CMake 3.25
  libtbb-dev libhwy-dev                                     # threads, SIMD
  libfmt-dev libcli11-dev nlohmann-json3-dev                # the command
  libpng-dev                                                # PNG files
  libzstd-dev                                               # PTX inside of CUDA programs
  python3                                                   # the man page, the completion, the progress of a build
)
# Debian has Xbyak for x86 alone.
[ "$(dpkg --print-architecture)" != amd64 ] || packages+=(libxbyak-dev)  # machine code that the emulator makes
[ "${1:-}" = "--first" ] || packages+=(
  make                                                      # builds of programs that use the library
  libjpeg-dev libtiff-dev libwebp-dev                       # image files
  libopencv-core-dev libopencv-imgproc-dev libopencv-imgcodecs-dev  # image files of other formats
  pkg-config libavformat-dev libavcodec-dev libavfilter-dev libavdevice-dev  # videos and cameras
  libglfw3-dev libimgui-dev libgl-dev                        # windows
  libegl-dev libopengl-dev                                  # frames that OpenGL draws without a window
)
if [ "${1:-}" = "--test" ] || [ "${1:-}" = "--bench" ]; then
  packages+=(libgtest-dev libgmock-dev libbenchmark-dev libyuv-dev libopenblas-dev python3-jsonschema clang libclang-rt-dev
             python3-venv shellcheck doxygen                      # scripts/checks.sh
             gnuplot-nox                                          # lab run --plot
             netpbm                                               # command.pnm compares with it
             man-db zsh                                           # the installed package
             ffmpeg                                               # videos of other programs
             xvfb xauth libgl1-mesa-dri libegl-mesa0 xdotool      # windows without a screen, OpenGL without a GPU
             chromium chromium-driver python3-selenium            # lab report in a browser; 130 MB to load
             gnupg                                                # scripts/sign.sh
             time)                                                # scripts/record-opencv.py
fi
[ "${1:-}" != "--bench" ] || packages+=(libopencv-calib3d-dev)
[ "${1:-}" != "--arm64" ] || packages+=(libgtest-dev libgmock-dev libbenchmark-dev libyuv-dev libopenblas-dev
                                        g++-aarch64-linux-gnu qemu-user-static mmdebstrap arch-test)

missing=()
for package in "${packages[@]}"; do
  status=$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null || true)
  [ "$status" = installed ] || missing+=("$package")
done
quietly() {  # quietly COMMAND: prints its output only if it fails
  "$@" >"$log" 2>&1 && return
  tail -n 20 "$log" >&2
  echo "packages.sh: $1 failed; its last lines are above, the whole of it in $log" >&2
  exit 1
}
# Unpacks Debian's arm64 libraries, and lets the kernel start their programs by QEMU.
arm64() {
  local root links libraries=libpython3-dev,python3 link binfmt=/proc/sys/fs/binfmt_misc
  root=$(cd "$(dirname "$0")/.." && pwd)/build/arm64-root
  links=$root/usr/lib/aarch64-linux-gnu
  for package in "${packages[@]}"; do [[ $package != *-dev || $package = libxbyak-dev ]] || libraries+=,$package; done
  if [ "$(cat "$root/packages" 2>/dev/null)" != "$libraries" ]; then
    rm -rf "$root" && mkdir -p "$(dirname "$root")"
    echo "Unpacking Debian's arm64 libraries in $root"
    quietly mmdebstrap --variant=extract --architectures=arm64 --include="$libraries" \
      "$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)" "$root"
    # Mends links, because the packages are unpacked but not configured: absolute links, and links of
    # update-alternatives.
    find "$links" -maxdepth 1 -type l -lname '/*' | while read -r link; do ln -sfnr "$root$(readlink "$link")" "$link"; done
    for link in libblas.so.3 liblapack.so.3 libopenblas.so libopenblas.so.0; do ln -sfn openblas-pthread/$link "$links/$link"; done
    echo "$libraries" >"$root/packages"
  fi
  [ ! -e $binfmt/qemu-aarch64 ] || return 0
  "${as_root[@]}" sh -c "[ -e $binfmt/register ] || mount -t binfmt_misc none $binfmt
    cat /usr/lib/binfmt.d/qemu-aarch64.conf >$binfmt/register" 2>"$log" ||
    echo "packages.sh: the kernel does not start arm64 programs by QEMU (binfmt_misc): tests that start programs fail" >&2
}

log=$(mktemp)
as_root=()
[ "$(id -u)" = 0 ] || as_root=(sudo)
if [ ${#missing[@]} -gt 0 ]; then
  command -v "${as_root[0]:-true}" >/dev/null ||
    { echo "packages.sh: run as root, or install sudo: apt-get install ${missing[*]}" >&2; exit 1; }
  echo "Installing: ${missing[*]}"
  quietly "${as_root[@]}" apt-get update -qq
  quietly "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}"
fi
if [ "${1:-}" = "--arm64" ]; then arm64; fi
rm -f "$log"
