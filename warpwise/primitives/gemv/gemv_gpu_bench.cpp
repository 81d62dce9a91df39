#include <cuda_runtime_api.h>

#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bench/gemv_cases.hpp"
#include "bench/gemv_shapes.hpp"
#include "bench/gpu_harness.hpp"
#include "bench/toolkit_library.hpp"
#include "warpwise/base/image.hpp"
#include "warpwise/gpu/buffer.hpp"
#include "warpwise/primitives/gemv/gemv.hpp"

namespace warpwise::bench {
namespace {

struct GemvProblem {
  ElementType type = ElementType::f32;
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  bool transpose = false;
  std::string kind = {};  ///< kind of the shape, for example "square"

  std::int64_t terms() const { return transpose ? rows : columns; }
  std::int64_t outputs() const { return transpose ? columns : rows; }
  std::int64_t bytes() const {
    return (rows * columns + terms()) * size_of(type) + outputs() * size_of(ElementType::f32);
  }
  std::string variant() const {
    return std::string(name_of(type)) + (kind.empty() ? "" : " " + kind) +
           (transpose ? " transposed" : "");
  }
};

/// Returns a matrix of numbers in [-1, 1]. Only columns + 4096 numbers are random. Each row is a
/// copy of `columns` adjacent ones of them, from a different offset.
Image random_matrix(ElementType type, std::int64_t rows, std::int64_t columns) {
  Image image(type, columns, rows);
  const std::vector<std::uint8_t> bytes = random_bytes(2 * (columns + 4096));
  Image numbers(type, columns + 4096, 1);
  for (std::int64_t i = 0; i < columns + 4096; ++i) {
    std::int16_t random = 0;
    std::memcpy(&random, bytes.data() + 2 * i, sizeof random);
    const float number = static_cast<float>(random) * 0x1p-15F;
    std::byte* const row = numbers.view().row(0);
    switch (type) {
      case ElementType::f16: store(row, i, to_float16(number)); break;
      case ElementType::bf16: store(row, i, to_bfloat16(number)); break;
      default: store(row, i, number);
    }
  }
  for (std::int64_t y = 0; y < rows; ++y) {
    std::memcpy(image.view().row(y), numbers.view().row(0) + y * 37 % 4096 * size_of(type),
                static_cast<std::size_t>(image.view().row_bytes()));
  }
  return image;
}

/// The operands of a product in device memory, without gaps between rows.
class Product {
 public:
  Product(const GemvProblem& problem, const gpu::Stream& stream)
      : problem_(problem), a_(random_matrix(problem.type, problem.rows, problem.columns)),
        x_(random_matrix(problem.type, 1, problem.terms())),
        device_a_(problem.rows * problem.columns * size_of(problem.type), stream),
        device_x_(problem.terms() * size_of(problem.type), stream),
        device_y_(problem.outputs() * std::int64_t{sizeof(float)}, stream) {
    gpu::upload(a_.view(),
                DeviceView(device_a_.data(), problem.type, problem.columns, problem.rows), stream);
    gpu::upload(x_.view(), DeviceView(device_x_.data(), problem.type, problem.terms(), 1), stream);
    stream.synchronize();
  }

  ConstDeviceView a() const {
    return {device_a_.data(), problem_.type, problem_.columns, problem_.rows};
  }
  ConstDeviceView x() const { return {device_x_.data(), problem_.type, problem_.terms(), 1}; }
  DeviceView y() const { return {device_y_.data(), ElementType::f32, problem_.outputs(), 1}; }

  /// Returns true if y has the bits of the CPU path.
  bool matches(const gpu::Stream& stream) {
    if (!want_) {
      want_.emplace(ElementType::f32, problem_.outputs(), 1);
      gemv(a_.view(), x_.view(), want_->view(), {1, 0, problem_.transpose});
    }
    Image got(ElementType::f32, problem_.outputs(), 1);
    gpu::download(y(), got.view(), stream);
    stream.synchronize();
    return std::memcmp(want_->view().row(0), got.view().row(0),
                       static_cast<std::size_t>(want_->view().row_bytes())) == 0;
  }

