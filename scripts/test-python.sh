#!/usr/bin/env bash
# Builds the Python package as a wheel, installs it into an environment of its own, and runs its tests.
#
#   scripts/test-python.sh WORK [PREFIX]    WORK: a folder, made anew; PREFIX: an installed library to build
#                                           on; without it the wheel is built with the library in it
#
# With WARPWISE_NIGHTLY=1 it also runs the tests of clusters, notebooks and Python's kernels. They load Ray, Jupyter,
# numba-cuda, CuPy, Triton and Warp.
# Ends with status 77 where the Python packages that it needs cannot be had.
set -euo pipefail
cd "$(dirname "$0")/.."

work=$(realpath -m "$1")
prefix=${2:+$(realpath "$2")}
rm -rf "$work" && mkdir -p "$work"
if ! { python3 -m venv "$work/venv" &&
       "$work/venv/bin/pip" install --quiet --disable-pip-version-check -r python/tests/requirements.txt; } >"$work/pip.log" 2>&1; then
  echo "Python package: skipped, the packages of python/tests/requirements.txt could not be installed: $(tail -n 1 "$work/pip.log")"
  exit 77
fi
if [ -n "${WARPWISE_NIGHTLY:-}" ]; then
  "$work/venv/bin/pip" install --quiet --disable-pip-version-check -r python/tests/requirements-nightly.txt >>"$work/pip.log" 2>&1 ||
    echo "The tests of clusters, notebooks and numba are skipped: python/tests/requirements-nightly.txt could not be installed: $(tail -n 1 "$work/pip.log")"
fi
defines=(-C "build-dir=$work/build")
[ -z "$prefix" ] || defines+=(-C "cmake.define.warpwise_DIR=$(dirname "$(find "$prefix" -name warpwiseConfig.cmake -print -quit)")")
"$work/venv/bin/pip" wheel --quiet --disable-pip-version-check --no-build-isolation --no-deps -w "$work" "${defines[@]}" . >"$work/build.log" 2>&1 ||
  { tail -n 40 "$work/build.log" >&2; exit 1; }
"$work/venv/bin/pip" install --quiet --disable-pip-version-check "$work"/warpwise-*.whl
# Runs away from the sources, so that the installed package is tested.
mkdir "$work/examples" "$work/docs"
cp -r python/tests samples README.md "$work"
cp docs/first-pictures.md docs/python.md docs/gpu-python.md "$work/docs"
cp -r examples/ci examples/notebooks examples/transpose.cu "$work/examples"
[ -z "$prefix" ] || export PATH=$prefix/bin:$PATH  # explain runs the command; tests compare warpwise.ray's results with the command's
cd "$work" && venv/bin/python -m pytest -q -rs tests
