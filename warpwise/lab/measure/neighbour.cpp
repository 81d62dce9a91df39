#include "warpwise/lab/measure/neighbour.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <numeric>
#include <string>
#include <thread>

#include "warpwise/base/error.hpp"

namespace warpwise::lab {
namespace {

constexpr int neighbour_loads = 8;  // loads of 16 bytes that each thread has in flight
constexpr std::uint32_t threads = 1024;
constexpr std::int64_t turn_bytes = 32 * 16 * neighbour_loads;  // bytes that a warp reads at once
constexpr std::int64_t neighbour_flag_bytes = 64;

// Same layout as in neighbour.cu.
struct Streaming {
  std::byte* words;
  std::uint64_t turns_in_all;
  std::byte* done;
  std::byte* flags;
  std::byte* stop;
  std::uint64_t turns;
  std::uint64_t period_ns;
  std::uint64_t limit_ns;
};

std::int64_t whole_turns(std::int64_t bytes) { return bytes / turn_bytes * turn_bytes; }

}  // namespace

Neighbour::Neighbour(const gpu::DeviceInfo& device, const gpu::Part& on, const Toolchain& toolchain)
    : on_(on), module_(ptx_for(device, "measure/neighbour.cu",
                               {"LOADS=" + std::to_string(neighbour_loads)}, toolchain)),
      kernel_(module_.kernel("stream_memory")),
      blocks_(static_cast<std::uint32_t>(
          on.multiprocessors() * std::max(1, kernel_.blocks_per_sm(static_cast<int>(threads), 0)))),
      // L2 holds only a small part of these words.
      words_(whole_turns(std::min(std::int64_t{1} << 30, device.memory_bytes / 8)), on.stream()),
      counts_(8 * std::int64_t{blocks_} + neighbour_flag_bytes, on.stream()),
      shared_(neighbour_flag_bytes + 2 * 8 * std::int64_t{blocks_}) {
  gpu::fill_bytes(words_.data(), 0, words_.bytes(), on.stream());
  on.stream().synchronize();
}

Neighbour::~Neighbour() {
  try {
    stop();
  } catch (const Error&) {  // NOLINT: the GPU has failed, and its next use reports it
  }
}

std::uint32_t& Neighbour::flag(Flag which) const {
  return reinterpret_cast<std::uint32_t*>(shared_.data())[static_cast<int>(which)];
}

void Neighbour::start(double gb_per_s) {
  if (!(gb_per_s > 0)) throw InvalidArgument("the rate of a neighbour kernel must be above 0 GB/s");
  stop();
  std::memset(shared_.data(), 0, static_cast<std::size_t>(shared_.bytes()));
  gpu::fill_bytes(counts_.data(), 0, counts_.bytes(), on_.stream());
  const double warps = static_cast<double>(blocks_) * threads / 32;
  const double period_ns = std::max(1.0, warps * static_cast<double>(turn_bytes) / gb_per_s);
  constexpr double limit_ns = 1e9 * limit_s;
  const Streaming arguments{words_.data(),
                            static_cast<std::uint64_t>(words_.bytes() / turn_bytes),
                            counts_.data(),
                            shared_.data(),
                            counts_.data() + 8 * std::int64_t{blocks_},
                            static_cast<std::uint64_t>(limit_ns / period_ns) + 1,
                            static_cast<std::uint64_t>(period_ns),
                            static_cast<std::uint64_t>(limit_ns)};
  const std::uint32_t grid[3] = {blocks_, 1, 1};
  const std::uint32_t block[3] = {threads, 1, 1};
  kernel_.launch(grid, block, 0, std::as_bytes(std::span(&arguments, 1)), on_.stream());
  is_running_ = true;
  const auto begin = std::chrono::steady_clock::now();
  while (std::atomic_ref(flag(Flag::runs)).load(std::memory_order_acquire) == 0) {
    std::this_thread::yield();
    if (std::chrono::steady_clock::now() - begin < std::chrono::seconds(1)) continue;
    stop();
    throw CudaError("the neighbour kernel did not begin within a second");
  }
}

bool Neighbour::stop() {
  if (!is_running_) return true;
  is_running_ = false;
  std::atomic_ref(flag(Flag::stop)).store(1, std::memory_order_release);
  on_.stream().synchronize();
  return std::atomic_ref(flag(Flag::ended_by_itself)).load() == 0;
}

std::span<const std::uint64_t> Neighbour::reading(int which) const {
  const auto* first = reinterpret_cast<const std::uint64_t*>(shared_.data() + neighbour_flag_bytes);
  return {first + which * std::int64_t{blocks_}, blocks_};
}

double Neighbour::gb_per_s_during(const GpuWork& work, double work_us, const gpu::Stream& stream) {
  constexpr double least_us = 20'000;
  constexpr int most_runs = 10'000;
  const int runs =
      std::clamp(static_cast<int>(least_us / std::max(work_us, 1.0)) + 1, 1, most_runs);
  const auto read = [&](int which) {
    gpu::download(counts_.data(),
                  shared_.data() + neighbour_flag_bytes + which * 8 * std::int64_t{blocks_},
                  8 * std::int64_t{blocks_}, stream);
  };
  gpu::Event before;
  gpu::Event after;
  read(0);
  before.record(stream);
  for (int i = 0; i < runs; ++i) work(stream);
  after.record(stream);
  read(1);
  stream.synchronize();
  const auto sum = [](std::span<const std::uint64_t> counts) {
    return std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
  };
  const auto bytes =
      static_cast<double>(turn_bytes) * static_cast<double>(sum(reading(1)) - sum(reading(0)));
  return bytes / after.microseconds_since(before) / 1000;
}

}  // namespace warpwise::lab
