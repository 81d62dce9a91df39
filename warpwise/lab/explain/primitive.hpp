#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "warpwise/lab/explain/explain.hpp"
#include "warpwise/lab/study/study_table.hpp"

// A primitive of the library, run as it is on the emulated CUDA runtime, and its kernels told
// about.
namespace warpwise::lab {

/// What explain_primitive() knows, by name.
std::vector<std::string_view> primitive_names();
bool is_primitive(std::string_view name);

/// Of the image, or of the matrix of gemv.
struct OperandSize {
  std::int64_t width = 0;
  std::int64_t height = 0;
};

struct PrimitiveRequest {
  std::string name;
  std::optional<OperandSize> size;  ///< in place of one that takes a second or so
  std::vector<rules::ComputeCapability> compute_capabilities = {{9, 0}};
  std::optional<std::uint64_t> budget;  ///< for all launches together
  bool machine_code = false;            ///< as ExplainRequest::machine_code
  bool fidelity = false;                ///< likewise
  std::optional<BlockSample> sample;    ///< likewise; of a rung alone
  std::optional<DeviceProfile> device;  ///< likewise; of a rung alone
};

struct PrimitiveExplanation {
  PrimitiveRequest request;
  OperandSize size;
  std::string operands;  ///< "u8 magnitude l1": what it was called with; empty when it failed
  std::vector<Explanation> launches;  ///< in their order

  /// The one that takes most of a full GPU's time; without predictions, with the most warp
  /// instructions.
  const Explanation& heaviest() const;
};

/// Replaces this process by the same command with the emulated CUDA runtime in front of the real
/// one, and on it a GPU of `cc`, of the least that the library runs on if that is older. Does not
/// return. \throws Error  it is not there, or it was put in front already and is not what was
/// loaded
[[noreturn]] void restart_on_emulated_runtime(char* const* arguments, rules::ComputeCapability cc);

/// Calls the primitive once with pixels that are the same in every run and the options it has by
/// default. Needs on_emulated_runtime(). \throws InvalidArgument, OutOfMemory, Error  as the
/// primitive does; a launch that ended with faults is no error but in the explanation
PrimitiveExplanation explain_primitive(const PrimitiveRequest& request);

/// The same of a rung of a ladder or a kernel of another study, compiled as `lab run` does:
/// `request.name` is RUNG, the size by default the table's for the emulator, the parameters and the
/// block's shape the rung's first. \param gpu  where it is run too, if anywhere
/// \throws InvalidArgument, CompileError, OutOfMemory, Error  as RungRun; Unsupported for a problem
///         that the rung is not for
PrimitiveExplanation explain_rung(const StudyTable& table, const PrimitiveRequest& request,
                                  GpuProbe* gpu = nullptr);

/// As text_of() and json_of() of one launch; the JSON object is that of the heaviest launch with
/// the keys `primitive`, `size`, `operands` and `launches`.
std::string text_of(const PrimitiveExplanation& explanation, bool colour);
nlohmann::ordered_json json_of(const PrimitiveExplanation& explanation);

}  // namespace warpwise::lab
