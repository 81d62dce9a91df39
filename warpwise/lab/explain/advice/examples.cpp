// Examples of changes that advice suggests, in lines of the project's sources. examples_test.cpp
// checks that the sources have these lines.

#include "warpwise/lab/explain/advice/advice.hpp"
#include "warpwise/lab/explain/advice/findings.hpp"

namespace warpwise::lab {

std::optional<Example> example_of(Remedy remedy) {
  switch (remedy) {
    case Remedy::coalescing:
      return Example{
          "for (long long column = 0; column < p.columns; ++column) sum += a[column] * "
          "p.x[column];",
          "for (long long column = thread; column < p.columns; column += BLOCK_X) {\n"
          "  sum += a_at(p, row, column) * x_at(p, column);\n"
          "}",
          "warpwise lab diff gemv thread_per_row block_per_row"};
    case Remedy::bank_conflicts:
      return Example{"if (at < BLOCK_X) partial[at] += partial[at + distance];",
                     "if (thread < distance) partial[thread] += partial[thread + distance];",
                     "warpwise lab diff gemv texture conflict_free"};
    case Remedy::constant_memory:
      return Example{"return p.filter[tap];", "return constant_filter[tap];",
                     "warpwise lab diff sobel global_plain global_constant_filter"};
    case Remedy::divergence:
      return Example{"if (thread < distance) partial[thread] += partial[thread + distance];",
                     "sum += __shfl_xor_sync(0xffffffffU, sum, distance);",
                     "warpwise lab diff gemv conflict_free branch_free"};
    case Remedy::wide_accesses:
      return Example{"p.dst[i] = p.src[i];",
                     "const Ints* const from = reinterpret_cast<const Ints*>(p.src);\n"
                     "for (long long i = thread; i < vectors; i += stride) to[i] = from[i];",
                     "warpwise lab diff copy scalar vector4"};
    case Remedy::more_in_flight:
      return Example{
          "for (int row = first - 1; row <= last; ++row) {\n"
          "  const FourPixels pixels = load_four(p, from, x);\n"
          "}",
          "FourPixels pixels[ROWS + 2];\n"
          "for (int r = 0; r < ROWS + 2; ++r) {\n"
          "  pixels[r] = load_four(p, from, x);\n"
          "}",
          "warpwise lab diff sobel dot_product_grey rows_in_flight"};
    case Remedy::reuse:
      return Example{
          "const float4 x = reinterpret_cast<const float4*>(p.x)[i];\n"
          "sum += four.x * x.x + four.y * x.y + four.z * x.z + four.w * x.w;",
          "const float4 x = reinterpret_cast<const float4*>(p.x)[i];\n"
          "for (int r = 0; r < ROWS; ++r) {\n"
          "  sum[r] += four.x * x.x + four.y * x.y + four.z * x.z + four.w * x.w;\n"
          "}",
          "warpwise lab diff gemv vector two_rows"};
    case Remedy::occupancy:
    case Remedy::local_memory:
    case Remedy::whole_warps:
    case Remedy::fewer_instructions:
    case Remedy::fewer_bytes: break;
  }
  return std::nullopt;
}

std::optional<Example> example_of(AccessPattern pattern) {
  switch (pattern) {
    case AccessPattern::row_per_thread: return example_of(Remedy::coalescing);
    case AccessPattern::transpose:
      return Example{"out[x * width + y] = in[y * width + x];",
                     "#define PAD 1\n"
                     "__shared__ float tile[32][32 + PAD];\n"
                     "tile[threadIdx.y][threadIdx.x] = in[y * width + x];\n"
                     "__syncthreads();\n"
                     "x = blockIdx.y * 32 + threadIdx.x;\n"
                     "y = blockIdx.x * 32 + threadIdx.y;\n"
                     "out[y * width + x] = tile[threadIdx.x][threadIdx.y];",
                     "examples/transpose.cu in Warpwise's repository, for a square matrix"};
    case AccessPattern::swapped_indices:
    case AccessPattern::piece_per_thread:
    case AccessPattern::structures:
    case AccessPattern::stride:
    case AccessPattern::loaded_index:
    case AccessPattern::computed_index: break;
  }
  return std::nullopt;
}

std::optional<Example> example_for(const Advice& advice) {
  if (!advice.remedy || !advice.example_fits ||
      advice.gain.value_or(worth_a_change) < worth_a_change)
    return std::nullopt;
  return advice.pattern ? example_of(*advice.pattern) : example_of(*advice.remedy);
}

}  // namespace warpwise::lab
