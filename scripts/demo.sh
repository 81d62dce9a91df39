#!/usr/bin/env bash
# Goes from a fresh clone to results: installs missing packages, builds a program for a first picture, then everything
# but the tests. Then it runs the commands on the images in samples/, on the GPU if there is one. The results are in
# demo-output/.
set -euo pipefail
cd "$(dirname "$0")/.."

warpwise=build/release/bin/warpwise
out=demo-output
rm -rf "$out"
mkdir -p "$out"

# The tests are not built, because they need more packages and twice the time. scripts/test.sh builds them.
if ! [ -x "$warpwise" ]; then
  scripts/packages.sh --first
  scripts/build.sh release --target warpwise_first_picture -DWARPWISE_TESTS=OFF
  build/release/bin/first_picture samples/rubberwhale1.png "$out/first-edges.png"
  echo "A first picture after $SECONDS s: $PWD/$out/first-edges.png, the edges in samples/rubberwhale1.png"
  echo "Now all packages, the library and the command:"
  # The library needs only the packages of --first. It compiles while the other packages are installed.
  scripts/packages.sh &
  scripts/build.sh release --target warpwise -DWARPWISE_TESTS=OFF
  wait $! || { echo "demo.sh: the packages are not installed: see above" >&2; exit 1; }
fi
scripts/packages.sh
scripts/build.sh release -DWARPWISE_TESTS=OFF

step() {  # step TITLE SUBCOMMAND ARGUMENT...
  echo
  echo "$1"
  shift
  echo "  \$ warpwise $*"
  "$warpwise" "$@" | sed 's/^/  /'
}

echo
echo "This machine:"
"$warpwise" devices | sed 's/^/  /'

step "Edges of a building (the same bits as OpenCV's Sobel calls)" \
  sobel samples/building.jpg "$out/building-edges.png"
step "Edges with the Scharr kernel and the Euclidean norm" \
  sobel samples/building.jpg "$out/building-scharr.png" --kernel scharr --norm l2
step "Signed derivatives, exact, as 16-bit integers" \
  sobel samples/building.jpg "$out/building-dx.npy" --output dx
step "An unevenly lit page, binarised against its neighbourhood" \
  threshold samples/sudoku.png "$out/sudoku-threshold.png" --window 31 --offset 7
step "The same, against a Gaussian mean" \
  threshold samples/sudoku.png "$out/sudoku-gaussian.png" --window 31 --offset 7 --method gaussian
step "Camera colours: RGB to 32-bit YCbCr, as of a webcam" \
  convert samples/rubberwhale1.png "$out/rubberwhale.raw" --to ycbcr32
step "and back to an image" \
  convert "$out/rubberwhale.raw" "$out/rubberwhale-back.png" --from ycbcr32 --size 584x388 --to rgb24
step "Luma alone, BT.709" \
  convert samples/aloeL.jpg "$out/aloe-luma.png" --to gray8 --matrix bt709
mkdir -p "$out/edges"
step "A list of images into a folder" \
  sobel samples/building.jpg samples/aloeL.jpg samples/aloeR.jpg samples/sudoku.png "$out/edges"
step "Motion between two frames: direction as hue, length as saturation" \
  match samples/rubberwhale1.png samples/rubberwhale2.png "$out/rubberwhale-motion.png" \
  --block-size 16 --stride 4 --search 8
step "the same as a table of blocks" \
  match samples/rubberwhale1.png samples/rubberwhale2.png "$out/rubberwhale-motion.csv"
step "Disparity of a stereo pair, 256 times in 16 bits, and in colours: near is red" \
  disparity samples/aloeL.jpg samples/aloeR.jpg "$out/aloe-disparity.png" --max-disparity 255 --subpixel \
  --colour "$out/aloe-colours.png"
# The file has rows of grey bytes without a header, so that a part of the file is a part of the image.
"$warpwise" convert samples/building.jpg "$out/building.raw" --to gray8 >/dev/null
rows() {  # rows FIRST COUNT OUT
  head -c $((868 * ($1 + $2))) "$out/building.raw" | tail -c $((868 * $2)) |
    "$warpwise" convert - "$3" --from gray8 --size "868x$2" --to gray8 >/dev/null
}
mkdir -p "$out/frames"
for frame in 0 1 2 3 4; do  # a camera that moves down by 7 rows a frame
  rows $((7 * frame)) 400 "$out/frames/$frame.png"
done
step "A box followed through frames of a moving camera" \
  track "$out/frames" "$out/building-track.csv" --box 400,200,64,64
sed 's/^/  /' "$out/building-track.csv"
if [ -e build/release/lib/libwarpwise_video.so ]; then
  step "A street's edges as a video that browsers play" \
    stream samples/street.avi "$out/street-edges.mp4" --pipeline 'sobel | threshold window=31 offset=-7'
  step "and its motion, direction as hue" \
    stream samples/street.avi "$out/street-motion.mp4" --pipeline 'match block-size=16 search=8 max-motion=8'
  if command -v ffmpeg >/dev/null && ffmpeg -v error -encoders | grep libx265 >/dev/null; then
    # Makes a video like a phone's: 10 bits, frames of varying duration, sound, and frames that are stored turned by 90
    # degrees, which a tag tells.
    ffmpeg -nostdin -v error -y -i samples/street.avi -f lavfi -i sine=d=3 -t 3 -vf "select=gt(mod(n\,4)\,0),transpose=clock" -fps_mode vfr \
      -pix_fmt yuv420p10le -c:v libx265 -x265-params log-level=none -tag:v hvc1 -c:a aac "$out/stored.mp4"
    ffmpeg -nostdin -v error -y -i "$out/stored.mp4" -c copy -metadata:s:v:0 rotate=90 "$out/phone.mp4"
    rm "$out/stored.mp4"
    step "A phone's video of 10 bits: its edges upright, in time and with its sound" \
      sobel "$out/phone.mp4" "$out/phone-edges.mp4"
  fi
else
  echo
  echo "Not made: videos, for want of FFmpeg's libraries (scripts/packages.sh installs them)"
fi
rows 200 40 "$out/part.png"
step "Where a part of an image comes from" \
  find "$out/part.png" samples/building.jpg --measure zncc
if command -v nvcc >/dev/null || [ -x /usr/local/cuda/bin/nvcc ]; then
  echo
  echo "Why one way to transpose is slower than another, for a GPU of CC 9.0, which this machine need not have:"
  for kernel in transpose_naive "transpose_tiled --define PAD=0" "transpose_tiled --define PAD=1"; do
    echo "$ warpwise explain examples/transpose.cu --kernel $kernel ..."
    # shellcheck disable=SC2086  # the kernel's name and its options
    "$warpwise" explain examples/transpose.cu --kernel $kernel --grid 8,8 --block 32,32 \
      --arg 'f32[65536]' --arg 'f32[65536]:iota' --arg i32:256
  done
  if command -v gnuplot >/dev/null; then
    step "What each step of the ladder of copy executes, counted by the emulator and drawn" \
      lab run copy --on emulator --plot "$out/copy.svg"
  else
    echo
    echo "Not drawn: the steps of a ladder, for want of gnuplot (the package gnuplot-nox)"
  fi
else
  echo
  echo "Not shown: what explain says of a kernel, for want of a compiler for it (scripts/get-nvrtc.sh brings one)"
fi

step "What each step of the ladders gained on an H200, as a page for a browser" \
  lab report --out "$out/report.html"

echo
echo "Made in $out/:"
(cd "$out" && find . -type f -printf '%10s bytes  %P\n' | sort -k3)
echo
echo "To read first: $PWD/$out/report.html"
