// Does the work of `warpwise sobel IN... OUT` and `warpwise threshold` as a user's OpenCV program
// would. scripts/record-opencv.py compares the whole processes. Links OpenCV alone.
//
//   opencv_command sobel|threshold JOBS IN... OUT     OUT: a .png file for one input, a folder
//   for several

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <opencv2/core/utility.hpp>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;

cv::Mat edges(const cv::Mat& grey) {
  cv::Mat dx, dy, magnitude;
  cv::Sobel(grey, dx, CV_16S, 1, 0);
  cv::Sobel(grey, dy, CV_16S, 0, 1);
  cv::convertScaleAbs(dx, dx);
  cv::convertScaleAbs(dy, dy);
  cv::add(dx, dy, magnitude);
  return magnitude;
}

cv::Mat page(const cv::Mat& grey) {
  cv::Mat black_on_white;
  cv::adaptiveThreshold(grey, black_on_white, 255, cv::ADAPTIVE_THRESH_MEAN_C, cv::THRESH_BINARY,
                        31, 7);
  return black_on_white;
}

void work_on(const std::string& what, const fs::path& in, const fs::path& out) {
  cv::Mat grey = cv::imread(in, cv::IMREAD_UNCHANGED);
  if (grey.empty()) throw std::runtime_error("cannot read " + in.string());
  // Does not use IMREAD_GRAYSCALE: for a JPEG it returns the file's own grey values, which are not
  // those of cvtColor().
  if (grey.channels() == 3) cv::cvtColor(grey, grey, cv::COLOR_BGR2GRAY);
  if (grey.channels() == 4) cv::cvtColor(grey, grey, cv::COLOR_BGRA2GRAY);
  if (!cv::imwrite(out, what == "sobel" ? edges(grey) : page(grey))) {
    throw std::runtime_error("cannot write " + out.string());
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  if (words.size() < 4 || (words[0] != "sobel" && words[0] != "threshold")) {
    std::fputs("opencv_command sobel|threshold JOBS IN... OUT\n", stderr);
    return 2;
  }
  try {
    const int jobs = std::stoi(words[1]);
    const fs::path out = words.back();
    const std::vector<fs::path> inputs(words.begin() + 2, words.end() - 1);
    if (inputs.size() == 1) {
      cv::setNumThreads(jobs);
      work_on(words[0], inputs[0], out);
      return 0;
    }
    fs::create_directories(out);
    // Each of OpenCV's threads takes a file. OpenCV runs calls inside such a thread without further
    // threads.
    cv::setNumThreads(jobs);
    const auto files = [&](const cv::Range& range) {
      for (int i = range.start; i < range.end; ++i) {
        work_on(words[0], inputs[i], out / inputs[i].filename().replace_extension(".png"));
      }
    };
    const int count = static_cast<int>(inputs.size());
    if (jobs == 1) {
      files({0, count});
    } else {
      cv::parallel_for_({0, count}, files, count);
    }
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "opencv_command: %s\n", error.what());
    return 1;
  }
}
