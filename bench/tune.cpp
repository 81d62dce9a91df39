#include "bench/tune.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <fstream>
#include <map>
#include <optional>
#include <tuple>

#include <fmt/format.h>

#include "warpwise/base/error.hpp"
#include "warpwise/gpu/device.hpp"

namespace warpwise::bench {
namespace {

using tuning::Entry;
using tuning::Key;
using tuning::Trial;

// Many configurations are timed briefly; those that seem faster are timed again.
constexpr lab::TimingOptions options_of_a_configuration{
    .cold_seconds = 0.02, .wall_seconds = 0.05, .batch_seconds = 0};

std::string name_of_work(const Case& work) {
  return fmt::format("{} {}x{}", work.variant, work.width, work.height);
}

class Deadline {
 public:
  explicit Deadline(double seconds)
      : end_(std::chrono::steady_clock::now() +
             std::chrono::duration_cast<std::chrono::steady_clock::duration>(
                 std::chrono::duration<double>(seconds))) {}
  bool has_passed() const { return std::chrono::steady_clock::now() >= end_; }

 private:
  std::chrono::steady_clock::time_point end_;
};

/// Measures configurations of one case after the other.
class Tuner {
 public:
  explicit Tuner(const Deadline& deadline)
      : deadline_(deadline), gpu_(tuning::current_gpu()),
        timer_(gpu::device_info(gpu::current_device()), stream_) {}

  const tuning::Gpu& gpu() const { return gpu_; }

  /// Returns the results of a case; nothing if the time was not enough for all of it.
  std::optional<std::vector<Entry>> entries_of(const Case& work) {
    const Prepared prepared = work.prepare(stream_);
    highest_clock_mhz_ = 0;
    std::vector<Entry> entries;
    const std::vector<Key> keys = asked_by(prepared);
    if (keys.empty()) return entries;
    if (!is_right(prepared)) throw Error("wrong result with the built-in values");
    for (const Key& key : keys) {
      const std::span<const int> choices = key.tunable->choices;
      const lab::Measurement built_in = time(prepared, {key, choices[0]});
      for (const int value : choices.subspan(1)) {
        if (deadline_.has_passed()) return std::nullopt;
        entries.push_back(entry_of(work, prepared, {key, value}, built_in));
      }
    }
    return entries;
  }

 private:
  std::vector<Key> asked_by(const Prepared& prepared) {
    const Trial watch;
    prepared.run(stream_);
    stream_.synchronize();
    std::vector<Key> keys;
    for (const tuning::Setting& each : watch.asked()) keys.push_back(each.key);
    return keys;
  }

  bool is_right(const Prepared& prepared) {
    prepared.run(stream_);
    stream_.synchronize();
    return prepared.verify();
  }

  lab::Measurement time(const Prepared& prepared, const tuning::Setting& setting) {
    const Trial trial({setting});
    lab::Measurement measured = timer_.measure(prepared.run, options_of_a_configuration);
    highest_clock_mhz_ = std::max(highest_clock_mhz_, measured.sm_clock_mhz);
    return measured;
  }

  Judgement judgement_of(const Prepared& prepared, const tuning::Setting& setting,
                         const lab::Measurement& built_in) {
    {
      const Trial trial({setting});
      if (!is_right(prepared)) return {"wrong", 0, "another result than the CPU path's"};
    }
    const auto beside = [&](const lab::Measurement& other) {
      const lab::Measurement with = time(prepared, setting);
      return judge(with, other, highest_clock_mhz_);
    };
    const Judgement first = beside(built_in);
    if (first.verdict != "faster") return first;
    // The best of several is partly lucky: it must be faster again.
    const Judgement second = beside(time(prepared, {setting.key, setting.key.tunable->choices[0]}));
    return second.verdict != "faster" || second.gain < first.gain ? second : first;
  }

  Entry entry_of(const Case& work, const Prepared& prepared, const tuning::Setting& setting,
                 const lab::Measurement& built_in) {
    const tuning::Tunable& tunable = *setting.key.tunable;
    Judgement judgement = judgement_of(prepared, setting, built_in);
    return {.primitive = std::string(tunable.primitive),
            .tunable = std::string(tunable.name),
            .value = setting.value,
            .kind = std::string(tunable.kinds[static_cast<std::size_t>(setting.key.kind)]),
            .size = setting.key.size,
            .verdict = std::move(judgement.verdict),
            .gain = judgement.gain,
            .why = std::move(judgement.why),
            .work = name_of_work(work),
            .source = std::string(tuning::source_hash(tunable.primitive)),
            .gpu = gpu_};
  }