 private:
  GemvProblem problem_;
  Image a_;
  Image x_;
  gpu::Buffer device_a_;
  gpu::Buffer device_x_;
  gpu::Buffer device_y_;
  std::optional<Image> want_;  // the CPU path's result, once matches() has computed it
};

/// A cuBLAS handle, and the functions of cuBLAS that the benchmark calls.
class Cublas {
 public:
  Cublas() {
    library_.check(library_.function<int(void**)>("cublasCreate_v2")(&handle_), "cublasCreate");
  }
  ~Cublas() { library_.function<int(void*)>("cublasDestroy_v2")(handle_); }
  Cublas(const Cublas&) = delete;
  Cublas& operator=(const Cublas&) = delete;

  /// Multiplies. cuBLAS takes column-major matrices, so it sees the transpose of our matrix.
  void sgemv(const GemvProblem& problem, ConstDeviceView a, ConstDeviceView x, DeviceView y,
             cudaStream_t stream) const {
    const float one = 1;
    const float zero = 0;
    const int columns = static_cast<int>(problem.columns);
    library_.check(set_stream_(handle_, stream), "cublasSetStream");
    library_.check(
        sgemv_(handle_, problem.transpose ? 0 : 1, columns, static_cast<int>(problem.rows), &one,
               reinterpret_cast<const float*>(a.data()), columns,
               reinterpret_cast<const float*>(x.data()), 1, &zero,
               reinterpret_cast<float*>(y.data()), 1),
        "cublasSgemv");
  }

 private:
  using SetStream = int(void*, cudaStream_t);
  using Sgemv = int(void*, int, int, int, const float*, const float*, int, const float*, int,
                    const float*, float*, int);

  ToolkitLibrary library_{"cuBLAS", {"libcublas.so.13", "libcublas.so.12"}};
  SetStream* set_stream_ = library_.function<SetStream>("cublasSetStream_v2");
  Sgemv* sgemv_ = library_.function<Sgemv>("cublasSgemv_v2");
  void* handle_ = nullptr;
};

Case gemv_case(const GemvProblem& problem) {
  Case result{"gemv",       problem.variant(), "warpwise", problem.columns,
              problem.rows, problem.bytes(),   {}};
  result.hardly_writes = true;
  result.prepare = [=](const gpu::Stream& stream) {
    auto product = std::make_shared<Product>(problem, stream);
    return Prepared{[=](gpu::StreamHandle s) {
                      gemv(product->a(), product->x(), product->y(), {1, 0, problem.transpose}, s);
                    },
                    [=, &stream] { return product->matches(stream); }};
  };
  return result;
}

Case cublas_case(const GemvProblem& problem) {
  Case result{
      "gemv", problem.variant(), "cuBLAS Sgemv", problem.columns, problem.rows, problem.bytes(),
      {}};
  result.hardly_writes = true;
  result.prepare = [=](const gpu::Stream& stream) {
    auto cublas = std::make_shared<Cublas>();
    auto product = std::make_shared<Product>(problem, stream);
    return Prepared{[=](gpu::StreamHandle s) {
                      cublas->sgemv(problem, product->a(), product->x(), product->y(), s);
                    },
                    {}};
  };
  return result;
}

const Registration gemv_registered{[] {
  std::vector<Case> cases;
  const Size shapes[] = {{1000, 1000}, {1024, 1024}, {1536, 1536},   {2048, 2048},
                         {4096, 4096}, {8192, 8192}, {16384, 16384}, {32768, 32768},
                         {64, 262144}, {262144, 64}, {4097, 4099}};
  for (const Size shape : shapes) {
    for (const bool transpose : {false, true}) {
      for (Case& each : gemv_beside_cublas(shape, transpose)) cases.push_back(std::move(each));
    }
  }
  for (const ElementType type : {ElementType::f16, ElementType::bf16}) {
    for (const std::int64_t size : {4096, 16384}) {
      for (const bool transpose : {false, true}) {
        cases.push_back(gemv_case({type, size, size, transpose}));
      }
    }
  }
  return cases;
}};

}  // namespace

std::vector<Case> gemv_beside_cublas(Size matrix, bool transpose) {
  const GemvProblem problem{ElementType::f32, matrix.height, matrix.width, transpose};
  return {gemv_case(problem), cublas_case(problem)};
}

std::vector<Case> gemv_shape_cases() {
  std::vector<Case> cases;
  for (const bool transpose : {false, true}) {
    for (const GemvShape& shape : gemv_shapes) {
      const GemvProblem problem{ElementType::f32, shape.rows, shape.columns, transpose, shape.kind};
      cases.push_back(gemv_case(problem));
      cases.push_back(cublas_case(problem));
    }
  }
  return cases;
}

}  // namespace warpwise::bench
