#include "warpwise/lab/predict/measured_profile.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "warpwise/gpu/buffer.hpp"
#include "warpwise/gpu/module.hpp"
#include "warpwise/gpu/texture.hpp"
#include "warpwise/lab/measure/gpu_timing.hpp"

namespace warpwise::lab {
namespace {

// Constants with which micro_kernels.cu is compiled, and numbers that follow from them.
constexpr int probe_steps = 64;
constexpr int probe_chains = 8;
constexpr int turns = 8;
constexpr int probe_instructions = probe_steps * turns;  // executed by a warp
constexpr int repeated = 9;                              // launches, of which the median counts
constexpr std::uint32_t full_block = 1024;

// Same layout as in micro_kernels.cu.
struct Probe {
  void* out = nullptr;
  void* memory = nullptr;
  std::uint64_t count = 0;
  std::uint64_t stride = 0;
  std::uint64_t step = 0;
  std::uint64_t texture = 0;
};

std::string compiled(const gpu::DeviceInfo& device) {
  return ptx_for(device, "predict/micro_kernels.cu",
                 {fmt::format("STEPS={}", probe_steps), fmt::format("CHAINS={}", probe_chains)});
}

class ProfileMeasurement {
 public:
  explicit ProfileMeasurement(const std::function<void(std::string_view, double)>& done)
      : done_(done), device_(gpu::device_info(gpu::current_device())), timer_(device_, stream_),
        module_(compiled(device_)), out_(8 * (1 + full_block), stream_) {}

  DeviceProfile profile() {
    profile_.name = "measured";
    profile_.gpu = device_.name;
    profile_.compute_capability = {device_.compute_capability_major,
                                   device_.compute_capability_minor};
    of_the_driver();
    latencies();
    rates();
    whole_gpu();
    return std::move(profile_);
  }

 private:
  void set(const std::string& name, double value, const std::string& source) {
    // The measurements are accurate to about three digits.
    const double rounded = std::stod(fmt::format("{:.3g}", value));
    profile_.figures[name] = rounded;
    profile_.sources[name] = source;
    done_(name, rounded);
  }

  void launch(const std::string& kernel, std::uint32_t blocks, std::uint32_t threads,
              const Probe& probe, gpu::StreamHandle stream, std::uint64_t shared_bytes = 0) const {
    const std::uint32_t grid[3] = {blocks, 1, 1};
    const std::uint32_t block[3] = {threads, 1, 1};
    module_.kernel(kernel).launch(grid, block, shared_bytes, std::as_bytes(std::span(&probe, 1)),
                                  stream);
  }

  // Returns the cycles of one block, the median of several launches. `before` enqueues work before
  // each launch.
  double cycles(
      const std::string& kernel, std::uint32_t threads, Probe probe,
      const std::function<void()>& before = [] {}) {
    probe.out = out_.data();
    std::vector<double> all;
    for (int i = 0; i < repeated; ++i) {
      before();
      launch(kernel, 1, threads, probe, stream_);
      std::uint64_t taken = 0;
      gpu::download(out_.data(), &taken, sizeof(taken), stream_);
      stream_.synchronize();
      all.push_back(static_cast<double>(taken));
    }
    std::nth_element(all.begin(), all.begin() + repeated / 2, all.end());
    return all[repeated / 2];
  }

  void latency(
      const std::string& name, const Probe& probe = {}, std::uint32_t threads = 32,
      const std::function<void()>& before = [] {}) {
    set(name, cycles(name, threads, probe, before) / probe_instructions,
        "measured: a chain of instructions that wait for each other");
  }

  // Measures an SM's work per cycle, for example in bytes. A warp instruction does `each` of it.
  void rate(const std::string& name, const Probe& probe = {}, double each = 1) {
    constexpr double warps = full_block / 32.0;
    const double measured = warps * probe_instructions / cycles(name, full_block, probe);
    // A rate above the issue rate means that a compiler removed some instructions.
    const double most = profile_.figure("issue_per_cycle");
    set(name, each * std::min(measured, most),
        measured > most ? "the rate of issue"
                        : "measured: independent instructions of 32 warps on a multiprocessor");
  }

