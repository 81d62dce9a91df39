#include "warpwise/primitives/convert/convert.hpp"

#include "warpwise/primitives/convert/backends.hpp"
#include "warpwise/primitives/shared/validate.hpp"

namespace warpwise {
namespace {

template <class Values>
auto value_named(const Values& values, std::string_view name)
    -> std::optional<typename Values::value_type> {
  for (const auto value : values) {
    if (name == name_of(value)) return value;
  }
  return std::nullopt;
}

/// Every plane of one frame against every plane of the other.
template <class Source, class Destination>
void require_disjoint_planes(const Source& src, const Destination& dst) {
  const auto view_of = [](const auto& frame, int p) {
    using View = typename std::remove_cvref_t<decltype(frame)>::View;
    const auto& plane = frame.plane(p);
    return View(plane.data, ElementType::u8, plane_row_bytes(frame.format(), p, frame.width()),
                plane_rows(frame.format(), p, frame.height()), 1, plane.pitch_bytes);
  };
  for (int s = 0; s < plane_count(src.format()); ++s) {
    for (int d = 0; d < plane_count(dst.format()); ++d) {
      detail::require_disjoint("convert", view_of(src, s), view_of(dst, d));
    }
  }
}

template <class Source, class Destination>
detail::Conversion validate(const Source& src, const Destination& dst,
                            const ConvertOptions& options) {
  const auto conversion = detail::resolve(src.format(), dst.format(), options);
  detail::require_same_size("convert", src, dst);
  require_disjoint_planes(src, dst);
  return conversion;
}

}  // namespace

std::string_view name_of(Matrix matrix) {
  switch (matrix) {
    case Matrix::bt601: return "bt601";
    case Matrix::bt709: return "bt709";
    case Matrix::bt2020: return "bt2020";
  }
  __builtin_unreachable();
}

std::string_view name_of(Range range) {
  switch (range) {
    case Range::full: return "full";
    case Range::limited: return "limited";
  }
  __builtin_unreachable();
}

std::string_view name_of(Convention convention) {
  switch (convention) {
    case Convention::exact: return "exact";
    case Convention::opencv: return "opencv";
    case Convention::libyuv: return "libyuv";
    case Convention::jfif: return "jfif";
  }
  __builtin_unreachable();
}

std::string_view name_of(ChromaUpsampling upsampling) {
  switch (upsampling) {
    case ChromaUpsampling::replicate: return "replicate";
    case ChromaUpsampling::linear: return "linear";
  }
  __builtin_unreachable();
}

std::optional<Matrix> matrix_named(std::string_view name) {
  return value_named(all_matrices, name);
}
std::optional<Range> range_named(std::string_view name) { return value_named(all_ranges, name); }
std::optional<Convention> convention_named(std::string_view name) {
  return value_named(all_conventions, name);
}
std::optional<ChromaUpsampling> chroma_upsampling_named(std::string_view name) {
  return value_named(all_chroma_upsamplings, name);
}

void convert(ConstHostFrame src, HostFrame dst, const ConvertOptions& options) {
  detail::convert_cpu(src, dst, validate(src, dst, options));
}

void convert(ConstDeviceFrame src, DeviceFrame dst, const ConvertOptions& options,
             gpu::StreamHandle stream) {
  detail::convert_cuda(src, dst, validate(src, dst, options), stream);
}

}  // namespace warpwise
