#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "warpwise/lab/explain/explain.hpp"
#include "warpwise/lab/study/table/study_table.hpp"

// Runs a primitive of the library on the emulated CUDA runtime and explains its kernels.
namespace warpwise::lab {

/// Returns the names that explain_primitive() knows.
std::vector<std::string_view> primitive_names();
bool is_primitive(std::string_view name);

/// Size of the image, or of gemv's matrix.
struct OperandSize {
  std::int64_t width = 0;
  std::int64_t height = 0;
};

struct PrimitiveRequest {
  std::string name;
  std::optional<OperandSize> size;  ///< replaces the default size, which runs for about a second
  std::vector<rules::ComputeCapability> compute_capabilities = {{9, 0}};
  std::optional<std::uint64_t> budget;  ///< budget of all launches; for a rung, of each launch
  // The fields below mean the same as in ExplainRequest. Only rungs use `sample` and `checks`. A
  // primitive has no predicted time: with a `device`, LaunchPrediction::why_not has the reason.
  bool machine_code = false;
  bool fidelity = false;
  std::optional<BlockSample> sample;
  std::optional<DeviceProfile> device;
  emulator::Checks checks;
};

struct PrimitiveExplanation {
  PrimitiveRequest request;
  OperandSize size;
  std::string operands;  ///< "u8 magnitude l1": operands of the call; empty if the call failed
  std::vector<Explanation> launches;  ///< launches in the order of the calls

  /// Returns the launch with the longest filled_us(), its predicted time at a full GPU's rate.
  /// If any launch has no prediction, returns the launch with the most warp instructions.
  const Explanation& heaviest() const;
};

/// Replaces this process by the same command, with the emulated CUDA runtime in front of the real
/// one. The emulated GPU has compute capability `cc`, or the least that the library supports if
/// `cc` is older. $WARPWISE_EMULATED_CC overrides both. Does not return.
/// \throws Error  the emulated runtime is missing, or another library comes before it
[[noreturn]] void restart_on_emulated_runtime(char* const* arguments, rules::ComputeCapability cc);

/// Makes the call in the primitive's explain_case.cpp, with pixels that are the same in every run.
/// Needs on_emulated_runtime(). \throws InvalidArgument, OutOfMemory, Error  as the primitive
/// throws. A launch that ends with faults is no error; the explanation has the faults.
PrimitiveExplanation explain_primitive(const PrimitiveRequest& request);

/// Explains a rung (an optimisation step of a ladder) or a kernel of another study, compiled as
/// `lab run` compiles it. `request.name` is the rung's name. The default size is
/// StudyTable::emulator_size. The rung runs with default parameters and its first block shape.
/// \param gpu  GPU that runs the rung too; null for none
/// \throws InvalidArgument, CompileError, OutOfMemory, Error  as RungRun
/// \throws Unsupported  the rung does not support the problem
PrimitiveExplanation explain_rung(const StudyTable& table, const PrimitiveRequest& request,
                                  GpuProbe* gpu = nullptr);

/// Reports a primitive as text_of() and json_of() report one launch. The JSON object of the
/// heaviest launch also gets the keys `primitive`, `size`, `operands` and `launches`.
std::string text_of(const PrimitiveExplanation& explanation, bool colour);
nlohmann::ordered_json json_of(const PrimitiveExplanation& explanation);

}  // namespace warpwise::lab
