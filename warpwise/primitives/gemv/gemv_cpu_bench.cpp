#include <memory>
#include <string>
#include <vector>

#include "bench/cpu_harness.hpp"
#include "bench/gemv_shapes.hpp"
#include "warpwise/primitives/gemv/gemv.hpp"

// The only function of BLAS's C interface used here. It is declared because its header's place
// differs between systems. order 101: row-major. transpose 111: A; 112: the transpose of A.
extern "C" void cblas_sgemv(int order, int transpose, int rows, int columns, float alpha,
                            const float* a, int leading, const float* x, int x_step, float beta,
                            float* y, int y_step);

namespace warpwise::bench {
namespace {

using Floats = std::shared_ptr<std::vector<float>>;

// Returns numbers of about 1. Random bits would include NaNs and subnormal numbers, whose additions
// are slow.
Floats numbers(std::int64_t count) {
  auto floats = std::make_shared<std::vector<float>>(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < floats->size(); ++i) {
    (*floats)[i] = 0.5F + static_cast<float>(i * 7 % 101) / 100;
  }
  return floats;
}

void add_shape(const std::string& kind, std::int64_t columns, std::int64_t rows, bool transpose) {
  add_at(
      {.name = "gemv/" + kind + (transpose ? " transposed" : ""),
       .peer_name = "OpenBLAS",
       .bytes = [](auto width, auto height) { return 4 * width * height; },
       .make = [=](std::int64_t width, std::int64_t height) -> Pair {
         const std::int64_t terms = transpose ? height : width;
         const std::int64_t outputs = transpose ? width : height;
         const Floats a = numbers(width * height);
         const Floats x = numbers(terms);
         const Floats y = numbers(outputs);
         GemvOptions options;
         options.transpose = transpose;
         return {[=] {
                   gemv(ConstHostView(a->data(), width, height), ConstHostView(x->data(), terms, 1),
                        HostView(y->data(), outputs, 1), options);
                 },
                 [=] {
                   cblas_sgemv(101, transpose ? 112 : 111, static_cast<int>(height),
                               static_cast<int>(width), 1, a->data(), static_cast<int>(width),
                               x->data(), 1, 0, y->data(), 1);
                 }};
       },
       .roof = Roof{"read_%",
                    [](auto width, auto height) { return static_cast<double>(4 * width * height); },
                    read_bytes_per_second},
       .seconds = 0.05},
      columns, rows);
}

const bool registered = [] {
  for (const bool transpose : {false, true}) {
    for (const GemvShape& shape : gemv_shapes) {
      add_shape(shape.kind, shape.columns, shape.rows, transpose);
    }
  }
  return true;
}();

}  // namespace
}  // namespace warpwise::bench
