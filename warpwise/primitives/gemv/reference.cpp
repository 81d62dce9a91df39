#include "warpwise/primitives/gemv/gemv.hpp"

namespace warpwise::reference {
namespace {

double element(ConstHostView view, std::int64_t row, std::int64_t column) {
  switch (view.type()) {
    case ElementType::f16: return to_float(load<Float16>(view.row(row), column));
    case ElementType::bf16: return to_float(load<BFloat16>(view.row(row), column));
    default: return load<float>(view.row(row), column);
  }
}

// Returns element i of a view of one row or one column.
double element(ConstHostView vector, std::int64_t i) {
  return vector.height() == 1 ? element(vector, 0, i) : element(vector, i, 0);
}

}  // namespace

void gemv(ConstHostView a, ConstHostView x, HostView y, const GemvOptions& options) {
  const std::int64_t rows = options.transpose ? a.width() : a.height();
  const std::int64_t columns = options.transpose ? a.height() : a.width();
  for (std::int64_t i = 0; i < rows; ++i) {
    double sum = 0;
    if (options.alpha != 0) {
      for (std::int64_t k = 0; k < columns; ++k) {
        sum += (options.transpose ? element(a, k, i) : element(a, i, k)) * element(x, k);
      }
      sum *= options.alpha;
    }
    if (options.beta != 0) sum += options.beta * element(y, i);
    std::byte* const to = y.height() == 1 ? y.row(0) + i * std::int64_t{sizeof(float)} : y.row(i);
    store(to, 0, static_cast<float>(sum));
  }
}

}  // namespace warpwise::reference
