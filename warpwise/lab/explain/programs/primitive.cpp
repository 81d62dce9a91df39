#include "warpwise/lab/explain/programs/primitive.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "warpwise/base/counted.hpp"
#include "warpwise/emulator/runtime/observe.hpp"
#include "warpwise/lab/explain/show/report.hpp"
#include "warpwise/primitives/shared/explain_case.hpp"

namespace warpwise::lab {
namespace {

emulator::runtime::Observe observe_function() {
  return reinterpret_cast<emulator::runtime::Observe>(
      ::dlsym(RTLD_DEFAULT, emulator::runtime::observe_name));
}

// A copy of a launch that the emulated runtime reported. Explanations are made from the copies
// after the primitive has finished.
struct PrimitiveLaunch {
  ExplainRequest request;
  emulator::KernelInfo kernel;
  emulator::LaunchResult result;
};

class Observation {
 public:
  explicit Observation(const PrimitiveRequest& request) : request_(request) {
    observer_.see = [](void* own, const emulator::runtime::ObservedLaunch& launch) {
      static_cast<Observation*>(own)->note(launch);
    };
    observer_.context = this;
    observer_.options = {.compute_capabilities = request.compute_capabilities,
                         .count = true,
                         .budget = budget_of(request),
                         .threads = 0,
                         .fidelity = true};
    observe_function()(&observer_);
  }
  ~Observation() { observe_function()(nullptr); }
  Observation(const Observation&) = delete;
  Observation& operator=(const Observation&) = delete;

  const std::vector<PrimitiveLaunch>& launches() const { return launches_; }
  /// Returns the PTX of a launched kernel, without the kernels of its module that were not
  /// launched.
  const std::string& ptx(const std::string& kernel) const { return ptx_.at(kernel); }

 private:
  void note(const emulator::runtime::ObservedLaunch& launch) {
    PrimitiveLaunch& noted = launches_.emplace_back();
    noted.kernel = launch.kernel;
    noted.result = launch.result;
    noted.request.file = request_.name;
    noted.request.kernel = launch.kernel.name;
    noted.request.grid = launch.grid;
    noted.request.block = launch.block;
    noted.request.dynamic_shared_bytes = launch.dynamic_shared_bytes;
    noted.request.compute_capabilities = request_.compute_capabilities;
    noted.request.machine_code = request_.machine_code;
    noted.request.fidelity = request_.fidelity;
    noted.request.device = request_.device;
    if (!ptx_.contains(launch.kernel.name)) {
      ptx_[launch.kernel.name] = ptx_of_kernel(std::string(launch.ptx), launch.kernel.name);
    }
    // All launches together share the budget. At least 1 is left, because 0 means no limit.
    std::uint64_t& left = observer_.options.budget;
    left -= std::min(left - 1, launch.result.totals.warp_instructions);
  }

  const PrimitiveRequest& request_;
  emulator::runtime::Observer observer_;
  std::vector<PrimitiveLaunch> launches_;
  std::map<std::string, std::string> ptx_;
};

bool has_faults(const PrimitiveLaunch& launch) { return !launch.result.faults.empty(); }

Explanation explained(const PrimitiveLaunch& launch, const std::string& ptx) {
  Compilation compilation;
  compilation.ptx = ptx;
  compilation.compiler = "nvcc within libwarpwise";
  compilation.options.architecture = target_architecture(ptx);
  ExplainRequest request = launch.request;
  request.compile = compilation.options;
  Explanation result =
      explain_launch(std::move(request), std::move(compilation), launch.kernel, launch.result);
  if (launch.request.device) {
    result.prediction.emplace();
    result.prediction->profile = *launch.request.device;
    result.prediction->why_not =
        "a prediction needs sampled blocks, and a primitive's launches are not sampled; explain "
        "one of its rungs for a time";
  }
  return result;
}

}  // namespace

std::vector<std::string_view> primitive_names() {
  std::vector<std::string_view> names;
  for (const explain_cases::ExplainCase& each : explain_cases::all()) names.push_back(each.name);
  return names;
}

bool is_primitive(std::string_view name) { return std::ranges::count(primitive_names(), name) > 0; }

const Explanation& PrimitiveExplanation::heaviest() const {
  const bool predicted = std::all_of(launches.begin(), launches.end(), [](const Explanation& each) {
    return each.known_prediction() != nullptr;
  });
  const auto weight = [predicted](const Explanation& each) {
    return predicted ? filled_us(*each.prediction)
                     : static_cast<double>(each.launch.totals.warp_instructions);
  };
  return *std::max_element(
      launches.begin(), launches.end(),
      [&](const Explanation& a, const Explanation& b) { return weight(a) < weight(b); });
}

PrimitiveExplanation explain_primitive(const PrimitiveRequest& request) {
  const auto cases = explain_cases::all();
  const auto chosen = std::ranges::find(cases, request.name, &explain_cases::ExplainCase::name);
  if (chosen == cases.end()) throw InvalidArgument("no primitive is called " + request.name);
  const explain_cases::ExplainCase& primitive = *chosen;
  PrimitiveExplanation result;
  result.request = request;
  result.size = request.size.value_or(OperandSize{primitive.width, primitive.height});
  const Observation observation(request);
  try {
    explain_cases::Operands operands;
    result.operands = primitive.call(operands, result.size.width, result.size.height);
    operands.stream().synchronize();
  } catch (const Error&) {
    // The error says only that a launch failed. The explanation has the launch's faults instead.
    const auto& launches = observation.launches();
    if (std::none_of(launches.begin(), launches.end(), has_faults)) throw;
  }
  for (const PrimitiveLaunch& launch : observation.launches()) {
    result.launches.push_back(explained(launch, observation.ptx(launch.kernel.name)));
  }
  if (result.launches.empty()) throw Error(request.name + " launched no kernel at this size");
  return result;
}

std::string text_of(const PrimitiveExplanation& explanation, bool colour) {
  const std::size_t count = explanation.launches.size();
  std::string text = fmt::format("{} {}x{} ({}): {} launched\n", explanation.request.name,
                                 explanation.size.width, explanation.size.height,
                                 explanation.operands.empty() ? "failed" : explanation.operands,
                                 counted(count, "kernel"));
  for (std::size_t i = 0; i < count; ++i) {
    text += fmt::format("\n==== {} of {}\n\n", i + 1, count);
    text += text_of(explanation.launches[i], colour);
  }
  return text;
}

nlohmann::ordered_json json_of(const PrimitiveExplanation& explanation) {
  nlohmann::ordered_json object = {{"primitive", explanation.request.name},
                                   {"size", {explanation.size.width, explanation.size.height}},
                                   {"operands", explanation.operands}};
  object.update(json_of(explanation.heaviest()));
  object["launches"] = nlohmann::ordered_json::array();
  for (const Explanation& launch : explanation.launches) {
    object["launches"].push_back(json_of(launch));
  }
  return object;
}

}  // namespace warpwise::lab
