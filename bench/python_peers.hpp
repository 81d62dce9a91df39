#pragma once

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "bench/gpu_run.hpp"

// Runs libraries of this machine's Python, such as OpenCV, PyTorch and CuPy, on the work of the
// cases.
namespace warpwise::bench {

/// A peer's result in the table of Python's libraries.
struct PythonRow {
  Case work;
  std::string place;  ///< "cpu" or "gpu"
  std::vector<lab::Sample> samples;
  std::string reason;  ///< why the case has no samples
  Comparison beside;
};

struct PythonRun {
  std::vector<std::string> libraries;  ///< for example "PyTorch 2.11"
  std::vector<std::string> missing;    ///< for example "CuPy: REASON"
  std::vector<PythonRow> rows;
};

/// Runs bench/python_peers.py for the work of our cases that `run` has timed. The script is
/// installed beside the kernels' sources. \throws Error  there is no python3, or it fails
PythonRun run_python_peers(const Run& run);

nlohmann::json json_of(const PythonRun& run);
std::string line_of(const PythonRow& row);

}  // namespace warpwise::bench
