#include "bench/changes.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "warpwise/base/error.hpp"
#include "warpwise/lab/compile/sources.hpp"
#include "warpwise/lab/measure/samples.hpp"

namespace warpwise::bench {
namespace {

std::vector<lab::Sample> samples_of(const nlohmann::json& kept) {
  const auto us = kept.at("us").get<std::vector<double>>();
  const nlohmann::json& mhz = kept.at("sm_clock_mhz");
  const auto clocks = mhz.is_number() ? std::vector<double>(us.size(), mhz.get<double>())
                                      : mhz.get<std::vector<double>>();
  std::vector<lab::Sample> samples;
  for (std::size_t i = 0; i < us.size(); ++i) samples.push_back({us[i], clocks.at(i)});
  return samples;
}

Case work_of(const nlohmann::json& row) {
  Case work;
  work.primitive = row.at("primitive");
  work.variant = row.at("variant");
  work.implementation = row.at("implementation");
  work.width = row.at("width");
  work.height = row.at("height");
  return work;
}

bool is_same_work(const Case& a, const Case& b) {
  return a.primitive == b.primitive && a.variant == b.variant &&
         a.implementation == b.implementation && a.width == b.width && a.height == b.height;
}

}  // namespace

Recorded::Recorded(const std::filesystem::path& file) : file_(file.string()) {
  const std::optional<std::string> text = lab::read_text(file);
  if (!text) throw IoError(file_ + ": there is no such file, or it cannot be read");
  try {
    const nlohmann::json record = nlohmann::json::parse(*text);
    gpu_ = record.at("machine").at("gpu");
    for (const nlohmann::json& row : record.at("rows")) {
      if (row.at("implementation") != own_name || row.contains("not_timed")) continue;
      entries_.push_back({work_of(row), samples_of(row.at("kept_samples"))});
    }
  } catch (const std::exception& error) {  // bad JSON, a wrong type, or a short list
    throw InvalidArgument(file_ + ": this is no record of warpwise bench --out: " + error.what());
  }
}

void Recorded::require_gpu(const std::string& name) const {
  if (gpu_ == name) return;
  throw InvalidArgument(
      fmt::format("{} was recorded on an {}, and this is an {}: times of two GPUs are not compared",
                  file_, gpu_, name));
}

std::vector<Change> Recorded::changes_to(const Run& run) const {
  std::vector<Change> changes;
  for (const Row& row : run.rows) {
    if (!row.is_ours() || !row.times) continue;
    const auto before = std::find_if(entries_.begin(), entries_.end(), [&](const Entry& entry) {
      return is_same_work(entry.work, row.work);
    });
    if (before == entries_.end()) continue;
    changes.push_back({row.work, lab::summary_of(before->samples).median_us,
                       row.times->cold.median_us,
                       compare(row.times->cold_samples, before->samples)});
  }
  return changes;
}

bool is_regression(const Change& change, double percent) {
  return change.since.is_comparable && change.since.high < 1 / (1 + percent / 100);
}

std::string line_of(const Change& change) {
  return fmt::format(
      "{:10} {:34} {:>5}x{:<5} {:>10.2f} us, recorded {:.2f} us: {:.3f} [{:.3f}, {:.3f}], {}",
      change.work.primitive, change.work.variant, change.work.width, change.work.height,
      change.now_us, change.before_us, change.since.ratio, change.since.low, change.since.high,
      name_of(change.since.verdict));
}

}  // namespace warpwise::bench
