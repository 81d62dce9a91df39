#pragma once

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "bench/gpu_run.hpp"

// Peers in this machine's Python for the same work, such as OpenCV, PyTorch and CuPy.
namespace warpwise::bench {

/// A peer's result in the table of Python's libraries.
struct PythonRow {
  Case work;
  std::string place;  ///< "cpu" or "gpu"
  std::vector<lab::Sample> samples;
  std::string reason;  ///< why there are no samples
  Comparison beside;
};

struct PythonRun {
  std::vector<std::string> libraries;  ///< "PyTorch 2.11"
  std::vector<std::string> missing;    ///< "CuPy: why"
  std::vector<PythonRow> rows;
};

/// Runs bench/python_peers.py, installed beside the kernels' sources, for the work of our cases
/// that `run` has timed. \throws Error  there is no python3, or it fails
PythonRun run_python_peers(const Run& run);

nlohmann::json json_of(const PythonRun& run);
std::string line_of(const PythonRow& row);

}  // namespace warpwise::bench
