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
  validate(a, x, y, options);
  detail::gemv::gemv_cpu(a, x, y, options);
}

void gemv(ConstDeviceView a, ConstDeviceView x, DeviceView y, const GemvOptions& options,
          gpu::StreamHandle stream) {
  validate(a, x, y, options);
  detail::gemv::gemv_cuda(a, x, y, options, stream);
}

}  // namespace warpwise
