// Compares bit for bit with OpenCV, libyuv and (through JPEG files) libjpeg, on real images and at
// every awkward size.

#include <gtest/gtest.h>
#include <libyuv.h>

#include <functional>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>

#include "support/guarded_image.hpp"
#include "warpwise/primitives/convert/convert.hpp"

namespace warpwise {
namespace {

using enum PixelFormat;

/// Returns real images, and noise of every awkward size, as BGR.
const std::vector<cv::Mat>& pictures() {
  static const std::vector<cv::Mat> all = [] {
    std::vector<cv::Mat> images;
    for (const char* name : {"building.jpg", "aloeL.jpg", "rubberwhale1.png"}) {
      images.push_back(cv::imread(std::string(WARPWISE_SAMPLES) + "/" + name, cv::IMREAD_COLOR));
      if (images.back().empty()) throw std::runtime_error(std::string("cannot read ") + name);
    }
    std::uint64_t seed = 1;
    for (const test::Size& size : test::awkward_sizes()) {
      cv::Mat noise(static_cast<int>(size.height), static_cast<int>(size.width), CV_8UC3);
      cv::RNG(seed++).fill(noise, cv::RNG::UNIFORM, 0, 256);
      images.push_back(noise);
    }
    return images;
  }();
  return all;
}

void for_each_picture(const std::function<void(const cv::Mat&)>& body) {
  for (const cv::Mat& bgr : pictures()) {
    SCOPED_TRACE(testing::Message() << bgr.cols << "x" << bgr.rows);
    body(bgr);
    if (testing::Test::HasFailure()) return;
  }
}

/// Returns a one-plane frame over a Mat.
ConstHostFrame frame(PixelFormat format, const cv::Mat& mat) {
  return {format,
          mat.cols,
          mat.rows,
          {{{reinterpret_cast<const std::byte*>(mat.data), static_cast<std::int64_t>(mat.step)},
            {},
            {}}}};
}

/// Returns the bytes of src in format `to`, with planes below one another.
cv::Mat converted(const ConstHostFrame& src, PixelFormat to, const ConvertOptions& options) {
  const auto row = static_cast<int>(plane_row_bytes(to, 0, src.width()));
  cv::Mat out(static_cast<int>(src.height()) * plane_count(to), row, CV_8UC1);
  convert(src, HostFrame(out.data, to, src.width(), src.height()), options);
  return out;
}

void expect_same(const cv::Mat& expected, const cv::Mat& actual) {
  const cv::Mat flat = expected.reshape(1);
  ASSERT_EQ(flat.size(), actual.size());
  cv::Mat difference;
  cv::absdiff(flat, actual, difference);
  EXPECT_EQ(cv::countNonZero(difference), 0);
}

struct Code {
  PixelFormat format;
  int code;
};

constexpr ConvertOptions as_opencv{.convention = Convention::opencv};

// ---- OpenCV

/// Returns the picture in one of the RGB formats; alpha is 255.
cv::Mat rgb_picture(const cv::Mat& bgr, PixelFormat format) {
  cv::Mat out;
  if (format == bgr24) return bgr;
  cv::cvtColor(bgr, out,
               format == rgb24 ? cv::COLOR_BGR2RGB
                               : (format == rgba32 ? cv::COLOR_BGR2RGBA : cv::COLOR_BGR2BGRA));
  return out;
}

TEST(ConvertOpenCv, RgbToYCrCb) {
  for_each_picture([](const cv::Mat& bgr) {
    for (const Code& c : {Code{rgb24, cv::COLOR_RGB2YCrCb},
                          {bgr24, cv::COLOR_BGR2YCrCb},
                          {rgba32, cv::COLOR_RGB2YCrCb},
                          {bgra32, cv::COLOR_BGR2YCrCb}}) {
      const cv::Mat src = rgb_picture(bgr, c.format);
      cv::Mat expected;
      cv::cvtColor(src, expected, c.code);
      expect_same(expected, converted(frame(c.format, src), ycrcb24, as_opencv));
      std::vector<cv::Mat> planes;
      cv::split(expected, planes);
      std::swap(planes[1], planes[2]);
      cv::Mat stacked, quads;
      cv::vconcat(planes, stacked);
      expect_same(stacked, converted(frame(c.format, src), i444, as_opencv));
      planes.push_back(cv::Mat(bgr.size(), CV_8UC1, cv::Scalar(255)));
      cv::merge(planes, quads);
      expect_same(quads, converted(frame(c.format, src), ycbcr32, as_opencv));
    }
  });
}

TEST(ConvertOpenCv, RgbToGrey) {
  for_each_picture([](const cv::Mat& bgr) {
    for (const Code& c : {Code{rgb24, cv::COLOR_RGB2GRAY},
                          {bgr24, cv::COLOR_BGR2GRAY},
                          {rgba32, cv::COLOR_RGBA2GRAY},
                          {bgra32, cv::COLOR_BGRA2GRAY}}) {
      const cv::Mat src = rgb_picture(bgr, c.format);
      cv::Mat expected;
      cv::cvtColor(src, expected, c.code);
      expect_same(expected, converted(frame(c.format, src), gray8, as_opencv));
    }
  });
}

TEST(ConvertOpenCv, RgbToRgb) {
  for_each_picture([](const cv::Mat& bgr) {
    for (const Convention convention : all_conventions) {
      const ConvertOptions options{.convention = convention};
      for (const PixelFormat from : {rgb24, bgr24, rgba32, bgra32}) {
        const cv::Mat src = rgb_picture(bgr, from);
        for (const PixelFormat to : {rgb24, bgr24, rgba32, bgra32}) {
          expect_same(rgb_picture(bgr, to), converted(frame(from, src), to, options));
        }
      }
    }
  });
}

TEST(ConvertOpenCv, YCrCbToRgb) {
  for_each_picture([](const cv::Mat& noise) {
    // The picture's bytes are taken as Y, Cr, Cb.
    cv::Mat quads(noise.size(), CV_8UC4, cv::Scalar(0, 0, 0, 7));
    cv::mixChannels({noise}, {quads}, {0, 0, 1, 2, 2, 1});
    for (const Code& to : {Code{rgb24, cv::COLOR_YCrCb2RGB},
                           {bgr24, cv::COLOR_YCrCb2BGR},
                           {rgba32, cv::COLOR_YCrCb2RGB},
                           {bgra32, cv::COLOR_YCrCb2BGR}}) {
      cv::Mat expected;
      cv::cvtColor(noise, expected, to.code, to.format == rgba32 || to.format == bgra32 ? 4 : 3);
      expect_same(expected, converted(frame(ycbcr32, quads), to.format, as_opencv));
    }
  });
}

/// A frame of a subsampled format that the peer can read: OpenCV takes only even sizes.
struct EvenFrame {
  EvenFrame(PixelFormat its_format, int at_least_wide, int at_least_high)
      : width(at_least_wide + at_least_wide % 2), height(at_least_high + at_least_high % 2),
        format(its_format), bytes(static_cast<std::size_t>(frame_bytes(format, width, height))) {
    std::mt19937 random(static_cast<unsigned>(width * 1000 + height));
    for (auto& byte : bytes) byte = static_cast<std::uint8_t>(random());
  }
  ConstHostFrame whole() const { return {bytes.data(), format, width, height}; }
  /// Returns the upper left part, whose size may be odd.
  ConstHostFrame part(int w, int h) const {
    const ConstHostFrame all = whole();
    std::array<ConstHostFrame::Plane, 3> planes;
    for (int p = 0; p < plane_count(format); ++p) planes[p] = all.plane(p);
    return {format, w, h, planes};
  }
  int width, height;
  PixelFormat format;
  std::vector<std::uint8_t> bytes;
};

struct Decoding {
  PixelFormat from, to;
  int code;
};

TEST(ConvertOpenCv, SubsampledToRgbAndGrey) {
  using D = Decoding;
  const std::vector<D> decodings = {
      D{yuyv, rgb24, cv::COLOR_YUV2RGB_YUYV},   D{yuyv, bgr24, cv::COLOR_YUV2BGR_YUYV},
      D{yuyv, rgba32, cv::COLOR_YUV2RGBA_YUYV}, D{yuyv, bgra32, cv::COLOR_YUV2BGRA_YUYV},
      D{yuyv, gray8, cv::COLOR_YUV2GRAY_YUYV},  D{uyvy, rgb24, cv::COLOR_YUV2RGB_UYVY},
      D{uyvy, bgr24, cv::COLOR_YUV2BGR_UYVY},   D{uyvy, rgba32, cv::COLOR_YUV2RGBA_UYVY},
      D{uyvy, bgra32, cv::COLOR_YUV2BGRA_UYVY}, D{uyvy, gray8, cv::COLOR_YUV2GRAY_UYVY},
      D{nv12, rgb24, cv::COLOR_YUV2RGB_NV12},   D{nv12, bgr24, cv::COLOR_YUV2BGR_NV12},
      D{nv12, rgba32, cv::COLOR_YUV2RGBA_NV12}, D{nv12, bgra32, cv::COLOR_YUV2BGRA_NV12},
      D{nv12, gray8, cv::COLOR_YUV2GRAY_NV12},  D{nv21, rgb24, cv::COLOR_YUV2RGB_NV21},
      D{nv21, bgr24, cv::COLOR_YUV2BGR_NV21},   D{nv21, rgba32, cv::COLOR_YUV2RGBA_NV21},
      D{nv21, bgra32, cv::COLOR_YUV2BGRA_NV21}, D{nv21, gray8, cv::COLOR_YUV2GRAY_NV21},
      D{i420, rgb24, cv::COLOR_YUV2RGB_I420},   D{i420, bgr24, cv::COLOR_YUV2BGR_I420},
      D{i420, rgba32, cv::COLOR_YUV2RGBA_I420}, D{i420, bgra32, cv::COLOR_YUV2BGRA_I420},
      D{i420, gray8, cv::COLOR_YUV2GRAY_I420}};
  for_each_picture([&](const cv::Mat& picture) {
    for (const D& d : decodings) {
      SCOPED_TRACE(testing::Message() << name_of(d.from) << " to " << name_of(d.to));
      EvenFrame src(d.from, picture.cols, picture.rows);
      const bool packed = d.from == yuyv || d.from == uyvy;
      const cv::Mat peer_src(packed ? src.height : src.height * 3 / 2, src.width,
                             packed ? CV_8UC2 : CV_8UC1, src.bytes.data());
      cv::Mat expected;
      cv::cvtColor(peer_src, expected, d.code);
      const cv::Mat part = expected(cv::Rect(0, 0, picture.cols, picture.rows)).clone();
      expect_same(part, converted(src.part(picture.cols, picture.rows), d.to, as_opencv));
    }
  });
}

TEST(ConvertOpenCv, RealFrameFromI420) {
  const cv::Mat& image = pictures()[0];
  const cv::Mat even = image(cv::Rect(0, 0, image.cols & ~1, image.rows & ~1));
  cv::Mat yuv, expected;
  cv::cvtColor(even, yuv, cv::COLOR_BGR2YUV_I420);
  cv::cvtColor(yuv, expected, cv::COLOR_YUV2BGR_I420);
  expect_same(expected,
              converted(ConstHostFrame(yuv.data, i420, even.cols, even.rows), bgr24, as_opencv));
}

// ---- libyuv. Its ARGB is bytes B G R A, its RGB24 is B G R.

ConvertOptions as_libyuv(Matrix matrix, Range range, bool decode) {
  ConvertOptions options{.convention = Convention::libyuv, .matrix = matrix};
  (decode ? options.from_range : options.to_range) = range;
  return options;
}

TEST(ConvertLibyuv, ArgbToYuvAndGrey) {
  for_each_picture([](const cv::Mat& bgr) {
    const cv::Mat argb = rgb_picture(bgr, bgra32);
    const int w = bgr.cols, h = bgr.rows;
    cv::Mat yuv(3 * h, w, CV_8UC1), grey(h, w, CV_8UC1), grey_full(h, w, CV_8UC1);
    libyuv::ARGBToI444(argb.data, 4 * w, yuv.data, w, yuv.ptr(h), w, yuv.ptr(2 * h), w, w, h);
    libyuv::ARGBToI400(argb.data, 4 * w, grey.data, w, w, h);
    libyuv::ARGBToJ400(argb.data, 4 * w, grey_full.data, w, w, h);
    const auto limited = as_libyuv(Matrix::bt601, Range::limited, false);
    expect_same(yuv, converted(frame(bgra32, argb), i444, limited));
    expect_same(grey, converted(frame(bgra32, argb), gray8, limited));
    expect_same(grey_full, converted(frame(bgra32, argb), gray8,
                                     as_libyuv(Matrix::bt601, Range::full, false)));
  });
}

TEST(ConvertLibyuv, ArgbToFullRangeYuv) {
  // libyuv has no full-range 4:4:4 function. Each pixel becomes a block of four equal pixels, so
  // that their mean is the pixel.
  for_each_picture([](const cv::Mat& bgr) {
    const cv::Mat argb = rgb_picture(bgr, bgra32);
    const int w = bgr.cols, h = bgr.rows;
    cv::Mat doubled, luma(2 * h, 2 * w, CV_8UC1), yuv(3 * h, w, CV_8UC1);
    cv::resize(argb, doubled, {}, 2, 2, cv::INTER_NEAREST);
    libyuv::ARGBToJ420(doubled.data, 8 * w, luma.data, 2 * w, yuv.ptr(h), w, yuv.ptr(2 * h), w,
                       2 * w, 2 * h);
    libyuv::ARGBToJ400(argb.data, 4 * w, yuv.data, w, w, h);
    expect_same(yuv,
                converted(frame(bgra32, argb), i444, as_libyuv(Matrix::bt601, Range::full, false)));
  });
}

struct LibyuvMatrix {
  Matrix matrix;
  Range range;
  const libyuv::YuvConstants* constants;
};

const std::vector<LibyuvMatrix>& libyuv_matrices() {
  static const std::vector<LibyuvMatrix> all = {
      {Matrix::bt601, Range::limited, &libyuv::kYuvI601Constants},
      {Matrix::bt601, Range::full, &libyuv::kYuvJPEGConstants},
      {Matrix::bt709, Range::limited, &libyuv::kYuvH709Constants},
      {Matrix::bt709, Range::full, &libyuv::kYuvF709Constants}};
  return all;
}

TEST(ConvertLibyuv, EveryYuvColourToArgb) {
  // All 2^24 colours: Y differs by image, Cb by row, Cr by column.
  cv::Mat planes(3 * 256, 256, CV_8UC1), quads, expected(256, 256, CV_8UC4);
  const cv::Mat y = planes.rowRange(0, 256), u = planes.rowRange(256, 512),
                v = planes.rowRange(512, 768), alpha(256, 256, CV_8UC1, cv::Scalar(3));
  for (int i = 0; i < 256; ++i) {
    planes.row(256 + i).setTo(i);
    planes.rowRange(512, 768).col(i).setTo(i);
  }
  for (const LibyuvMatrix& m : libyuv_matrices()) {
    for (int luma = 0; luma < 256; ++luma) {
      planes.rowRange(0, 256).setTo(luma);
      cv::merge(std::vector<cv::Mat>{y, u, v, alpha}, quads);
      libyuv::I444ToARGBMatrix(y.data, 256, u.data, 256, v.data, 256, expected.data, 1024,
                               m.constants, 256, 256);
      expect_same(expected,
                  converted(frame(ycbcr32, quads), bgra32, as_libyuv(m.matrix, m.range, true)));
    }
  }
}

TEST(ConvertLibyuv, SubsampledToArgb) {
  for_each_picture([](const cv::Mat& picture) {
    const int w = picture.cols, h = picture.rows;
    cv::Mat argb(h, w, CV_8UC4), rgb(h, w, CV_8UC3);
    const EvenFrame frames[] = {{nv12, w, h}, {nv21, w, h}, {i420, w, h}};
    const auto data = [](const EvenFrame& f, int p) {
      return reinterpret_cast<const std::uint8_t*>(f.whole().plane(p).data);
    };
    const int pitch = frames[0].width;
    for (const LibyuvMatrix& m : libyuv_matrices()) {
      const ConvertOptions options = as_libyuv(m.matrix, m.range, true);
      libyuv::NV12ToARGBMatrix(data(frames[0], 0), pitch, data(frames[0], 1), pitch, argb.data,
                               4 * w, m.constants, w, h);
      expect_same(argb, converted(frames[0].part(w, h), bgra32, options));
      libyuv::NV12ToRGB24Matrix(data(frames[0], 0), pitch, data(frames[0], 1), pitch, rgb.data,
                                3 * w, m.constants, w, h);
      expect_same(rgb, converted(frames[0].part(w, h), bgr24, options));
      libyuv::NV21ToARGBMatrix(data(frames[1], 0), pitch, data(frames[1], 1), pitch, argb.data,
                               4 * w, m.constants, w, h);
      expect_same(argb, converted(frames[1].part(w, h), bgra32, options));
      libyuv::I420ToARGBMatrix(data(frames[2], 0), pitch, data(frames[2], 1), pitch / 2,
                               data(frames[2], 2), pitch / 2, argb.data, 4 * w, m.constants, w, h);
      expect_same(argb, converted(frames[2].part(w, h), bgra32, options));
    }
  });
}

TEST(ConvertLibyuv, PackedToArgb) {
  for_each_picture([](const cv::Mat& picture) {
    const int w = picture.cols, h = picture.rows;
    cv::Mat argb(h, w, CV_8UC4);
    const auto options = as_libyuv(Matrix::bt601, Range::limited, true);
    const EvenFrame yuy2(yuyv, w, h), reversed(uyvy, w, h);
    libyuv::YUY2ToARGB(yuy2.bytes.data(), 2 * yuy2.width, argb.data, 4 * w, w, h);
    expect_same(argb, converted(yuy2.part(w, h), bgra32, options));
    libyuv::UYVYToARGB(reversed.bytes.data(), 2 * yuy2.width, argb.data, 4 * w, w, h);
    expect_same(argb, converted(reversed.part(w, h), bgra32, options));
  });
}

// ---- libjpeg

/// Returns the middle pixel of each 16 by 16 block.
cv::Mat middles(const cv::Mat& blocks) {
  cv::Mat out(blocks.rows / 16, blocks.cols / 16, blocks.type());
  for (int y = 0; y < out.rows; ++y) {
    for (int x = 0; x < out.cols; ++x) {
      blocks(cv::Rect(16 * x + 8, 16 * y + 8, 1, 1)).copyTo(out(cv::Rect(x, y, 1, 1)));
    }
  }
  return out;
}

TEST(ConvertLibjpeg, FlatBlocksThroughAFile) {
  // At quality 100 JPEG keeps a flat block exactly. The filters that resample chroma do not reach
  // the block's middle pixel. The file therefore only converts this pixel to YCbCr and back.
  cv::Mat colours(96, 128, CV_8UC3), blocks;
  cv::RNG(17).fill(colours, cv::RNG::UNIFORM, 0, 256);
  cv::resize(colours, blocks, {}, 16, 16, cv::INTER_NEAREST);
  std::vector<std::uint8_t> file;
  ASSERT_TRUE(cv::imencode(".jpg", blocks, file, {cv::IMWRITE_JPEG_QUALITY, 100}));

  constexpr ConvertOptions as_libjpeg{.convention = Convention::jfif};
  const cv::Mat grey = middles(cv::imdecode(file, cv::IMREAD_GRAYSCALE));
  expect_same(grey, converted(frame(bgr24, colours), gray8, as_libjpeg));
  const cv::Mat back = middles(cv::imdecode(file, cv::IMREAD_COLOR));
  const cv::Mat yuv = converted(frame(bgr24, colours), ycbcr32, as_libjpeg).reshape(4);
  expect_same(back, converted(frame(ycbcr32, yuv), bgr24, as_libjpeg));
}

}  // namespace
}  // namespace warpwise
