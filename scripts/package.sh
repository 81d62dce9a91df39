#!/usr/bin/env bash
# Makes all files of a release in build/packages: Debian packages, an archive that runs wherever it is unpacked, Python
# wheels and the source distribution, an SBOM of all of them, and their checksums.
#
#   scripts/package.sh [-p PRESET] [PYTHON...]    PRESET: release by default; all-gpus for machine code of every GPU
#                                                 PYTHON: interpreters, each gets a wheel; python3 by default. A wheel
#                                                 for 3.12 or later also serves all later versions
#
# Needs Debian, what scripts/packages.sh installs, and a network for Python's packages.
set -euo pipefail
cd "$(dirname "$0")/.."

preset=release
if [ "${1:-}" = -p ]; then preset=$2; shift 2; fi
pythons=("$@")
[ ${#pythons[@]} -gt 0 ] || pythons=(python3)

build=$PWD/build/$preset out=$PWD/build/packages work=$PWD/build/packaging
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
export SOURCE_DATE_EPOCH
rm -rf "$out" "$work" && mkdir -p "$out" "$work"

quietly() {  # quietly COMMAND: what it says is of interest if it fails
  "$@" >"$work/log" 2>&1 || { tail -n 40 "$work/log" >&2; echo "package.sh: failed: $*" >&2; exit 1; }
}

scripts/build.sh "$preset"
# Created after the build is configured, so that the build folder does not remember this environment's Python.
quietly python3 -m venv "$work/venv"
quietly "$work/venv/bin/pip" install -r scripts/package-requirements.txt
PATH=$work/venv/bin:$PATH

quietly cpack --config "$build/CPackConfig.cmake" -B "$work/cpack"
mv "$work"/cpack/*.deb "$work"/cpack/*.tar.gz "$out/"

# The wheels hold the library that was built above; each compiles only the module.
quietly cmake --install "$build" --prefix "$work/prefix" --strip
{ cat scripts/package-requirements.txt; grep -E '^(nanobind|scikit-build-core)==' python/tests/requirements.txt; } >"$work/constraints.txt"
export PIP_CONSTRAINT=$work/constraints.txt PIP_DISABLE_PIP_VERSION_CHECK=1
for python in "${pythons[@]}"; do
  tools=$work/venv-$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
  quietly "$python" -m venv "$tools"
  quietly "$tools/bin/pip" install build
  quietly "$tools/bin/python" -m build --wheel --outdir "$work/wheels" -C "build-dir=$tools/module" \
    -C "cmake.define.warpwise_DIR=$work/prefix/lib/cmake/warpwise" .
done
quietly "$tools/bin/python" -m build --sdist --outdir "$out" .
# auditwheel copies the libraries into the wheel and names the oldest glibc that it runs with.
for wheel in "$work"/wheels/*.whl; do
  LD_LIBRARY_PATH=$work/prefix/lib quietly auditwheel repair --wheel-dir "$out" "$wheel"
done

scripts/sbom.py "$work/prefix" "$build" "$out"
quietly pyspdxtools -i "$out"/*.spdx.json
(cd "$out" && sha256sum -- * >SHA256SUMS)
(cd "$out" && du -bh --apparent-size -- * | sort -k 2)
