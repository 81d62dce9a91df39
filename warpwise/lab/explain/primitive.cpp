#include "warpwise/lab/explain/primitive.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>

#include "warpwise/base/image.hpp"
#include "warpwise/emulator/runtime/observe.hpp"
#include "warpwise/gpu/buffer.hpp"
#include "warpwise/gpu/stream.hpp"
#include "warpwise/lab/explain/report.hpp"
#include "warpwise/primitives/convert/convert.hpp"
#include "warpwise/primitives/copy/copy.hpp"
#include "warpwise/primitives/disparity/disparity.hpp"
#include "warpwise/primitives/find/find.hpp"
#include "warpwise/primitives/gemv/gemv.hpp"
#include "warpwise/primitives/match/match.hpp"
#include "warpwise/primitives/sobel/sobel.hpp"
#include "warpwise/primitives/threshold/threshold.hpp"

namespace warpwise::lab {
namespace {

using gpu::DeviceImage;

// Device images of one stream, the inputs with values that are the same in every run.
class Operands {
 public:
  DeviceImage empty(ElementType type, std::int64_t width, std::int64_t height, int channels = 1) {
    return {type, width, height, channels, stream_};
  }

  DeviceImage random(ElementType type, std::int64_t width, std::int64_t height, int channels = 1) {
    DeviceImage image =
        empty(type, width, height, channels);  // first: the device knows what is too much
    Image host(type, width, height, channels);
    for (std::int64_t y = 0; y < height; ++y) {
      for (std::int64_t x = 0; x < width * channels; ++x) put(host.view().row(y), type, x);
    }
    gpu::upload(host.view(), image.view(), stream_);
    stream_.synchronize();
    return image;
  }

  const gpu::Stream& stream() const { return stream_; }

 private:
  void put(std::byte* row, ElementType type, std::int64_t x) {
    state_ = state_ * 6364136223846793005U + 1442695040888963407U;
    const auto byte = static_cast<std::uint8_t>(state_ >> 56);
    if (type == ElementType::f32) {
      store(row, x, static_cast<float>(byte) / 256);
    } else {
      store(row, x, byte);
    }
  }

  gpu::Stream stream_;
  std::uint64_t state_ = 1;
};

constexpr ElementType u8 = ElementType::u8;
constexpr ElementType f32 = ElementType::f32;

std::string run_copy(Operands& operands, std::int64_t width, std::int64_t height) {
  const DeviceImage src = operands.random(u8, width, height);
  DeviceImage dst = operands.empty(u8, width, height);
  copy(src.view(), dst.view(), operands.stream());
  return "u8";
}

std::string run_convert(Operands& operands, std::int64_t width, std::int64_t height) {
  const DeviceImage src = operands.random(u8, width, height, 3);
  DeviceImage dst = operands.empty(u8, width, height, 4);
  convert({PixelFormat::rgb24, src.view()}, {PixelFormat::ycbcr32, dst.view()}, {},
          operands.stream());
  return "rgb24 to ycbcr32";
}

std::string run_sobel(Operands& operands, std::int64_t width, std::int64_t height) {
  const DeviceImage src = operands.random(u8, width, height);
  DeviceImage dst = operands.empty(u8, width, height);
  sobel(src.view(), dst.view(), {}, operands.stream());
  return "u8 magnitude l1";
}

std::string run_threshold(Operands& operands, std::int64_t width, std::int64_t height) {
  const DeviceImage src = operands.random(u8, width, height);
  DeviceImage dst = operands.empty(u8, width, height);
  const ThresholdOptions options{.window = 31};
  threshold(src.view(), dst.view(), options, operands.stream());
  return "u8 mean window 31";
}

std::string run_match(Operands& operands, std::int64_t width, std::int64_t height) {
  const DeviceImage reference = operands.random(u8, width, height);
  const DeviceImage target = operands.random(u8, width, height);
  MatchOptions options;
  options.block_width = std::min(options.block_width, width);
  options.block_height = std::min(options.block_height, height);
  const MatchGrid grid = match_grid(width, height, options);
  DeviceImage displacement = operands.empty(ElementType::i16, grid.columns, grid.rows, 2);
  match(reference.view(), target.view(), displacement.view(), options, operands.stream());
  return fmt::format("u8 sad block {}x{} search {}:{}", options.block_width, options.block_height,
                     options.search_x.first, options.search_x.last);
}

std::string run_disparity(Operands& operands, std::int64_t width, std::int64_t height) {
  const DeviceImage left = operands.random(u8, width, height);
  const DeviceImage right = operands.random(u8, width, height);
  DeviceImage dst = operands.empty(f32, width, height);
  const DisparityOptions options;
  disparity(left.view(), right.view(), dst.view(), options, operands.stream());
  return fmt::format("u8 sad block {} disparities 0:{}", options.block, options.max_disparity);
}

std::string run_find(Operands& operands, std::int64_t width, std::int64_t height) {
  constexpr std::int64_t side = 16;
  const DeviceImage image = operands.random(u8, width, height);
  const DeviceImage templ = operands.random(u8, std::min(side, width), std::min(side, height));
  DeviceImage best = operands.empty(u8, sizeof(Finding), 1);
  find(templ.view(), image.view(), best.view(), Measure::sad, operands.stream());
  return fmt::format("u8 sad template {}x{}", templ.view().width(), templ.view().height());
}

std::string run_gemv(Operands& operands, std::int64_t width, std::int64_t height) {
  const DeviceImage a = operands.random(f32, width, height);
  const DeviceImage x = operands.random(f32, width, 1);
  DeviceImage y = operands.empty(f32, height, 1);
  gemv(a.view(), x.view(), y.view(), {}, operands.stream());
  return "f32";
}

struct Primitive {
  std::string_view name;
  OperandSize size;  ///< by default
  std::string (*run)(Operands& operands, std::int64_t width, std::int64_t height);
};
constexpr OperandSize usual = {512, 384};
constexpr Primitive primitives[] = {
    {"copy", usual, run_copy},   {"convert", usual, run_convert},
    {"sobel", usual, run_sobel}, {"threshold", usual, run_threshold},
    {"match", usual, run_match}, {"disparity", {160, 120}, run_disparity},
    {"find", usual, run_find},   {"gemv", usual, run_gemv}};
constexpr auto names = [] {
  std::array<std::string_view, std::size(primitives)> result;
  for (std::size_t i = 0; i < result.size(); ++i) result[i] = primitives[i].name;
  return result;
}();

emulator::runtime::Observe observe_function() {
  return reinterpret_cast<emulator::runtime::Observe>(
      ::dlsym(RTLD_DEFAULT, emulator::runtime::observe_name));
}

// What the runtime shows, kept: reports are made when the primitive is done.
struct Launch {
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
    observer_.options = {
        .compute_capabilities = request.compute_capabilities,
        .count = true,
        .budget = request.budget.value_or(default_budget(request.compute_capabilities.size())),
        .threads = 0};
    observe_function()(&observer_);
  }
  ~Observation() { observe_function()(nullptr); }
  Observation(const Observation&) = delete;
  Observation& operator=(const Observation&) = delete;

