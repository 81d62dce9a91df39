#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "warpwise/lab/explain/explain.hpp"

// Every kernel that a program launched on the emulated CUDA runtime, told about as `explain` does.
namespace warpwise::lab {

struct ProgramExplanation {
  std::string program;
  std::vector<Explanation> kernels;  ///< each with one shape, in the order of their first launch
};

/// Reads what the emulated runtime wrote. \param request  what is asked of every kernel: compute
/// capability, device, fidelity
/// \throws Error  there is no such record, as the program did not come to its end
ProgramExplanation explain_program(const std::filesystem::path& record,
                                   const ExplainRequest& request);

std::string text_of(const ProgramExplanation& explanation, bool colour);
/// `program` and `kernels`: of each what json_of() of an Explanation has, and `launches`.
nlohmann::ordered_json json_of(const ProgramExplanation& explanation);

}  // namespace warpwise::lab
