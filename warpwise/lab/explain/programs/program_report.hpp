#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "warpwise/lab/explain/explain.hpp"
#include "warpwise/lab/explain/programs/program_timeline.hpp"

// Explains every kernel that a program launched on the emulated CUDA runtime, as `explain` does.
namespace warpwise::lab {

struct ProgramExplanation {
  std::string program;
  std::vector<Explanation> kernels;     ///< one per kernel and launch shape, by first launch
  std::optional<DeviceProfile> device;  ///< GPU of the predictions
  ProgramTimeline timeline;             ///< empty without a device
};

/// Returns the value for the environment variable WARPWISE_EMULATED_PACE. It makes the emulated
/// runtime also run a sample of each kernel's blocks, from which the kernel's time is predicted.
std::string sample_text(const DeviceProfile& device);

/// Reads the record of the emulated runtime. \param request  options for every kernel: compute
/// capability, device, fidelity
/// \throws Error  there is no complete record, because the program did not end normally
ProgramExplanation explain_program(const std::filesystem::path& record,
                                   const ExplainRequest& request);

/// Names the kernels to look at first, in a line: "look first at blur (80 %), of 120 us on an
/// NVIDIA H200, modelled". Empty without a known time.
std::string line_of(const ProgramExplanation& explanation);
std::string text_of(const ProgramExplanation& explanation, bool colour);
/// Writes `program` and `kernels`. Each kernel has the keys of an Explanation, and `launches`. With
/// a device, also writes `device`, `gpu`, `predicted_us`, `look_first` and `timeline`.
nlohmann::ordered_json json_of(const ProgramExplanation& explanation);

}  // namespace warpwise::lab
