// Does the work of `warpwise stream FRAMES.raw OUT.raw --pipeline "ycbcr32 | sobel | threshold"` as
// a user's OpenCV program would. scripts/record-stream.py compares the whole processes. Links
// OpenCV alone.
//
//   opencv_stream WIDTH HEIGHT OUT < FRAMES     rgb24 frames without headers; OUT: a file of grey
//   frames, or null
//   opencv_stream --version                     prints OpenCV's version

#include <cstdio>
#include <fstream>
#include <iostream>
#include <opencv2/imgproc.hpp>
#include <string>

namespace {

// Computes the luma of YCbCr, then |dx| + |dy|, then the threshold of the documents' example.
void work_on(const cv::Mat& rgb, cv::Mat& result) {
  static cv::Mat ycrcb, luma, dx, dy;
  cv::cvtColor(rgb, ycrcb, cv::COLOR_RGB2YCrCb);
  cv::extractChannel(ycrcb, luma, 0);
  cv::Sobel(luma, dx, CV_16S, 1, 0);
  cv::Sobel(luma, dy, CV_16S, 0, 1);
  cv::convertScaleAbs(dx, dx);
  cv::convertScaleAbs(dy, dy);
  cv::add(dx, dy, luma);
  cv::adaptiveThreshold(luma, result, 255, cv::ADAPTIVE_THRESH_MEAN_C, cv::THRESH_BINARY, 31, 7);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 2 && std::string(argv[1]) == "--version") {
    std::puts(CV_VERSION);
    return 0;
  }
  if (argc != 4) {
    std::fputs("opencv_stream WIDTH HEIGHT OUT < FRAMES\n", stderr);
    return 2;
  }
  std::ios::sync_with_stdio(false);
  cv::Mat rgb(std::stoi(argv[2]), std::stoi(argv[1]), CV_8UC3), result;
  const std::string path = argv[3];
  std::ofstream out;
  if (path != "null") out.open(path, std::ios::binary);
  const auto bytes = static_cast<std::streamsize>(rgb.total() * rgb.elemSize());
  while (std::cin.read(reinterpret_cast<char*>(rgb.data), bytes)) {
    work_on(rgb, result);
    if (path != "null") {
      out.write(reinterpret_cast<const char*>(result.data),
                static_cast<std::streamsize>(result.total()));
    }
  }
  return 0;
}
