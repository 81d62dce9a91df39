#pragma once

// Makes Warpwise's views and streams from OpenCV's images and streams, for programs that use both.
// This is the only header that needs OpenCV. It needs just the core module, which the program
// links. The library neither needs nor links OpenCV.
//
//   cv::Mat photo = cv::imread("photo.jpg"), edges(photo.size(), CV_8U);
//   warpwise::sobel(warpwise::view_of(photo), warpwise::view_of(edges));  // photo is B G R
//
// A view of 3 or more channels says the order of its colours: B G R, unless the caller says R G B.
//
//   cv::Mat page = cv::imread("page.png", cv::IMREAD_GRAYSCALE), binary(page.size(), CV_8U);
//   warpwise::threshold(warpwise::view_of(std::as_const(page)), warpwise::view_of(binary),
//                       {.window = 31});

#include <opencv2/core.hpp>
#include <opencv2/core/cuda.hpp>

#include <string>

#include "warpwise/base/channel_order.hpp"
#include "warpwise/base/error.hpp"
#include "warpwise/base/view.hpp"
#include "warpwise/gpu/handles.hpp"

namespace warpwise {

/// Returns the element type of one of OpenCV's depths, CV_8U to CV_16F.
/// \throws InvalidArgument  CV_8S and CV_64F, which Warpwise does not have
inline ElementType element_type_of_depth(int depth) {
  switch (depth) {
    case CV_8U: return ElementType::u8;
    case CV_16U: return ElementType::u16;
    case CV_16S: return ElementType::i16;
    case CV_32S: return ElementType::i32;
    case CV_32F: return ElementType::f32;
    case CV_16F: return ElementType::f16;
    default:
      throw InvalidArgument("an image of OpenCV's has the depth " +
                            std::string(cv::depthToString(depth)) +
                            "; it needs CV_8U, CV_16U, CV_16S, CV_32S, CV_32F or CV_16F");
  }
}

namespace detail {
template <class View, class Image>
View view_of_opencv(Image& image, ChannelOrder order) {
  const View view(image.data, element_type_of_depth(image.depth()), image.cols, image.rows,
                  image.channels(), image.rows > 1 ? static_cast<std::int64_t>(image.step) : 0);
  return image.channels() >= 3 ? view.in_order(order) : view;
}

inline void require_image(const cv::Mat& image) {
  if (image.dims > 2)
    throw InvalidArgument("a cv::Mat has " + std::to_string(image.dims) +
                          " dimensions, and an image has 2");
}
}  // namespace detail

/// Returns a view of an image's pixels, without a copy. The view is valid while the image keeps its
/// memory. A view of a constant image is read-only. A view of 3 or more channels has an order of
/// colours, by default that of cv::imread, cv::VideoCapture and cv::imshow. A temporary, such as
/// edges(box), counts as constant: name it, or take view_of(edges).sub_view(), to write to it.
/// \throws InvalidArgument  an image that is empty, of more than two dimensions, CV_8S or CV_64F
inline HostView view_of(cv::Mat& image, ChannelOrder order = ChannelOrder::bgr) {
  detail::require_image(image);
  return detail::view_of_opencv<HostView>(image, order);
}
inline ConstHostView view_of(const cv::Mat& image, ChannelOrder order = ChannelOrder::bgr) {
  detail::require_image(image);
  return detail::view_of_opencv<ConstHostView>(image, order);
}

/// Returns a view of an image on the current GPU, without a copy.
inline DeviceView view_of(cv::cuda::GpuMat& image, ChannelOrder order = ChannelOrder::bgr) {
  return detail::view_of_opencv<DeviceView>(image, order);
}
inline ConstDeviceView view_of(const cv::cuda::GpuMat& image,
                               ChannelOrder order = ChannelOrder::bgr) {
  return detail::view_of_opencv<ConstDeviceView>(image, order);
}

/// Returns the handle of a stream, which primitives take. OpenCV keeps owning the stream.
inline gpu::StreamHandle handle_of(const cv::cuda::Stream& stream) {
  return static_cast<gpu::StreamHandle>(stream.cudaPtr());
}

}  // namespace warpwise
