#!/usr/bin/env bash
# Makes all files of a release in build/packages: Debian packages, an archive that runs wherever it is unpacked, Python
# wheels and the source distribution, an SBOM of all of them, and their checksums.
#
#   scripts/package.sh [-p PRESET] [PYTHON...]    PRESET: release by default; all-gpus for machine code of every GPU;
#                                                 arm64 for Debian packages and the wheel of Debian's Python alone, in
#                                                 build/packages-arm64
#                                                 PYTHON: interpreters, each gets a wheel; python3 by default. A wheel
#                                                 for 3.12 or later also serves all later versions
#
# The same commit gives the same bytes in any folder: the folder's path gets into CUDA objects, so it is mounted at one path,
# in a namespace of its own, and built there in build/for-packages. (Not for arm64, which has no CUDA objects.)
#
# Needs Debian, what scripts/packages.sh installs, namespaces, and a network for Python's packages.
set -euo pipefail
cd "$(dirname "$0")/.."

preset=release
if [ "${1:-}" = -p ]; then preset=$2; shift 2; fi
place=/tmp/warpwise-release
if [ "$preset" != arm64 ] && [ "$PWD" != $place ]; then
  mkdir -p $place "build/for-packages/$preset" "build/$preset"
  # shellcheck disable=SC2016 # the inner shell expands them
  exec unshare --map-root-user --mount bash -c 'place=$1 preset=$2; shift 2
    mount --rbind "$PWD" "$place" && cd "$place" && mount --bind "build/for-packages/$preset" "build/$preset" &&
      exec scripts/package.sh -p "$preset" "$@"' _ $place "$preset" "$@"
fi
pythons=("$@")
[ ${#pythons[@]} -gt 0 ] || pythons=(python3)

arm64=
[ "$preset" != arm64 ] || arm64=-arm64
build=$PWD/build/$preset out=$PWD/build/packages$arm64 work=$PWD/build/packaging$arm64 root=$PWD/build/arm64-root
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
export SOURCE_DATE_EPOCH
rm -rf "$out" "$work" && mkdir -p "$out" "$work"

quietly() {  # quietly COMMAND: prints its output only if it fails
  "$@" >"$work/log" 2>&1 || { tail -n 40 "$work/log" >&2; echo "package.sh: failed: $*" >&2; exit 1; }
}

scripts/build.sh "$preset"
# Created after the build is configured, so that the build folder does not remember this environment's Python.
quietly python3 -m venv "$work/venv"
quietly "$work/venv/bin/pip" install -r scripts/package-requirements.txt
PATH=$work/venv/bin:$PATH

if [ -n "$arm64" ]; then
  # dpkg does not know the arm64 libraries, which are only unpacked. Their packages have the names of this machine's
  # packages.
  cat /var/lib/dpkg/info/*:"$(dpkg --print-architecture)".shlibs >"$work/shlibs"
  cat >"$work/venv/bin/dpkg-shlibdeps" <<END
#!/bin/sh
DEB_HOST_ARCH=arm64 exec /usr/bin/dpkg-shlibdeps -L$work/shlibs -l$root/usr/lib/aarch64-linux-gnu -l$root/lib/aarch64-linux-gnu "\$@"
END
  chmod +x "$work/venv/bin/dpkg-shlibdeps"
fi
quietly cpack ${arm64:+-G DEB} --config "$build/CPackConfig.cmake" -B "$work/cpack"
find "$work/cpack" -maxdepth 1 -type f -exec mv -t "$out" {} +

# Each wheel holds the library that was built above, and compiles only its Python module.
quietly cmake --install "$build" --prefix "$work/prefix" --strip
{ cat scripts/package-requirements.txt; grep -E '^(nanobind|scikit-build-core)==' python/tests/requirements.txt; } >"$work/constraints.txt"
export PIP_CONSTRAINT=$work/constraints.txt PIP_DISABLE_PIP_VERSION_CHECK=1
if [ -n "$arm64" ]; then
  # QEMU runs the arm64 Python, which calls this machine's CMake and the cross compiler.
  quietly pip install --target "$work/tools" --only-binary :all: --python-version 3.11 \
    --platform manylinux_2_28_aarch64 --platform manylinux_2_27_aarch64 --platform manylinux2014_aarch64 \
    build nanobind "$(grep ^numpy== python/tests/requirements.txt)" scikit-build-core
  export QEMU_LD_PREFIX=$root
  PYTHONPATH=$work/tools quietly "$root/usr/bin/python3" -m build --wheel --no-isolation --outdir "$work/wheels" \
    -C "build-dir=$work/module" -C "cmake.define.warpwise_DIR=$work/prefix/lib/cmake/warpwise" \
    -C "cmake.define.CMAKE_TOOLCHAIN_FILE=$PWD/cmake/arm64.cmake" -C "cmake.define.CMAKE_FIND_ROOT_PATH=$work" .
  pythons=()
fi
for python in "${pythons[@]}"; do
  tools=$work/venv-$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
  quietly "$python" -m venv "$tools"
  quietly "$tools/bin/pip" install build
  quietly "$tools/bin/python" -m build --wheel --outdir "$work/wheels" -C "build-dir=$tools/module" \
    -C "cmake.define.warpwise_DIR=$work/prefix/lib/cmake/warpwise" .
done
[ -n "$arm64" ] || quietly "$tools/bin/python" -m build --sdist --outdir "$out" .
# auditwheel copies the libraries into the wheel and names the oldest glibc that it runs with.
for wheel in "$work"/wheels/*.whl; do
  LD_LIBRARY_PATH=$work/prefix/lib${arm64:+:$root/usr/lib/aarch64-linux-gnu} quietly auditwheel repair --wheel-dir "$out" "$wheel"
done

if [ -z "$arm64" ]; then
  scripts/sbom.py "$work/prefix" "$build" "$out"
  quietly pyspdxtools -i "$out"/*.spdx.json
fi
(cd "$out" && sha256sum -- * >SHA256SUMS)
(cd "$out" && du -bh --apparent-size -- * | sort -k 2)