  void of_the_driver() {
    set("multiprocessors", device_.multiprocessors, "the driver");
    set("l2_bytes", static_cast<double>(device_.l2_bytes), "the driver");
    // The L2 of GPUs like the A100 and the H100 has two halves. Each holds the data of its own SMs.
    const rules::ComputeCapability cc = profile_.compute_capability;
    const bool has_halves = cc.major >= 8 && cc.major <= 10 && cc.minor == 0;
    set("l2_kept_bytes", static_cast<double>(device_.l2_bytes) / (has_halves ? 2 : 1),
        has_halves ? "assumed: half of L2, as measured on an H200" : "the driver");
    set("l2_written_share", device_.l2_bytes > 0 ? 0.6 : 0, "assumed: as measured on an H200");
    // L1 gets the memory that shared memory leaves: all of it if a kernel has no shared memory.
    set("l1_bytes", static_cast<double>(rules::sm_limits(profile_.compute_capability).shared_bytes),
        "the memory that L1 and shared memory divide: docs/hardware-rules.md");
    constexpr double schedulers = 4;
    set("issue_per_cycle",
        profile_.compute_capability.major == 6 && profile_.compute_capability.minor == 0
            ? 2
            : schedulers,
        "schedulers of a multiprocessor: CUDA C++ Programming Guide");
  }

  // Measures a chain of loads through memory of `bytes`. Elements have 128 bytes, and each load is
  // `step` elements after the previous one.
  void chase(const std::string& name, std::uint64_t bytes, std::uint64_t step) {
    const gpu::Buffer memory(static_cast<std::int64_t>(bytes), stream_);
    constexpr std::uint64_t line = 128;
    const Probe probe{.memory = memory.data(), .count = bytes / line, .stride = line, .step = step};
    // Writing all elements before each launch evicts from L2 the elements that exceed its size.
    latency(name, probe, 1, [&] {
      launch("link", static_cast<std::uint32_t>(4 * device_.multiprocessors), 256, probe, stream_);
    });
  }

  void latencies() {
    for (const char* name : {"arithmetic_cycles", "float64_cycles", "special_cycles",
                             "shared_cycles", "constant_cycles"}) {
      latency(name);
    }
    latency("barrier_cycles", {}, 256);
    // A round of the loop also has an addition and a comparison.
    set("branch_cycles",
        cycles("branch_cycles", 32, {.count = probe_instructions}) / probe_instructions -
            2 * profile_.figure("arithmetic_cycles"),
        "measured: rounds of a loop that does nothing");
    with_texture([&](const Probe& probe) { latency("texture_cycles", probe); });
    constexpr std::uint64_t small = 16 << 10;
    chase("l1_cycles", small, 1);
    const auto l2 = static_cast<std::uint64_t>(std::max<std::int64_t>(device_.l2_bytes, 1 << 20));
    // The memory is small enough for the kernel's first loop to read all of it, and larger than any
    // L1.
    constexpr std::uint64_t more_than_l1 = 1 << 20;
    chase("l2_cycles", std::min(l2 / 4, more_than_l1), 33);
    // The memory has eight times the size of L2, so each load of a chain reads a line that is not
    // in L2.
    chase("dram_cycles", std::min<std::uint64_t>(8 * l2, std::uint64_t{1} << 30), 4097);
  }

  template <class Use>
  void with_texture(const Use& use) {
    constexpr std::int64_t texels = 2 * full_block;
    constexpr std::uintptr_t alignment = 512;
    const gpu::Buffer memory(4 * texels + alignment, stream_);
    gpu::fill_bytes(memory.data(), 0, memory.bytes(), stream_);
    stream_.synchronize();
    const auto place = reinterpret_cast<std::uintptr_t>(memory.data());
    std::byte* data = memory.data() + (alignment - place % alignment) % alignment;
    const gpu::Texture texture({.data = data, .width = texels, .channel_bytes = 4});
    use(Probe{.memory = data, .texture = texture.handle()});
  }