  const std::vector<Launch>& launches() const { return launches_; }
  /// The PTX of a kernel that was launched, without those of its module's that were not.
  const std::string& ptx(const std::string& kernel) const { return ptx_.at(kernel); }

 private:
  void note(const emulator::runtime::ObservedLaunch& launch) {
    Launch& noted = launches_.emplace_back();
    noted.kernel = launch.kernel;
    noted.result = launch.result;
    noted.request.file = request_.name;
    noted.request.kernel = launch.kernel.name;
    noted.request.grid = launch.grid;
    noted.request.block = launch.block;
    noted.request.dynamic_shared_bytes = launch.dynamic_shared_bytes;
    noted.request.compute_capabilities = request_.compute_capabilities;
    if (!ptx_.contains(launch.kernel.name)) {
      ptx_[launch.kernel.name] = ptx_of_kernel(std::string(launch.ptx), launch.kernel.name);
    }
    // The budget is for all launches together; 0 would be none at all.
    std::uint64_t& left = observer_.options.budget;
    left -= std::min(left - 1, launch.result.totals.warp_instructions);
  }

  const PrimitiveRequest& request_;
  emulator::runtime::Observer observer_;
  std::vector<Launch> launches_;
  std::map<std::string, std::string> ptx_;
};

bool has_faults(const Launch& launch) { return !launch.result.faults.empty(); }

Explanation explained(const Launch& launch, const std::string& ptx) {
  Compilation compilation;
  compilation.ptx = ptx;
  compilation.compiler = "nvcc, as a part of libwarpwise,";
  compilation.options.architecture = target_architecture(ptx);
  ExplainRequest request = launch.request;
  request.compile = compilation.options;
  return explain_launch(std::move(request), std::move(compilation), launch.kernel, launch.result);
}

}  // namespace

std::span<const std::string_view> primitive_names() { return names; }

bool is_primitive(std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool on_emulated_runtime() { return observe_function() != nullptr; }

const Explanation& PrimitiveExplanation::heaviest() const {
  return *std::max_element(
      launches.begin(), launches.end(), [](const Explanation& a, const Explanation& b) {
        return a.launch.totals.warp_instructions < b.launch.totals.warp_instructions;
      });
}

PrimitiveExplanation explain_primitive(const PrimitiveRequest& request) {
  const auto chosen =
      std::find_if(std::begin(primitives), std::end(primitives),
                   [&](const Primitive& each) { return each.name == request.name; });
  if (chosen == std::end(primitives))
    throw InvalidArgument("no primitive is called " + request.name);
  PrimitiveExplanation result;
  result.request = request;
  result.size = request.size.value_or(chosen->size);
  const Observation observation(request);
  try {
    Operands operands;
    result.operands = chosen->run(operands, result.size.width, result.size.height);
    operands.stream().synchronize();
  } catch (const Error&) {
    // A faulty launch is what is to be told; the primitive saw only that it failed.
    const auto& launches = observation.launches();
    if (std::none_of(launches.begin(), launches.end(), has_faults)) throw;
  }
  for (const Launch& launch : observation.launches()) {
    result.launches.push_back(explained(launch, observation.ptx(launch.kernel.name)));
  }
  if (result.launches.empty()) throw Error(request.name + " launched no kernel at this size");
  return result;
}

std::string text_of(const PrimitiveExplanation& explanation, bool colour) {
  const std::size_t count = explanation.launches.size();
  std::string text = fmt::format("{} {}x{} ({}): {} kernel{} launched\n", explanation.request.name,
                                 explanation.size.width, explanation.size.height,
                                 explanation.operands.empty() ? "failed" : explanation.operands,
                                 count, count == 1 ? "" : "s");
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
