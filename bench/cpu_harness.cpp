// The program cpu_bench times our CPU code and its peers with Google Benchmark.
//
//   cpu_bench [--threads=1,2,4] [Google Benchmark's options]
//
// --threads: times our calls alone, without peers, once for each of these numbers of threads.
// Without this option, calls and peers are timed with one thread and with all threads.

#include "bench/cpu_harness.hpp"

#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <tbb/global_control.h>
#include <tbb/info.h>
#include <opencv2/core/utility.hpp>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <tuple>
#include <vector>

#include "warpwise/base/image.hpp"
#include "warpwise/primitives/copy/copy.hpp"

// The only function of OpenBLAS's own interface that is used here. It is declared here because the
// place of its header differs between systems.
extern "C" void openblas_set_num_threads(int count);

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

// Limits our code to a number of threads during the lifetime of this object. OpenCV and OpenBLAS
// keep the limit until the next object sets another.
class Threads {
 public:
  explicit Threads(int count)
      : limit_(tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(count)) {
    cv::setNumThreads(count);
    openblas_set_num_threads(count);
  }

 private:
  tbb::global_control limit_;
};

// Returns the bandwidth of copying memory with a number of threads, in bytes read and written a
// second. It is that of the fastest of ten copies of 256 MiB, and is measured once in a run.
double stream_bytes_per_second(int threads) {
  static std::map<int, double> measured;
  if (const auto found = measured.find(threads); found != measured.end()) return found->second;
  constexpr std::int64_t bytes = 256LL << 20;
  Image from(ElementType::u8, bytes, 1);
  Image to(ElementType::u8, bytes, 1);
  std::fill_n(from.view().data(), bytes, std::byte{1});
  const double best = fastest(10, [&] { copy(from.view(), to.view()); });
  return measured[threads] = 2.0 * static_cast<double>(bytes) / best;
}

// Returns the number of calls in one sample. A sample takes about 20 us or more, so that the time
// of reading the clock is negligible.
int calls_of(const std::function<void()>& work) {
  const double least = fastest(3, work);
  return std::max(1, static_cast<int>(20e-6 / std::max(least, 1e-9)));
}

double seconds_of_each(int calls, const std::function<void()>& work) {
  return seconds_of([&] {
           for (int i = 0; i < calls; ++i) work();
         }) /
         calls;
}

Roof roof_of(const Comparison& comparison) {
  if (comparison.roof) return *comparison.roof;
  return {"stream_%",
          [bytes = comparison.bytes](auto width, auto height) {
            return static_cast<double>(bytes(width, height));
          },
          stream_bytes_per_second};
}

/// A comparison and one size at which it runs.
struct Registered {
  Comparison comparison;
  std::int64_t width;
  std::int64_t height;
};

std::vector<Registered>& all_registered() {
  static std::vector<Registered> all;
  return all;
}

void run(benchmark::State& state, const Registered& registered, int threads, bool beside_peer) {
  const auto& [comparison, width, height] = registered;
  const Threads limit(threads);
  const Roof roof = roof_of(comparison);
  const double work = roof.work(width, height);
  Pair pair = comparison.make(width, height);
  if (!beside_peer) pair.peer = {};
  const int calls = calls_of(pair.ours);
  if (pair.peer) pair.peer();
  std::vector<double> ours;
  std::vector<double> peer;
  std::vector<double> ratios;
  std::vector<double> shares;
  for ([[maybe_unused]] const auto iteration : state) {
    ours.push_back(seconds_of_each(calls, pair.ours));
    shares.push_back(100 * work / ours.back() / roof.work_per_second(threads));
    if (pair.peer) {
      peer.push_back(seconds_of_each(calls, pair.peer));
      ratios.push_back(peer.back() / ours.back());
    }
    state.SetIterationTime(ours.back() * calls);
  }
  // These are times of one call, in ms; Google Benchmark itself reports the time of a sample.
  state.counters["ours_ms"] = 1000 * at_share(ours, 0.5);
  if (pair.peer) {
    state.counters["peer_ms"] = 1000 * at_share(peer, 0.5);
    state.counters["ratio"] = at_share(ratios, 0.5);
    state.counters["ratio_p5"] = at_share(ratios, 0.05);
    state.counters["ratio_p95"] = at_share(ratios, 0.95);
  }
  state.counters[roof.name] = at_share(shares, 0.5);
  state.SetLabel(pair.peer ? "x " + comparison.peer_name : "no peer");
}

