// The program cpu_bench: Google Benchmark over pairs of calls.

#include "bench/cpu_harness.hpp"

#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <opencv2/core/utility.hpp>
#include <tbb/global_control.h>
#include <tbb/info.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <memory>
#include <vector>

#include "warpwise/base/image.hpp"
#include "warpwise/primitives/copy/copy.hpp"

namespace warpwise::bench {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_of(const std::function<void()>& work) {
  const Clock::time_point start = Clock::now();
  work();
  return std::chrono::duration<double>(Clock::now() - start).count();
}

double at_share(std::vector<double> values, double share) {
  std::sort(values.begin(), values.end());
  return values[static_cast<std::size_t>(share * static_cast<double>(values.size() - 1))];
}

// Limits both sides to a number of threads while it lives.
class Threads {
 public:
  explicit Threads(int count)
      : limit_(tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(count)) {
    cv::setNumThreads(count);
  }

 private:
  tbb::global_control limit_;
};

// The streaming bandwidth of this machine with so many threads, measured once in this run: the
// fastest of ten copies of 256 MiB, counting bytes read and written.
double stream_bytes_per_second(int threads) {
  static std::map<int, double> measured;
  if (const auto found = measured.find(threads); found != measured.end()) return found->second;
  constexpr std::int64_t bytes = 256LL << 20;
  Image from(ElementType::u8, bytes, 1);
  Image to(ElementType::u8, bytes, 1);
  std::fill_n(from.view().data(), bytes, std::byte{1});
  double best = 1e9;
  for (int i = 0; i < 10; ++i) best = std::min(best, seconds_of([&] { copy(from.view(), to.view()); }));
  return measured[threads] = 2.0 * static_cast<double>(bytes) / best;
}

void run(benchmark::State& state, const Comparison& comparison, std::int64_t width,
         std::int64_t height, int threads) {
  const Threads limit(threads);
  const double stream = stream_bytes_per_second(threads);
  const Pair pair = comparison.make(width, height);
  pair.ours();
  pair.peer();
  std::vector<double> ours;
  std::vector<double> peer;
  std::vector<double> ratios;
  for ([[maybe_unused]] const auto iteration : state) {
    ours.push_back(seconds_of(pair.ours));
    peer.push_back(seconds_of(pair.peer));
    ratios.push_back(peer.back() / ours.back());
    state.SetIterationTime(ours.back());
  }
  const double median = at_share(ours, 0.5);
  state.counters["peer_ms"] = 1000 * at_share(peer, 0.5);
  state.counters["ratio"] = at_share(ratios, 0.5);
  state.counters["ratio_p5"] = at_share(ratios, 0.05);
  state.counters["ratio_p95"] = at_share(ratios, 0.95);
  state.counters["stream_%"] =
      100 * static_cast<double>(comparison.bytes(width, height)) / median / stream;
  state.SetLabel("x " + comparison.peer_name);
}

}  // namespace

void add_at(const Comparison& comparison, std::int64_t width, std::int64_t height) {
  const int all = tbb::info::default_concurrency();
  for (const int threads : {1, all}) {
    const std::string name = fmt::format("{}/{}x{}/{} thread{}", comparison.name, width, height,
                                         threads, threads == 1 ? "" : "s");
    benchmark::RegisterBenchmark(name.c_str(),
                                 [=](benchmark::State& state) {
                                   run(state, comparison, width, height, threads);
                                 })
        ->UseManualTime()
        ->Unit(benchmark::kMillisecond);
    if (all == 1) break;
  }
}

void add(const Comparison& comparison) {
  add_at(comparison, 1280, 720);
  add_at(comparison, 4096, 3072);
  add_at(comparison, 1921, 1081);
}

}  // namespace warpwise::bench

BENCHMARK_MAIN();
