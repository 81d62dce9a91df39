#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bench/gpu_harness.hpp"

// Shapes of matrices at which gemv is compared with BLAS, on the CPU and on a GPU.
namespace warpwise::bench {

struct GemvShape {
  const char* kind;
  std::int64_t columns;
  std::int64_t rows;
};

// The sizes go from products that fit into a CPU's first-level cache to one beyond every cache.
inline constexpr GemvShape gemv_shapes[] = {
    {"square", 4, 4},     {"square", 8, 8},       {"square", 16, 16},     {"square", 32, 32},
    {"square", 48, 48},   {"square", 64, 64},     {"square", 96, 96},     {"square", 128, 128},
    {"square", 192, 192}, {"square", 256, 256},   {"square", 384, 384},   {"square", 512, 512},
    {"square", 768, 768}, {"square", 1024, 1024}, {"square", 2048, 2048}, {"square", 4096, 4096},

    {"tall", 1, 1000},    {"tall", 1, 1000000},   {"tall", 2, 10000},     {"tall", 3, 100000},
    {"tall", 4, 1000},    {"tall", 4, 1000000},   {"tall", 8, 8192},      {"tall", 8, 262144},
    {"tall", 16, 1024},   {"tall", 16, 65536},    {"tall", 32, 4096},     {"tall", 32, 131072},
    {"tall", 64, 16384},  {"tall", 100, 100000},  {"tall", 128, 32768},   {"tall", 256, 65536},

    {"wide", 1000, 1},    {"wide", 1000000, 1},   {"wide", 10000, 2},     {"wide", 100000, 3},
    {"wide", 1000, 4},    {"wide", 1000000, 4},   {"wide", 8192, 8},      {"wide", 262144, 8},
    {"wide", 1024, 16},   {"wide", 65536, 16},    {"wide", 4096, 32},     {"wide", 131072, 32},
    {"wide", 16384, 64},  {"wide", 100000, 100},  {"wide", 32768, 128},   {"wide", 65536, 256},

    {"odd", 5, 3},        {"odd", 7, 7},          {"odd", 13, 31},        {"odd", 31, 13},
    {"odd", 33, 65},      {"odd", 99, 101},       {"odd", 127, 129},      {"odd", 255, 257},
    {"odd", 257, 255},    {"odd", 333, 777},      {"odd", 777, 333},      {"odd", 1001, 999},
    {"odd", 1023, 2047},  {"odd", 2047, 1023},    {"odd", 3001, 2999},    {"odd", 4097, 4099}};

/// Returns the cases of gemv by warpwise and by cuBLAS: each shape in f32, plain and transposed.
/// Empty without CUDA.
std::vector<Case> gemv_shape_cases();

struct Row;

/// Summarises the rows that have a peer: the median and the least ratio, and how many ratios reach
/// 1. Returns one line for Ax and one for its transpose.
std::vector<std::string> gemv_shapes_summary(const std::vector<Row>& rows);

}  // namespace warpwise::bench