  void rates() {
    for (const char* name :
         {"integer_per_cycle", "float32_per_cycle", "float64_per_cycle", "special_per_cycle",
          "shuffle_per_cycle", "shared_passes_per_cycle", "barriers_per_cycle"}) {
      rate(name);
    }
    // Each step converts twice: to 64 bits and back.
    rate("conversion64_per_cycle", {}, 2);
    rate("constant_passes_per_cycle", {}, 32);
    set("conversion_per_cycle", profile_.figure("integer_per_cycle"),
        "assumed: the rate of integer instructions, since an integer instruction widens a byte to "
        "a word; floats take longer");
    const gpu::Buffer memory(32 * full_block, stream_);  // loads of both sizes stay within it
    gpu::fill_bytes(memory.data(), 0, memory.bytes(), stream_);
    const Probe probe{.memory = memory.data()};
    rate("load_store_per_cycle", probe);
    constexpr double bytes_of_a_warp = 32 * 16;
    rate("l1_bytes_per_cycle", probe, bytes_of_a_warp);
    with_texture([&](const Probe& with) { rate("texture_per_cycle", with); });
    with_plane([&](const Probe& with) { rate("texture_plane_per_cycle", with); });
    rate("shared_atomics_per_cycle");
    set("shared_loop_cycles",
        cycles("shared_loop_cycles", full_block, {}) / (probe_instructions * full_block),
        "measured: all threads of a multiprocessor add to one word of shared memory");
  }

  template <class Use>
  void with_plane(const Use& use) {
    constexpr std::int64_t texels = 64, bytes = 4 * texels * texels, alignment = 512;
    const gpu::Buffer memory(bytes + alignment, stream_);
    gpu::fill_bytes(memory.data(), 0, memory.bytes(), stream_);
    stream_.synchronize();
    const auto place = reinterpret_cast<std::uintptr_t>(memory.data());
    std::byte* data = memory.data() + (alignment - place % alignment) % alignment;
    const gpu::Texture texture({.data = data,
                                .width = texels,
                                .height = texels,
                                .pitch_bytes = 4 * texels,
                                .channel_bytes = 4});
    use(Probe{.texture = texture.handle()});
  }

