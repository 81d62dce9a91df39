#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "warpwise/lab/explain/explain.hpp"

// Explains every kernel that a program launched on the emulated CUDA runtime, as `explain` does.
namespace warpwise::lab {

struct ProgramExplanation {
  std::string program;
  std::vector<Explanation> kernels;  ///< with one shape each, in the order of their first launch
};

/// Reads the record of the emulated runtime. \param request  options for every kernel: compute
/// capability, device, fidelity
/// \throws Error  there is no record, since the program did not come to its end
ProgramExplanation explain_program(const std::filesystem::path& record,
                                   const ExplainRequest& request);

std::string text_of(const ProgramExplanation& explanation, bool colour);
/// Writes `program` and `kernels`: for each kernel what json_of() of an Explanation has, and
/// `launches`.
nlohmann::ordered_json json_of(const ProgramExplanation& explanation);

}  // namespace warpwise::lab
