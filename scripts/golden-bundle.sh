#!/usr/bin/env bash
# Builds a self-contained folder with the golden kernels, for a machine with a GPU and Nsight Compute. It has machine
# code for CC 9.0 (sm_90a), made here with ptxas, the kernels' input, and the scripts that run them. The machine needs
# no build of Warpwise.
#
#   scripts/golden-bundle.sh [FOLDER]     default: build/golden-bundle; the GPU's machine runs FOLDER/measure.sh OUT
#
# OUT then has golden_access.json, golden_arithmetic.json and golden_forms.json, which belong into tests/golden/.
set -euo pipefail
cd "$(dirname "$0")/.."
limit_mib=20

folder=${1:-build/golden-bundle}
golden=tests/golden
rm -rf "$folder"
mkdir -p "$folder"
python3 $golden/random_kernels.py "$folder"
python3 $golden/form_kernels.py "$folder"
cp $golden/access.ptx $golden/access_cases.json $golden/measure.py $golden/measure.sh "$folder/"
for ptx in "$folder"/*.ptx; do
  # Without --fmad=false ptxas may fuse a multiplication and an addition, which then round only once.
  ptxas -arch=sm_90a --fmad=false "$ptx" -o "${ptx%.ptx}.cubin"
  gzip -9n "$ptx"
done
toolkit=$(ptxas --version | sed -n 's/.*release \([0-9.]*\), V\([0-9.]*\).*/\2/p')
printf '{"ptxas": "%s", "commit": "%s"}\n' "$toolkit" "$(git describe --always --dirty --abbrev=12)" >"$folder/bundle.json"

size=$(du -sm "$folder" | cut -f1)
echo "$folder: $size MiB, $(find "$folder" -mindepth 1 | wc -l) files"
if [ "$size" -ge "$limit_mib" ]; then
  echo "golden-bundle.sh: the folder is larger than $limit_mib MiB" >&2
  exit 1
fi