  void whole_gpu() {
    set("dram_gb_per_s", timer_.copy_roof_gb_per_s(),
        "measured: a device-to-device copy of 1 GiB in all, bytes read and written");
    const std::uint64_t bytes =
        static_cast<std::uint64_t>(std::max<std::int64_t>(device_.l2_bytes / 4, 1 << 20)) / 32 * 32;
    const gpu::Buffer memory(static_cast<std::int64_t>(bytes), stream_);
    const Probe probe{.memory = memory.data(), .count = bytes / 32, .step = 64};
    const auto blocks = static_cast<std::uint32_t>(2 * device_.multiprocessors);
    const Measurement copy = timer_.measure([&](gpu::StreamHandle stream) {
      launch("l2_gb_per_s", blocks, full_block, probe, stream);
    });
    set("l2_gb_per_s", static_cast<double>(bytes) * 64 / (1e3 * copy.batch.median_us),
        "measured: a copy inside a quarter of L2 over and over, bytes read and written");
    const Measurement shared = timer_.measure([&](gpu::StreamHandle stream) {
      launch("l2_shared_gb_per_s", blocks / 2, full_block,
             {.out = out_.data(), .memory = memory.data(), .count = bytes / 32}, stream);
    });
    set("l2_shared_gb_per_s",
        static_cast<double>(bytes / 2) * (blocks / 2) / (1e3 * shared.batch.median_us),
        "measured: all multiprocessors read the same eighth of L2 at about the same time");
    set("sm_clock_mhz", copy.sm_clock_mhz, "measured while L2 was copied");
    const double cycles_per_us = copy.sm_clock_mhz;
    constexpr std::uint64_t accesses = 64, adds = 8;
    const auto threads = static_cast<double>(blocks) * full_block;
    // Returns the accesses of all SMs in a cycle.
    const auto in_l2 = [&](const char* name, std::uint64_t count, std::uint64_t stride = 0) {
      const Measurement all = timer_.measure([&](gpu::StreamHandle stream) {
        launch(name, blocks, full_block,
               {.out = out_.data(),
                .memory = memory.data(),
                .count = count,
                .stride = stride,
                .step = accesses},
               stream);
      });
      return threads * accesses / all.batch.median_us / cycles_per_us;
    };
    const double sms = device_.multiprocessors;
    for (const char* name : {"l2_read_lines_per_cycle", "l2_written_lines_per_cycle"}) {
      set(name, in_l2(name, bytes / 128) / sms,
          "measured: a word of each of the lines that L2 holds");
    }
    constexpr double words_of_a_sector = 8;
    constexpr std::uint64_t words_of_256_bytes = 64;
    set("l2_written_sectors_per_cycle",
        in_l2("l2_written_sectors_per_cycle", bytes / 16) / words_of_a_sector / sms,
        "measured: stores of whole lines that stay in L2");
    set("atomic_sectors_per_cycle", in_l2("atomic_sectors_per_cycle", bytes / 32, 32) / sms,
        "measured: each lane adds to a word of another sector");
    set("atomic_sector_cycles",
        words_of_a_sector / in_l2("atomic_sectors_per_cycle", words_of_256_bytes, 4),
        "measured: all lanes add to words of 256 bytes");
    const auto atomics = [&](const char* name, double adders, const std::string& source) {
      const Measurement all = timer_.measure([&](gpu::StreamHandle stream) {
        launch(name, blocks, full_block, {.memory = memory.data(), .step = adds}, stream);
      });
      set(name, all.batch.median_us * cycles_per_us / (adders * adds), source);
    };
    atomics("atomic_cycles", threads, "measured: all threads add to one word");
    atomics("integer_atomic_cycles", threads / 32,
            "measured: a lane of each warp adds an integer to one word");
    const std::uint64_t apart = std::uint64_t{1} << 30;
    const gpu::Buffer large(static_cast<std::int64_t>(apart), stream_);
    const Measurement gather = timer_.measure([&](gpu::StreamHandle stream) {
      launch("dram_sectors", static_cast<std::uint32_t>(apart / 128 / 256), 256,
             {.out = out_.data(), .memory = large.data()}, stream);
    });
    // Bytes that DRAM can move in the measured time, divided by the number of words.
    const double moved = gather.cold.median_us * 1e3 * profile_.figure("dram_gb_per_s") /
                         static_cast<double>(apart / 128);
    constexpr double of_two_sectors = 48;
    set("dram_sectors", moved > of_two_sectors ? 2 : 1,
        fmt::format("measured: a word of each 128 bytes took as long as {:.0f} bytes of a copy",
                    moved));
    constexpr std::uint32_t many = 1 << 18;
    const Measurement starts =
        timer_.measure([&](gpu::StreamHandle stream) { launch("nothing", many, 32, {}, stream); });
    set("block_start_cycles",
        starts.batch.median_us * cycles_per_us * device_.multiprocessors / many,
        "measured: blocks of a warp that do nothing");
    const Measurement warps = timer_.measure(
        [&](gpu::StreamHandle stream) { launch("nothing", many, full_block, {}, stream); });
    set("warp_start_cycles",
        warps.batch.median_us * cycles_per_us * sms / (many * full_block / 32.0),
        "measured: blocks of 32 warps that do nothing");
    // Blocks with more than half of an SM's shared memory run one after the other.
    const std::uint64_t shared_bytes = static_cast<std::uint64_t>(
        rules::sm_limits(profile_.compute_capability).shared_bytes * 3 / 5);
    const Measurement turns_of_blocks = timer_.measure([&](gpu::StreamHandle stream) {
      launch("nothing", many / 8, 32, {}, stream, shared_bytes);
    });
    set("block_turn_cycles", turns_of_blocks.batch.median_us * cycles_per_us * sms / (many / 8),
        "measured: blocks that do nothing, one at a time on a multiprocessor");
    const Measurement empty =
        timer_.measure([&](gpu::StreamHandle stream) { launch("nothing", 1, 32, {}, stream); });
    set("launch_us", empty.cold.median_us, "measured: a kernel that does nothing, cold");
    set("next_launch_us", empty.batch.median_us,
        "measured: kernels that do nothing, one behind the other");
  }

  std::function<void(std::string_view, double)> done_;
  gpu::DeviceInfo device_;
  gpu::Stream stream_;
  GpuTimer timer_;
  gpu::Module module_;
  gpu::Buffer out_;
  DeviceProfile profile_;
};

}  // namespace

DeviceProfile measure_profile(const std::function<void(std::string_view, double)>& done) {
  return ProfileMeasurement(done).profile();
}

std::string json_of(const DeviceProfile& profile) {
  const auto quoted = [](const std::string& text) { return nlohmann::json(text).dump(); };
  std::string figures;
  for (const std::string& name : profile_figures()) {
    figures +=
        fmt::format("{}\n  \"{}\": {{\"value\": {}, \"source\": {}}}", figures.empty() ? "" : ",",
                    name, profile.figure(name), quoted(profile.sources.find(name)->second));
  }
  return fmt::format(
      "{{\n \"gpu\": {},\n \"compute_capability\": \"{}\",\n \"figures\": {{{}\n }}\n}}\n",
      quoted(profile.gpu), rules::to_string(profile.compute_capability), figures);
}

}  // namespace warpwise::lab
