#!/usr/bin/env bash
# Installs the packages of scripts/package.sh in clean Debian systems without a compiler, each kind of package in its own.
# Then it follows the README's first steps: an image, a NumPy array, an explained kernel. The system of the development
# package then gets a compiler, builds a program with find_package and runs it.
#
#   scripts/test-packages.sh [FOLDER]    FOLDER: of the packages, build/packages unless given; build/packages-arm64 for
#                                        aarch64, whose programs QEMU runs
#
# Not a part of scripts/test.sh: it is for the nightly run and before a release. Ends with status 77 if it cannot run:
# without root, mmdebstrap, packages or a network. Each kind has a minute from its first command to its last, ten under QEMU.
# shellcheck disable=SC2016  # what stands in single quotes is for the shell in the clean system
set -euo pipefail
cd "$(dirname "$0")/.."

skip() { echo "Packages: skipped, $*"; exit 77; }
packages=$(realpath -m "${1:-build/packages}")
[ -e "$packages/SHA256SUMS" ] || skip "$packages has none: scripts/package.sh makes them"
[ "$(id -u)" = 0 ] || skip "only root can make a system in a folder"
command -v mmdebstrap >/dev/null || skip "mmdebstrap is not installed"
(cd "$packages" && sha256sum --quiet -c SHA256SUMS)
if command -v lintian >/dev/null; then
  lintian --allow-root --fail-on error,warning "$packages"/*.deb && echo "lintian: nothing to say"
else
  echo "lintian: skipped, it is not installed"
fi

# The base system is made once and kept, because making it is not tested. It has Debian's Python and NumPy, as users have.
arm64='' debian=() most=60
if compgen -G "$packages/*_arm64.deb" >/dev/null; then arm64=-arm64 debian=(--architectures=arm64) most=600; fi
base=build/package-test/base$arm64.tar work=$PWD/build/package-test/root
if ! [ -e "$base" ]; then
  mkdir -p build/package-test
  mmdebstrap --quiet "${debian[@]}" --variant=minbase --include=python3-venv,python3-numpy bookworm "${base%.tar}.part.tar" http://deb.debian.org/debian ||
    skip "no Debian could be had from the network"
  mv "${base%.tar}.part.tar" "$base"
fi

unmount() { if mountpoint -q "$work/proc"; then umount "$work/proc"; fi; }
trap unmount EXIT

clean_system() {
  unmount
  rm -rf "$work" && mkdir -p "$work" && tar -xf "$base" -C "$work"
  mkdir "$work/packages" && find "$packages" samples/building.jpg tests/ptx/pixels.ptx -type f -exec cp -t "$work/packages" {} +
  cp -r tests/package/clean_user "$work/packages/"
  cp /etc/resolv.conf "$work/etc/resolv.conf"
  mount -t proc proc "$work/proc"  # the loader finds $ORIGIN by it
  if [ -x "$work/usr/bin/c++" ] || [ -x "$work/usr/bin/cc" ]; then echo "the system has a compiler" >&2; exit 1; fi
}

inside() {  # inside COMMAND: in the clean system
  chroot "$work" /usr/bin/env -i HOME=/root DEBIAN_FRONTEND=noninteractive ${http_proxy:+http_proxy=$http_proxy} \
    PATH=/usr/sbin:/usr/bin:/sbin:/bin bash -euo pipefail -c "cd /packages; $1" >"$work.log" 2>&1 ||
    { tail -n 30 "$work.log" >&2; echo "test-packages.sh: failed: $1" >&2; exit 1; }
}

explained='sobel --size 64x48'
# Packages for arm64 have no CUDA path, so `explain sobel` would find no kernels.
[ -z "$arm64" ] || explained='pixels.ptx --grid 1 --block 64 --arg "{u8[66],u8[64],i32:66,f32:1}"'
main_job='
  $warpwise --version
  $warpwise sobel building.jpg edges.png
  $warpwise explain '"$explained"' | grep "warp instructions" >/dev/null
  $warpwise lab list | grep threshold >/dev/null
  $warpwise stream test:zone - --frames 2 | $warpwise stream - frames.y4m --pipeline sobel'

timed() {  # timed NAME COMMAND: at most a minute, or ten under QEMU
  local start=$SECONDS
  inside "$2"
  local took=$((SECONDS - start))
  echo "$1: installed and used in $took s"
  [ "$took" -lt "$most" ] || { echo "test-packages.sh: $1 took $took s" >&2; exit 1; }
}

if [ -n "$arm64" ]; then
  # There is no archive for arm64, so this machine's command makes the edges in place of the archive's command.
  build/release/bin/warpwise sobel samples/building.jpg build/package-test/archive.png
else
  clean_system
  timed "Archive" "mkdir /opt/w; tar -xf warpwise-*-linux-*.tar.gz -C /opt/w --strip-components=1; warpwise=/opt/w/bin/warpwise; $main_job"
  cp "$work/packages/edges.png" "$work/../archive.png"
fi

clean_system
timed "Wheel" 'python3 -m venv --system-site-packages v; v/bin/pip install --no-index --find-links . warpwise; v/bin/python clean_user/user.py'

clean_system
inside 'apt-get update'
timed "Debian packages" "apt-get install -y --no-install-recommends ./libwarpwise0*.deb ./libwarpwise-emulator0*.deb ./warpwise_*.deb; warpwise=warpwise; $main_job"
cmp "$work/packages/edges.png" "$work/../archive.png"
inside 'apt-get install -y --no-install-recommends ./libwarpwise-dev_*.deb g++ cmake make pkg-config
  cmake -S clean_user -B user && cmake --build user && user/user
  c++ -std=c++20 clean_user/user.cpp $(pkg-config --cflags --libs warpwise) -o by-pkg-config && ./by-pkg-config'
echo "Development package: find_package and pkg-config build a program that runs"
inside 'apt-get remove -y libwarpwise0.1; test -z "$(find /usr -name "*warpwise*.so*")"'
echo "Removed: no library is left"
