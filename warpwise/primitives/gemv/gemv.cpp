#include "warpwise/primitives/gemv/gemv.hpp"

#include <string>

#include "warpwise/primitives/gemv/backends.hpp"
#include "warpwise/primitives/shared/validate.hpp"

namespace warpwise {
namespace {

template <class View>
void require_vector(const char* name, const View& view, std::int64_t size, const char* side) {
  if (view.width() != 1 && view.height() != 1) {
    throw InvalidArgument(std::string("gemv: ") + name + " is " +
                          detail::size_text(view.width(), view.height()) +
                          "; a vector is a view of one row or one column");
  }
  const std::int64_t given = detail::gemv::VectorOf<View>(view).size;
  if (given != size) {
    throw InvalidArgument(std::string("gemv: ") + name + " has " + std::to_string(given) +
                          " elements, op(A) has " + std::to_string(size) + " " + side);
  }
}

/// Returns true if all arguments are f32 and valid. The check takes few instructions, because
/// its time is noticeable in the smallest products. validate() checks the arguments that fail here
/// and reports what is wrong.
template <class Matrix, class Result>
bool are_usual(const Matrix& a, const Matrix& x, const Result& y, bool transpose) {
  using detail::ranges_overlap;
  const auto is_f32 = [](const auto& view) {
    return view.type() == ElementType::f32 && view.channels() == 1;
  };
  const auto is_vector_of = [](const auto& view, std::int64_t size) {
    return (view.width() == 1 && view.height() == size) ||
           (view.height() == 1 && view.width() == size);
  };
  const auto bytes = [](const auto& view) {
    return (view.height() - 1) * view.pitch_bytes() + view.width() * std::int64_t{sizeof(float)};
  };
  return is_f32(a) && is_f32(x) && is_f32(y) &&
         is_vector_of(x, transpose ? a.height() : a.width()) &&
         is_vector_of(y, transpose ? a.width() : a.height()) &&
         !ranges_overlap(a.data(), bytes(a), y.data(), bytes(y)) &&
         !ranges_overlap(x.data(), bytes(x), y.data(), bytes(y));
}

/// Returns true if arguments that passed are_usual() can be computed as a SmallGemv.
bool is_small(const ConstHostView& a, const ConstHostView& x, const HostView& y,
              const GemvOptions& options) {
  const auto has_no_gaps = [](const auto& view) {
    return view.height() == 1 || view.pitch_bytes() == sizeof(float);
  };
  return a.width() <= (options.transpose ? detail::gemv::small_columns : 8) &&
         a.height() <= detail::gemv::small_rows && options.alpha != 0 && has_no_gaps(x) &&
         has_no_gaps(y);
}

template <class Matrix, class Result>
void validate(const Matrix& a, const Matrix& x, const Result& y, const GemvOptions& options) {
  const ElementType type = a.type();
  if (type != ElementType::f32 && type != ElementType::f16 && type != ElementType::bf16) {
    throw InvalidArgument("gemv: A is of " + detail::type_text(type, a.channels()) +
                          ", it needs f32, f16 or bf16");
  }
  detail::require_type("gemv", "A", a, type, 1);
  detail::require_type("gemv", "x", x, type, 1);
  detail::require_type("gemv", "y", y, ElementType::f32, 1);
  require_vector("x", x, options.transpose ? a.height() : a.width(), "columns");
  require_vector("y", y, options.transpose ? a.width() : a.height(), "rows");
  detail::require_disjoint("gemv", a, y, "A and y");
  detail::require_disjoint("gemv", x, y, "x and y");
}

}  // namespace

void gemv(ConstHostView a, ConstHostView x, HostView y, const GemvOptions& options) {
  if (!are_usual(a, x, y, options.transpose)) {
    validate(a, x, y, options);
  } else if (is_small(a, x, y, options)) {
    return detail::gemv::gemv_small_cpu({a.data(), a.pitch_bytes(), a.width(), a.height(), x.data(),
                                         y.data(), options.alpha, options.beta},
                                        options.transpose);
  }
  detail::gemv::gemv_cpu(a, x, y, options);
}

void gemv(ConstDeviceView a, ConstDeviceView x, DeviceView y, const GemvOptions& options,
          gpu::StreamHandle stream) {
  validate(a, x, y, options);
  detail::gemv::gemv_cuda(a, x, y, options, stream);
}

}  // namespace warpwise
