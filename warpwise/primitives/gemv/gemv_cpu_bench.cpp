#include <memory>
#include <string>
#include <vector>

#include "bench/cpu_harness.hpp"
#include "warpwise/primitives/gemv/gemv.hpp"

// The one function of the C interface to BLAS that is needed here; its header lies elsewhere on
// each system. 101: row-major; 111: A, 112: the transpose of A.
extern "C" void cblas_sgemv(int order, int transpose, int rows, int columns, float alpha,
                            const float* a, int leading, const float* x, int x_step, float beta,
                            float* y, int y_step);

namespace warpwise::bench {
namespace {

using Floats = std::shared_ptr<std::vector<float>>;

// Without gaps between rows. Numbers of about 1: random bits would be NaN and subnormal too, which
// are slow to add.
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

struct Size {
  std::int64_t columns;
  std::int64_t rows;
};

// From a product that fits the first-level cache to one beyond every cache.
constexpr Size square[] = {{4, 4},     {8, 8},       {16, 16},     {32, 32},
                           {48, 48},   {64, 64},     {96, 96},     {128, 128},
                           {192, 192}, {256, 256},   {384, 384},   {512, 512},
                           {768, 768}, {1024, 1024}, {2048, 2048}, {4096, 4096}};
constexpr Size tall[] = {{1, 1000},   {1, 1000000},  {2, 10000},   {3, 100000},
                         {4, 1000},   {4, 1000000},  {8, 8192},    {8, 262144},
                         {16, 1024},  {16, 65536},   {32, 4096},   {32, 131072},
                         {64, 16384}, {100, 100000}, {128, 32768}, {256, 65536}};
constexpr Size wide[] = {{1000, 1},   {1000000, 1},  {10000, 2},   {100000, 3},
                         {1000, 4},   {1000000, 4},  {8192, 8},    {262144, 8},
                         {1024, 16},  {65536, 16},   {4096, 32},   {131072, 32},
                         {16384, 64}, {100000, 100}, {32768, 128}, {65536, 256}};
constexpr Size odd[] = {{5, 3},       {7, 7},       {13, 31},     {31, 13},
                        {33, 65},     {99, 101},    {127, 129},   {255, 257},
                        {257, 255},   {333, 777},   {777, 333},   {1001, 999},
                        {1023, 2047}, {2047, 1023}, {3001, 2999}, {4097, 4099}};

const bool registered = [] {
  for (const bool transpose : {false, true}) {
    for (const Size& size : square) add_shape("square", size.columns, size.rows, transpose);
    for (const Size& size : tall) add_shape("tall", size.columns, size.rows, transpose);
    for (const Size& size : wide) add_shape("wide", size.columns, size.rows, transpose);
    for (const Size& size : odd) add_shape("odd", size.columns, size.rows, transpose);
  }
  return true;
}();

}  // namespace
}  // namespace warpwise::bench