  const Deadline& deadline_;
  tuning::Gpu gpu_;
  gpu::Stream stream_;
  lab::GpuTimer timer_;
  // Highest clock seen during a case: heavy work lowers the clock while it lasts.
  double highest_clock_mhz_ = 0;
};

}  // namespace

std::vector<Case> in_turn(std::vector<Case> cases) {
  std::map<std::string, int> seen;
  std::vector<std::pair<int, Case>> ranked;
  for (Case& work : cases) {
    const int rank = seen[work.primitive]++;
    ranked.emplace_back(rank, std::move(work));
  }
  std::stable_sort(ranked.begin(), ranked.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  cases.clear();
  for (auto& [rank, work] : ranked) cases.push_back(std::move(work));
  return cases;
}

Judgement judge(const lab::Measurement& with, const lab::Measurement& built_in,
                double highest_clock_mhz) {
  constexpr double lowered = 0.95;
  const Comparison beside = compare(with.cold_samples, built_in.cold_samples);
  const std::string times =
      fmt::format("{:.2f} us beside {:.2f} us: {:.3f} [{:.3f}, {:.3f}]", with.cold.median_us,
                  built_in.cold.median_us, beside.ratio, beside.low, beside.high);
  for (const lab::Measurement* each : {&with, &built_in}) {
    if (each->sm_clock_mhz > 0 && each->sm_clock_mhz < lowered * highest_clock_mhz) {
      return {"throttled", beside.ratio,
              fmt::format("at {:.0f} MHz after {:.0f}; {}", each->sm_clock_mhz, highest_clock_mhz,
                          times)};
    }
  }
  const double other = built_in.sm_clock_mhz;
  if (with.sm_clock_mhz > 0 && other > 0 &&
      std::abs(with.sm_clock_mhz - other) > same_within * std::max(with.sm_clock_mhz, other)) {
    return {"throttled", beside.ratio,
            fmt::format("at {:.0f} MHz beside {:.0f}; {}", with.sm_clock_mhz, other, times)};
  }
  return {std::string(name_of(beside.verdict)), beside.ratio, times};
}

TuningFile::TuningFile(std::filesystem::path path) : path_(std::move(path)) {
  if (path_.empty()) throw IoError("there is no folder for it: neither $XDG_CACHE_HOME nor $HOME");
  const tuning::FileText read = tuning::read_file(path_);
  if (!read.ignored.empty()) throw IoError(path_.string() + ": " + read.ignored);
  lines_ = tuning::read_lines(read.text);
  if (lines_.size() == 1 && lines_[0].number == 1) {
    throw IoError(path_.string() + ": " + lines_[0].ignored + "; delete it to tune anew");
  }
  std::error_code ignored;  // a missing folder is reported when the file is opened
  std::filesystem::create_directories(path_.parent_path(), ignored);
  std::ofstream file(path_, std::ios::binary | std::ios::app);
  if (read.text.empty()) file << tuning::file_header << '\n';
  // Ends a line that was cut off.
  if (!read.text.empty() && read.text.back() != '\n') file << '\n';
  if (!file.flush()) throw IoError(path_.string() + " cannot be written");
}

bool TuningFile::holds(const Case& work, const tuning::Gpu& gpu) const {
  const std::string name = name_of_work(work);
  const std::string_view source = tuning::source_hash(work.primitive);
  std::map<std::tuple<std::string, std::string, int, int>, bool> is_done;
  for (const tuning::Line& line : lines_) {
    if (!line.entry) continue;
    const Entry& entry = *line.entry;
    if (entry.primitive != work.primitive || entry.work != name || entry.source != source ||
        entry.gpu != gpu) {
      continue;
    }
    is_done[{entry.tunable, entry.kind, entry.size, entry.value}] = entry.verdict != "throttled";
  }
  return !is_done.empty() &&
         std::all_of(is_done.begin(), is_done.end(), [](const auto& each) { return each.second; });
}

void TuningFile::add(std::span<const Entry> entries) {
  // Written in one piece, at the end: another program may do the same.
  std::string text;
  for (const Entry& entry : entries) text += tuning::line_of(entry) + "\n";
  std::ofstream file(path_, std::ios::binary | std::ios::app);
  file << text;
  if (!file.flush()) throw IoError(path_.string() + " cannot be written");
}

std::size_t tune(const TuneRequest& request, TuningFile& file) {
  gpu::require_device();
  const Deadline deadline(request.seconds);
  Tuner tuner(deadline);
  std::size_t done = 0;
  std::size_t seen = 0;
  for (const Case& work : request.cases) {
    if (request.stop() || deadline.has_passed()) break;
    request.begin(seen++, work);
    if (file.holds(work, tuner.gpu())) {
      ++done;
      continue;
    }
    try {
      const std::optional<std::vector<Entry>> entries = tuner.entries_of(work);
      if (!entries) break;
      file.add(*entries);
      tuning::reload();  // so that the next ones are compared with it
      for (const Entry& entry : *entries) request.show(entry);
      ++done;
    } catch (const CudaError&) {
      throw;
    } catch (const IoError&) {
      throw;
    } catch (const Error& error) {
      request.skip(work, error.what());
    }
  }
  return done;
}

}  // namespace warpwise::bench
