#include "warpwise/lab/explain/gpu/gpu_probe.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "warpwise/lab/compile/kernel_name.hpp"
#include "warpwise/lab/measure/gpu_timing.hpp"
#include "warpwise/lab/study/counters/rung_counts.hpp"

namespace warpwise::lab {
namespace {

// Returns why the emulator's launch cannot run on a GPU; empty if it can.
std::string why_kept_from_gpu(const Explanation& explanation) {
  const auto& faults = explanation.launch.faults;
  if (!faults.empty() && faults.front().kind == emulator::FaultKind::budget) {
    return "the emulator reached its budget of warp instructions before it could rule out faults, "
           "and a faulting kernel would break the process's GPU context (--budget N allows more)";
  }
  if (!faults.empty()) {
    return "the emulator found faults, and a faulting kernel would break the process's GPU context";
  }
  if (!explanation.launch.printed.empty()) {
    return "the kernel prints, and would do so in each of many runs";
  }
  return {};
}

// Returns the counts for a compute capability. \throws InvalidArgument  the emulator did not count
// for it
RungCounts counts_for(const Explanation& explanation, rules::ComputeCapability cc) {
  const auto& all = explanation.request.compute_capabilities;
  const auto found = std::find(all.begin(), all.end(), cc);
  if (found == all.end()) {
    throw InvalidArgument("nothing was counted for compute capability " + rules::to_string(cc));
  }
  return counts_of({&explanation.launch, 1}, static_cast<std::size_t>(found - all.begin()), cc, 0,
                   {});
}

// Alignment in bytes that every GPU accepts for a texture's pitch.
constexpr std::uint64_t probe_pitch_alignment = 512;

std::uint64_t upload_texture(GpuExecutor& executor, const Arguments::Memory& memory) {
  emulator::Texture texture = *memory.texture;
  const std::uint64_t row = texture.pitch_bytes;
  texture.pitch_bytes =
      (row + probe_pitch_alignment - 1) / probe_pitch_alignment * probe_pitch_alignment;
  std::vector<std::byte> padded(texture.pitch_bytes * texture.height);
  for (std::uint64_t y = 0; y < texture.height; ++y) {
    std::memcpy(padded.data() + y * texture.pitch_bytes, memory.bytes.data() + y * row, row);
  }
  texture.data = executor.allocate(padded.size(), memory.name);
  executor.write(texture.data, padded);
  return executor.create_texture(texture);
}

}  // namespace

void read_counters(Counters& counters, std::span<const ladders::Launch> launches,
                   const std::function<void()>& run, std::span<Explanation> explanations) {
  std::vector<CounterValues> values = counters.read(launches.size(), run);
  for (std::size_t i = 0; i < values.size(); ++i) {
    GpuReport& report = *explanations[i].gpu;
    const CounterReading reading{
        {}, {{explanations[i].kernel_name, dimensions(launches[i].grid), values[i]}}};
    report.compared =
        compared_counts(counts_for(explanations[i], report.compute_capability), reading);
    report.not_comparable = why_not_comparable(reading, {explanations[i].request.grid});
    report.metrics = std::move(values[i]);
    report.left_out = counters.left_out();
    report.counters_library = counters.library();
  }
}

GpuProbe::GpuProbe() = default;

void GpuProbe::measure(std::span<Explanation> explanations,
                       const std::function<Prepared()>& prepare) {
  std::string why_not;
  for (Explanation& each : explanations) {
    each.gpu = GpuReport{};
    each.gpu->device = executor_.device_name();
    each.gpu->compute_capability = executor_.compute_capability();
    if (why_not.empty()) why_not = why_kept_from_gpu(each);
  }
  if (why_not.empty()) {
    try {
      run(prepare(), explanations);
    } catch (const Error& error) {
      why_not = error.what();
    }
  }
  if (why_not.empty()) return;
  for (Explanation& each : explanations) each.gpu->why_not = why_not;
}

void GpuProbe::run(const Prepared& prepared, std::span<Explanation> explanations) {
  if (prepared.launches.size() != explanations.size()) {
    throw Unsupported("the GPU runs " + std::to_string(prepared.launches.size()) +
                      " launches, the emulator " + std::to_string(explanations.size()));
  }
  executor_.run(*prepared.code, prepared.launches);
  count(prepared, explanations);
  time(prepared, explanations);
}

void GpuProbe::count(const Prepared& prepared, std::span<Explanation> explanations) {
  try {
    Counters counters(gpu::current_device(), cupti::current_context());
    const auto run = [&] {
      prepared.restore();
      executor_.run(*prepared.code, prepared.launches);
    };
    read_counters(counters, prepared.launches, run, explanations);
  } catch (const CountersUnavailable& error) {
    for (Explanation& each : explanations) each.gpu->why_no_counters = error.what();
  }
}

// Times each launch, last of all: repeated runs read the kernel's own results and may fault on
// them, and a fault makes the process's GPU context unusable.
void GpuProbe::time(const Prepared& prepared, std::span<Explanation> explanations) {
  try {
    GpuTimer timer(executor_.device(), executor_.stream());
    prepared.restore();
    for (std::size_t i = 0; i < explanations.size(); ++i) {
      const std::span launch(&prepared.launches[i], 1);
      explanations[i].gpu->times = timer.measure(
          [&](gpu::StreamHandle stream) { executor_.launch(*prepared.code, launch, stream); });
    }
  } catch (const Error& error) {
    for (Explanation& each : explanations) {
      if (!each.gpu->times) each.gpu->why_no_times = error.what();
    }
  }
}

GpuProbe::Prepared prepared_file(GpuExecutor& executor, const Explanation& explanation,
                                 std::vector<std::byte> parameters,
                                 const std::vector<Arguments::Memory>& memory) {
  executor.clear();
  std::vector<std::pair<std::uint64_t, std::span<const std::byte>>> buffers;
  for (const Arguments::Memory& each : memory) {
    std::uint64_t value = 0;
    if (each.texture) {
      value = upload_texture(executor, each);
    } else {
      value = executor.allocate(each.bytes.size(), each.name);
      buffers.emplace_back(value, each.bytes);
    }
    std::memcpy(parameters.data() + each.parameter_offset, &value, sizeof value);
  }
  const ExplainRequest& request = explanation.request;
  GpuProbe::Prepared prepared;
  prepared.restore = [&executor, buffers = std::move(buffers)] {
    for (const auto& [address, bytes] : buffers) executor.write(address, bytes);
  };
  prepared.restore();
  prepared.code = executor.load(explanation.compilation);
  prepared.launches.push_back({.kernel = explanation.kernel.name,
                               .grid = {request.grid.x, request.grid.y, request.grid.z},
                               .block = {request.block.x, request.block.y, request.block.z},
                               .shared_bytes = request.dynamic_shared_bytes,
                               .arguments = std::move(parameters)});
  return prepared;
}

}  // namespace warpwise::lab