void register_with(const Registered& registered, int threads, bool beside_peer) {
  const auto& [comparison, width, height] = registered;
  const std::string name = fmt::format("{}/{}x{}/{} thread{}", comparison.name, width, height,
                                       threads, threads == 1 ? "" : "s");
  auto* const bench = benchmark::RegisterBenchmark(
      name.c_str(), [=](benchmark::State& state) { run(state, registered, threads, beside_peer); });
  bench->UseManualTime()->Unit(benchmark::kMillisecond);
  if (comparison.seconds > 0) bench->MinTime(comparison.seconds);
}

/// Parses a list of numbers: "1,2,4".
std::vector<int> numbers_of(std::string_view list) {
  constexpr int most = 1024;  // far more threads would exceed the limit of a process
  std::vector<int> numbers;
  while (true) {
    const std::string_view text = list.substr(0, list.find(','));
    int number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end != text.data() + text.size() || number < 1 || number > most) {
      fmt::print(stderr, "cpu_bench: --threads needs numbers from 1 to {}, as 1,2,4\n", most);
      std::exit(2);
    }
    numbers.push_back(number);
    if (text.size() == list.size()) return numbers;
    list.remove_prefix(text.size() + 1);
  }
}

void register_all(const std::vector<int>& threads) {
  const int all = tbb::info::default_concurrency();
  // Contains our calls that are registered already: several comparisons may time one call beside
  // different peers.
  std::set<std::tuple<std::string, std::int64_t, std::int64_t>> ours;
  for (const Registered& each : all_registered()) {
    if (!threads.empty()) {
      if (!ours.emplace(each.comparison.name, each.width, each.height).second) continue;
      for (const int count : threads) register_with(each, count, false);
      continue;
    }
    register_with(each, 1, true);
    if (all > 1 && !each.comparison.one_thread) register_with(each, all, true);
  }
}

}  // namespace

double fastest(int times, const std::function<void()>& work) {
  double best = seconds_of(work);
  for (int i = 1; i < times; ++i) best = std::min(best, seconds_of(work));
  return best;
}

void on_threads(int threads, const std::function<void(int thread)>& work) {
  std::vector<std::jthread> running;
  for (int i = 1; i < threads; ++i) running.emplace_back([&work, i] { work(i); });
  work(0);
}

double read_bytes_per_second(int threads) {
  static std::map<int, double> measured;
  if (const auto found = measured.find(threads); found != measured.end()) return found->second;
  constexpr std::size_t words = (std::size_t{256} << 20) / sizeof(std::uint64_t);
  const std::vector<std::uint64_t> memory(words, 1);
  const double best = fastest(10, [&] {
    on_threads(threads, [&](int thread) {
      // Each thread reads several streams at once, because the CPU's prefetchers then reach the
      // highest rate.
      constexpr std::size_t streams = 8;
      const std::size_t each = words / static_cast<std::size_t>(threads) / streams;
      const std::uint64_t* const from =
          memory.data() + static_cast<std::size_t>(thread) * streams * each;
      std::uint64_t sums[streams] = {};
      for (std::size_t i = 0; i + 8 <= each; i += 8) {
        for (std::size_t s = 0; s < streams; ++s) {
          for (std::size_t k = 0; k < 8; ++k) sums[s] += from[s * each + i + k];
        }
      }
      benchmark::DoNotOptimize(sums);
    });
  });
  return measured[threads] = static_cast<double>(words * sizeof(std::uint64_t)) / best;
}

void add_at(const Comparison& comparison, std::int64_t width, std::int64_t height) {
  all_registered().push_back({comparison, width, height});
}

void add(const Comparison& comparison) {
  add_at(comparison, 1280, 720);
  add_at(comparison, 4096, 3072);
  add_at(comparison, 1921, 1081);
}

}  // namespace warpwise::bench

int main(int count, char** arguments) {
  constexpr std::string_view option = "--threads=";
  std::vector<int> threads;
  int kept = 1;
  for (int i = 1; i < count; ++i) {
    const std::string_view argument = arguments[i];
    if (argument.starts_with(option)) {
      threads = warpwise::bench::numbers_of(argument.substr(option.size()));
    } else {
      arguments[kept++] = arguments[i];
    }
  }
  warpwise::bench::register_all(threads);
  benchmark::Initialize(&kept, arguments);
  if (benchmark::ReportUnrecognizedArguments(kept, arguments)) return 1;
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
}
