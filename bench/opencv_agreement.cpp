// For each primitive that OpenCV has too, counts how many results differ from OpenCV's, by how
// much, and where the first difference is. Prints one JSON object, which scripts/record-opencv.py
// records.
//
//   opencv_agreement SAMPLES     SAMPLES: the folder samples/

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "warpwise/warpwise.hpp"

namespace warpwise {
namespace {

using Json = nlohmann::ordered_json;

struct Sample {
  std::string name;
  cv::Mat bgr;
  cv::Mat grey;  // converted by OpenCV
};

// Returns the samples, and an image of noise, in which any two values may be neighbours.
std::vector<Sample> images_of(const std::filesystem::path& samples) {
  std::vector<Sample> images;
  for (const char* name : {"building.jpg", "sudoku.png", "aloeL.jpg", "aloeR.jpg",
                           "rubberwhale1.png", "rubberwhale2.png"}) {
    images.push_back({name, cv::imread(samples / name, cv::IMREAD_COLOR), {}});
    if (images.back().bgr.empty()) throw std::runtime_error(std::string("cannot read ") + name);
  }
  cv::Mat noise(3072, 4096, CV_8UC3);
  std::mt19937 random(1);
  for (std::size_t i = 0; i < noise.total() * 3; i += 4) {
    const std::uint32_t word = random();
    std::memcpy(noise.data + i, &word, 4);
  }
  images.push_back({"noise of 4096x3072", noise, {}});
  for (Sample& image : images) cv::cvtColor(image.bgr, image.grey, cv::COLOR_BGR2GRAY);
  return images;
}

// ---- A row of the table

class Row {
 public:
  Row(std::string primitive, std::string what, std::string peer, std::string unit = "pixels")
      : primitive_(std::move(primitive)), what_(std::move(what)), peer_(std::move(peer)),
        unit_(std::move(unit)) {}

  // Compares two matrices of the same type and size. A pixel differs if one of its channels does.
  // Differences are divided by `unit`.
  void compare(const std::string& name, const cv::Mat& ours, const cv::Mat& theirs,
               double unit = 1) {
    if (ours.size() != theirs.size() || ours.type() != theirs.type()) {
      throw std::logic_error(primitive_ + ", " + what_ + ": results of two kinds");
    }
    const auto channels = static_cast<std::size_t>(ours.channels());
    for (int y = 0; y < ours.rows; ++y) {
      if (std::memcmp(ours.ptr(y), theirs.ptr(y), ours.cols * ours.elemSize()) == 0) {
        compared_ += ours.cols;
        continue;
      }
      std::vector<double> a, b;
      ours.row(y).reshape(1).convertTo(a, CV_64F);
      theirs.row(y).reshape(1).convertTo(b, CV_64F);
      for (int x = 0; x < ours.cols; ++x) {
        double largest = 0;
        for (std::size_t i = x * channels; i < (x + 1) * channels; ++i) {
          largest = std::max(largest, std::abs(a[i] - b[i]));
        }
        add(largest / unit,
            [&] { return name + " at " + std::to_string(x) + "," + std::to_string(y); });
      }
    }
  }

  // Adds one result; where() returns the text of its place.
  template <class Where>
  void add(double difference, const Where& where) {
    ++compared_;
    if (difference == 0) return;
    if (differing_++ == 0) first_ = where();
    largest_ = std::max(largest_, difference);
  }

  Json json() const {
    Json row = {{"primitive", primitive_}, {"what", what_},         {"peer", peer_},
                {"unit", unit_},           {"compared", compared_}, {"differing", differing_}};
    if (differing_ != 0) {
      row["largest"] = largest_;
      row["first"] = first_;
    }
    return row;
  }

