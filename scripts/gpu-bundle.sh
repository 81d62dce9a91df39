#!/usr/bin/env bash
# Builds a self-contained folder with the GPU tests and benches, for a machine with a GPU but without a network and
# without our packages. It has the tests, the command, and the libraries that they load, found by relative rpaths. The
# peers of the benches come from that machine's toolkit and Python.
#
#   scripts/gpu-bundle.sh [FOLDER]     default: build/gpu-bundle. On the machine with the GPU, run FOLDER/run.sh, and
#                                      FOLDER/batches.sh, the gain of processing several files at a time;
#                                      FOLDER/decoding.py, the decoding of a video, with that machine's FFmpeg;
#                                      FOLDER/end_to_end.py, whole processes beside their peers
set -euo pipefail
cd "$(dirname "$0")/.."
limit_mib=64

folder=${1:-build/gpu-bundle}
scripts/packages.sh --test
scripts/build.sh release -DWARPWISE_TESTS=ON
if ! [ -x build/release/bin/live_bench ]; then
  echo "gpu-bundle.sh: this machine has no CUDA compiler, so there are no GPU tests to bundle" >&2
  exit 1
fi

rm -rf "$folder"
mkdir -p "$folder/bin" "$folder/lib" "$folder/frames"
for program in $(cat build/release/gpu-tests.txt) live_bench warpwise; do
  cp "build/release/bin/$program" "$folder/bin/"
done
# Copies each library as one file, under the name that programs load.
cp -L build/release/lib/libwarpwise{,_runtime,_emulator}.so.[0-9].[0-9] "$folder/lib/"
# Copies the modules that read and write batches.sh's pictures, and the module that draws. Other modules need too many
# libraries.
modules=(build/release/lib/libwarpwise_{jpeg,png,scene}.so)
cp "${modules[@]}" "$folder/lib/"
# Copies the libraries that programs and modules load, except the C and C++ runtimes, which every distribution of the
# same age has.
ldd "$folder"/bin/* "${modules[@]}" | awk '$2 == "=>" && $3 ~ /^\// {print $3}' | sort -u |
  grep -vE '/(libc|libm|libstdc\+\+|libgcc_s|libdl|librt|libpthread|libwarpwise|libwarpwise_runtime|libwarpwise_emulator)\.so' |
  xargs -r -I{} cp -L {} "$folder/lib/"
strip "$folder"/bin/* "$folder"/lib/*
# Copies the module for videos, and makes the videos of its test. FFmpeg's libraries are not copied, because the machine
# with the GPU may have them.
cp build/release/lib/libwarpwise_video.so "$folder/lib/"
mkdir "$folder/videos"
WARPWISE_TEST_VIDEOS=$(realpath "$folder")/videos build/release/bin/gpu_decoding_test >/dev/null
# Copies the sources that the ladders compile at run time. They are files here; the build tree has a link to the source
# tree.
(cd warpwise && find base primitives lab studies -name '*.hpp' -o -name '*.cuh' -o -name '*.cu' -o -name 'ladder.json' -o -name 'study.json' -o -path 'lab/predict/devices/*.json') |
  while read -r file; do
    install -D -m 644 "warpwise/$file" "$folder/share/warpwise/sources/warpwise/$file"
  done
install -D -m 644 bench/python_peers.py "$folder/share/warpwise/bench/python_peers.py"
cp scripts/gpu-bundle/{run,batches}.sh scripts/gpu-bundle/{decoding,end_to_end}.py build/release/gpu-tests.txt "$folder/"
git describe --always --dirty --abbrev=12 >"$folder/COMMIT"
# Converts real images to arrays, which can be read without a module, and copies one picture file for batches.sh.
cp samples/building.jpg "$folder/frames/"
for image in building.jpg sudoku.png; do
  build/release/bin/warpwise convert "samples/$image" "$folder/frames/${image%.*}.npy" --to rgb24 >/dev/null
done

size=$(du -sm "$folder" | cut -f1)
echo "$folder: $size MiB, commit $(cat "$folder/COMMIT")"
if [ "$size" -ge "$limit_mib" ]; then
  echo "gpu-bundle.sh: the folder is larger than $limit_mib MiB" >&2
  exit 1
fi