 private:
  std::string primitive_, what_, peer_, unit_;
  std::int64_t compared_ = 0;
  std::int64_t differing_ = 0;
  double largest_ = 0;
  std::string first_;
};

// ---- Views of OpenCV's matrices

ElementType type_of(const cv::Mat& mat) {
  switch (mat.depth()) {
    case CV_8U: return ElementType::u8;
    case CV_16U: return ElementType::u16;
    case CV_16S: return ElementType::i16;
    case CV_32S: return ElementType::i32;
    case CV_32F: return ElementType::f32;
    default: throw std::logic_error("no such element type here");
  }
}

ConstHostView view_of(const cv::Mat& mat) {
  return {mat.data, type_of(mat),   mat.cols,
          mat.rows, mat.channels(), static_cast<std::int64_t>(mat.step[0])};
}

HostView writable_view_of(cv::Mat& mat) {
  return {mat.data, type_of(mat),   mat.cols,
          mat.rows, mat.channels(), static_cast<std::int64_t>(mat.step[0])};
}

ConstHostFrame frame_of(PixelFormat format, const cv::Mat& mat) {
  return {format,
          mat.cols,
          mat.rows,
          {{{reinterpret_cast<const std::byte*>(mat.data), static_cast<std::int64_t>(mat.step[0])},
            {},
            {}}}};
}

// Converts to a format with one plane. Returns the frame as a matrix of bytes, with as many
// channels as the format.
cv::Mat converted(const ConstHostFrame& src, PixelFormat to, Convention convention) {
  const auto width = static_cast<int>(src.width()), height = static_cast<int>(src.height());
  cv::Mat dst(height, width, CV_8UC(static_cast<int>(plane_row_bytes(to, 0, width)) / width));
  convert(src, HostFrame(dst.data, to, width, height), {.convention = convention});
  return dst;
}

// ---- The primitives

using Rows = std::vector<Json>;

void copy_rows(const std::vector<Sample>& images, Rows& rows) {
  Row row("copy", "colours, whole and a part", "Mat::copyTo");
  for (const Sample& image : images) {
    for (const cv::Rect& part : {cv::Rect({}, image.bgr.size()),
                                 cv::Rect(7, 5, image.bgr.cols - 11, image.bgr.rows - 9)}) {
      cv::Mat theirs, ours(part.size(), CV_8UC3);
      image.bgr(part).copyTo(theirs);
      copy(view_of(image.bgr(part)), writable_view_of(ours));
      row.compare(image.name, ours, theirs);
    }
  }
  rows.push_back(row.json());
}

void convert_rows(const std::vector<Sample>& images, Rows& rows) {
  using enum PixelFormat;
  struct ToLuma {
    PixelFormat to;
    int code;
    const char* name;
  };
  for (const auto& [to, code, name] : {ToLuma{gray8, cv::COLOR_BGR2GRAY, "bgr24 to gray8"},
                                       {ycrcb24, cv::COLOR_BGR2YCrCb, "bgr24 to ycrcb24"}}) {
    for (const Convention convention : {Convention::opencv, Convention::exact}) {
      Row row("convert", std::string(name) + ", " + std::string(name_of(convention)), "cvtColor");
      for (const Sample& image : images) {
        cv::Mat theirs;
        cv::cvtColor(image.bgr, theirs, code);
        row.compare(image.name, converted(frame_of(bgr24, image.bgr), to, convention), theirs);
      }
      rows.push_back(row.json());
    }
  }
  struct FromVideo {
    PixelFormat from;
    int to_bgr, to_grey;
  };
  // The bytes of a picture are taken as a video frame. Sizes are rounded down to even ones, because
  // OpenCV takes no others.
  for (const auto& [from, to_bgr, to_grey] :
       {FromVideo{yuyv, cv::COLOR_YUV2BGR_YUYV, cv::COLOR_YUV2GRAY_YUYV},
        {uyvy, cv::COLOR_YUV2BGR_UYVY, cv::COLOR_YUV2GRAY_UYVY},
        {nv12, cv::COLOR_YUV2BGR_NV12, cv::COLOR_YUV2GRAY_NV12},
        {nv21, cv::COLOR_YUV2BGR_NV21, cv::COLOR_YUV2GRAY_NV21},
        {i420, cv::COLOR_YUV2BGR_I420, cv::COLOR_YUV2GRAY_I420}}) {
    Row row("convert", std::string(name_of(from)) + " to bgr24 and gray8, opencv", "cvtColor");
    for (const Sample& image : images) {
      const int width = image.bgr.cols & ~1, height = image.bgr.rows & ~1;
      const bool packed = from == yuyv || from == uyvy;
      const cv::Mat bytes = image.bgr.reshape(1, 1);
      cv::Mat frame(packed ? height : height * 3 / 2, width, packed ? CV_8UC2 : CV_8UC1);
      std::memcpy(frame.data, bytes.data, frame.total() * frame.elemSize());
      for (const auto& [to, code] : {std::pair(bgr24, to_bgr), std::pair(gray8, to_grey)}) {
        cv::Mat theirs;
        cv::cvtColor(frame, theirs, code);
        row.compare(
            image.name,
            converted(ConstHostFrame(frame.data, from, width, height), to, Convention::opencv),
            theirs);
      }
    }
    rows.push_back(row.json());
  }
}

int cv_border(Border border) {
  switch (border) {
    case Border::reflect101: return cv::BORDER_REFLECT_101;
    case Border::replicate: return cv::BORDER_REPLICATE;
    case Border::constant: return cv::BORDER_CONSTANT;
  }
  throw std::logic_error("no such border");
}

cv::Mat derivative(const cv::Mat& src, const SobelOptions& options, int depth) {
  const int x = options.output == SobelOutput::dx ? 1 : 0;
  cv::Mat dst;
  if (options.kernel == SobelKernel::sobel) {
    cv::Sobel(src, dst, depth, x, 1 - x, 3, 1, 0, cv_border(options.border));
  } else {
    cv::Scharr(src, dst, depth, x, 1 - x, 1, 0, cv_border(options.border));
  }
  return dst;
}

void sobel_rows(const std::vector<Sample>& images, Rows& rows) {
  Row magnitude("sobel", "u8, the defaults", "Sobel, convertScaleAbs, add");
  Row bytes("sobel", "u8, dx and dy, both kernels, every border", "Sobel, Scharr to CV_16S");
  Row words("sobel", "u16, dx and dy, both kernels, every border", "Sobel, Scharr to CV_32F");
  Row floats("sobel", "f32 of 0 to 1, dx and dy, both kernels, every border",
             "Sobel, Scharr to CV_32F");
  for (const Sample& image : images) {
    cv::Mat dx, dy, theirs, ours(image.grey.size(), CV_8U);
    cv::convertScaleAbs(derivative(image.grey, {.output = SobelOutput::dx}, CV_16S), dx);
    cv::convertScaleAbs(derivative(image.grey, {.output = SobelOutput::dy}, CV_16S), dy);
    cv::add(dx, dy, theirs);
    sobel(view_of(image.grey), writable_view_of(ours));
    magnitude.compare(image.name, ours, theirs);

    cv::Mat deep, real;
    image.grey.convertTo(deep, CV_16U, 257);
    image.grey.convertTo(real, CV_32F, 1.0 / 255);
    for (const SobelKernel kernel : all_sobel_kernels) {
      for (const Border border : all_borders) {
        for (const SobelOutput output : {SobelOutput::dx, SobelOutput::dy}) {
          const SobelOptions options{.output = output, .kernel = kernel, .border = border};
          cv::Mat of_bytes(image.grey.size(), CV_16S), of_words(image.grey.size(), CV_32S),
              of_floats(image.grey.size(), CV_32F);
          sobel(view_of(image.grey), writable_view_of(of_bytes), options);
          bytes.compare(image.name, of_bytes, derivative(image.grey, options, CV_16S));
          sobel(view_of(deep), writable_view_of(of_words), options);
          derivative(deep, options, CV_32F).convertTo(theirs, CV_32S);  // exact below 2^24
          words.compare(image.name, of_words, theirs);
          sobel(view_of(real), writable_view_of(of_floats), options);
          floats.compare(image.name, of_floats, derivative(real, options, CV_32F));
        }
      }
    }
  }
  for (const Row& row : {magnitude, bytes, words, floats}) rows.push_back(row.json());
}

void threshold_rows(const std::vector<Sample>& images, Rows& rows) {
  using Method = ThresholdMethod;
  for (const auto& [method, windows] :
       {std::pair(Method::mean, std::vector{3, 11, 31, 101, 175, 177, 201, 255, 501}),
        std::pair(Method::gaussian, std::vector{3, 7, 11, 31, 101, 201})}) {
    for (const int window : windows) {
      Row row("threshold", std::string(name_of(method)) + ", window " + std::to_string(window),
              "adaptiveThreshold");
      for (const Sample& image : images) {
        cv::Mat theirs, ours(image.grey.size(), CV_8U);
        cv::adaptiveThreshold(
            image.grey, theirs, 255,
            method == Method::mean ? cv::ADAPTIVE_THRESH_MEAN_C : cv::ADAPTIVE_THRESH_GAUSSIAN_C,
            cv::THRESH_BINARY, window, 2);
        threshold(view_of(image.grey), writable_view_of(ours),
                  {.window = window, .offset = 2, .method = method});
        row.compare(image.name, ours, theirs);
      }
      rows.push_back(row.json());
    }
  }
}

// Marks the places at which the part of the image under the template is flat. Our normalised score
// is defined as 0 there; OpenCV divides rounding errors.
cv::Mat flat_parts(const cv::Mat& image, cv::Size size, bool zero_mean) {
  cv::Mat mean, squares;
  const cv::Mat_<double> pixels(image);
  cv::boxFilter(pixels, mean, CV_64F, size, {0, 0}, true, cv::BORDER_CONSTANT);
  cv::boxFilter(pixels.mul(pixels), squares, CV_64F, size, {0, 0}, true, cv::BORDER_CONSTANT);
  if (zero_mean) squares -= mean.mul(mean);
  return squares(cv::Rect(0, 0, image.cols - size.width + 1, image.rows - size.height + 1)) < 1e-8;
}

void find_rows(const std::vector<Sample>& images, Rows& rows) {
  struct Peer {
    Measure measure;
    int method;
    const char* name;
  };
  const cv::Rect parts[] = {
      {200, 150, 32, 32}, {100, 300, 61, 23}, {333, 77, 5, 7}, {10, 20, 128, 96}};
  for (const auto& [measure, method, name] :
       {Peer{Measure::ssd, cv::TM_SQDIFF, "matchTemplate TM_SQDIFF"},
        {Measure::ncc, cv::TM_CCORR_NORMED, "matchTemplate TM_CCORR_NORMED"},
        {Measure::zncc, cv::TM_CCOEFF_NORMED, "matchTemplate TM_CCOEFF_NORMED"}}) {
    const std::string measured(name_of(measure));
    Row places("find", measured + ", the best place of a part", name, "places");
    Row scores("find", measured + ", every score", name, "scores");
    for (const Sample& image : images) {
      if (image.grey.total() > 2'000'000) continue;  // the search in the noise would take a minute
      for (const cv::Rect& part : parts) {
        const cv::Mat templ = image.grey(part);
        cv::Mat theirs;
        cv::matchTemplate(image.grey, templ, theirs, method);
        cv::Mat ours(theirs.size(), CV_32F);
        const Finding best =
            find(view_of(templ), view_of(image.grey), writable_view_of(ours), measure);
        cv::Point least, most;
        cv::minMaxLoc(theirs, nullptr, nullptr, &least, &most);
        const cv::Point place = measure == Measure::ssd ? least : most;
        places.add(std::max(std::abs(place.x - static_cast<int>(best.x)),
                            std::abs(place.y - static_cast<int>(best.y))),
                   [&] { return image.name; });
        if (measure != Measure::ssd) {
          const cv::Mat flat = flat_parts(image.grey, part.size(), measure == Measure::zncc);
          ours.setTo(0, flat);
          theirs.setTo(0, flat);
        }
        // Scores of ssd are divided by the largest possible sum. Normalised scores are such shares
        // already.
        const double largest = measure == Measure::ssd ? part.area() * 255.0 * 255.0 : 1;
        scores.compare(image.name, ours, theirs, largest);
      }
    }
    rows.push_back(places.json());
    rows.push_back(scores.json());
  }
}

// OpenCV's stereo matchers are in modules of their own, so its filters do the same search here.
void disparity_row(const std::vector<Sample>& images, Rows& rows) {
  const int block = 11, range = 64;
  const cv::Mat& left = images[2].grey;
  const cv::Mat& right = images[3].grey;
  cv::Mat least(left.size(), CV_32F, cv::Scalar(1e9)), theirs(left.size(), CV_32F, cv::Scalar(-1));
  for (int d = 0; d <= range; ++d) {
    cv::Mat difference, sums, better;
    cv::absdiff(left.colRange(d, left.cols), right.colRange(0, right.cols - d), difference);
    // Sums of whole numbers are exact in f32.
    cv::boxFilter(difference, sums, CV_32F, {block, block}, {-1, -1}, false);
    cv::Mat here = least.colRange(d, left.cols), found = theirs.colRange(d, left.cols);
    cv::compare(sums, here, better, cv::CMP_LT);
    sums.copyTo(here, better);
    found.setTo(d, better);
  }
  cv::Mat ours(left.size(), CV_32F);
  disparity(view_of(left), view_of(right), writable_view_of(ours),
            {.block = block, .max_disparity = range, .check = -1});
  // Compares only blocks inside the image, because the two programs treat borders differently.
  const cv::Rect inside(range + block / 2, block / 2, left.cols - range - block + 1,
                        left.rows - block + 1);
  Row row("disparity", "sad, block 11, to 64, inside", "absdiff, boxFilter");
  row.compare("the Aloe pair", ours(inside), theirs(inside));
  rows.push_back(row.json());
}

void gemv_rows(Rows& rows) {
  for (const bool transposed : {false, true}) {
    Row row("gemv", std::string("f32, 1024 by 4096") + (transposed ? ", transposed" : ""), "gemm",
            "elements");
    cv::Mat a(1024, 4096, CV_32F), x(1, transposed ? 1024 : 4096, CV_32F);
    std::mt19937 random(2);
    std::uniform_real_distribution<float> uniform(-1, 1);
    for (cv::Mat* mat : {&a, &x}) {
      for (int i = 0; i < static_cast<int>(mat->total()); ++i) {
        mat->ptr<float>()[i] = uniform(random);
      }
    }
    const int outputs = transposed ? a.cols : a.rows;
    cv::Mat ours(1, outputs, CV_32F), theirs, sizes;
    gemv(view_of(a), view_of(x), writable_view_of(ours), {.transpose = transposed});
    cv::gemm(a, x.t(), 1, cv::noArray(), 0, theirs, transposed ? cv::GEMM_1_T : 0);
    cv::gemm(cv::abs(a), cv::Mat(cv::abs(x)).t(), 1, cv::noArray(), 0, sizes,
             transposed ? cv::GEMM_1_T : 0);
    for (int i = 0; i < outputs; ++i) {  // divided by the sum of the absolute products
      row.add(std::abs(ours.at<float>(i) - theirs.at<float>(i)) / sizes.at<float>(i),
              [&] { return "element " + std::to_string(i); });
    }
    rows.push_back(row.json());
  }
}

}  // namespace
}  // namespace warpwise

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("opencv_agreement SAMPLES\n", stderr);
    return 2;
  }
  try {
    const std::vector<warpwise::Sample> images = warpwise::images_of(argv[1]);
    warpwise::Rows rows;
    warpwise::copy_rows(images, rows);
    warpwise::convert_rows(images, rows);
    warpwise::sobel_rows(images, rows);
    warpwise::threshold_rows(images, rows);
    warpwise::find_rows(images, rows);
    warpwise::disparity_row(images, rows);
    warpwise::gemv_rows(rows);
    std::puts(warpwise::Json{{"opencv", CV_VERSION}, {"rows", rows}}.dump(1).c_str());
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "opencv_agreement: %s\n", error.what());
    return 1;
  }
}
