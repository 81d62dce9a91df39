#include "warpwise/emulator/runtime/reports/explain_record.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "warpwise/emulator/runtime/code/registry.hpp"
#include "warpwise/emulator/runtime/reports/launch_record.hpp"
#include "warpwise/emulator/runtime/reports/program_name.hpp"

namespace warpwise::emulator::runtime {
namespace {

namespace fs = std::filesystem;

// Returns an environment variable and removes it, so that child programs do not overwrite the file.
std::string taken(const char* variable) {
  const char* const text = std::getenv(variable);
  const std::string value = text == nullptr ? "" : text;
  ::unsetenv(variable);
  return value;
}

fs::path taken_file() {
  const std::string name = taken("WARPWISE_EMULATED_EXPLAIN");
  std::error_code ignored;
  return name.empty() ? fs::path() : fs::absolute(name, ignored);
}

std::optional<SampleModel> taken_model() {
  const RecordJson object = RecordJson::parse(taken("WARPWISE_EMULATED_PACE"), nullptr, false);
  if (!object.is_object()) return std::nullopt;
  return sample_model_of(object);
}

bool is_interrupted(const LaunchResult& result) {
  return std::ranges::any_of(result.faults,
                             [](const Fault& each) { return each.kind == FaultKind::interrupted; });
}

class ExplainRecord {
 public:
  ExplainRecord() {
    if (!file_.empty())
      ::on_exit([](int, void* own) { static_cast<ExplainRecord*>(own)->write(); }, this);
  }

  bool is_asked_for() const { return !file_.empty(); }

  const SampleModel* sample_needed(const std::string& kernel, Dim3 grid, Dim3 block,
                                   std::uint64_t shared) {
    const std::lock_guard lock(mutex_);
    if (!model_) return nullptr;
    const bool is_known = std::ranges::any_of(
        entries_, [&](const Entry& each) { return each.is_of(kernel, grid, block, shared); });
    return is_known ? nullptr : &*model_;
  }

  void add(const std::string& kernel, Dim3 grid, Dim3 block, std::uint64_t shared,
           const std::function<std::string()>& ptx, const LaunchResult& result, RecordJson sample) {
    const std::lock_guard lock(mutex_);
    const auto known = std::ranges::find_if(entries_, [&](const Entry& each) {
      return each.is_of(kernel, grid, block, shared) &&
             each.result.lines.size() == result.lines.size();
    });
    // An interrupted launch is not added to launches that have finished.
    if (known != entries_.end() && is_interrupted(result)) return;
    note(static_cast<std::size_t>(known - entries_.begin()), result.totals.warp_instructions);
    if (known != entries_.end()) {
      known->launches += 1;
      add_launch(result, known->result);
      return;
    }
    Entry& own = entries_.emplace_back(Entry{kernel, grid, block, 1, text(ptx()), result,
                                             std::move(sample), emulated().device.memory().first});
    own.result.printed.clear();  // the program has printed it
  }

  void add(CopyKind what, std::uint64_t bytes) {
    const std::lock_guard lock(mutex_);
    note(name_of(what), bytes);
  }

  void write() {
    const std::lock_guard lock(mutex_);
    if (::getpid() != process_) return;
    RecordJson record = {{"format", launch_record_format},
                         {"program", name_of_program()},
                         {"ptx", texts_},
                         {"kernels", RecordJson::array()},
                         {"timeline", RecordJson::array()}};
    for (const Entry& each : entries_) {
      record["kernels"].push_back({{"kernel", each.kernel},
                                   {"grid", json_of_dim(each.grid)},
                                   {"block", json_of_dim(each.block)},
                                   {"launches", each.launches},
                                   {"ptx", each.ptx},
                                   {"memory_bytes", each.memory_bytes},
                                   {"sample", each.sample},
                                   {"result", json_of_launch(each.result)}});
    }
    for (const Event& each : timeline_)
      record["timeline"].push_back({each.what, each.amount, each.times});
    std::ofstream(file_, std::ios::binary)
        << record.dump(-1, ' ', false, RecordJson::error_handler_t::replace);
  }

 private:
  struct Entry {
    std::string kernel;
    Dim3 grid;
    Dim3 block;
    std::uint64_t launches = 0;
    std::size_t ptx = 0;  ///< index into texts_
    LaunchResult result;
    RecordJson sample;               ///< first launch only
    std::uint64_t memory_bytes = 0;  ///< allocated at the first launch

    bool is_of(const std::string& name, Dim3 grid_, Dim3 block_, std::uint64_t shared) const {
      return kernel == name && grid == grid_ && block == block_ &&
             result.dynamic_shared_bytes == shared;
    }
  };

  /// Consecutive events of one kind and amount.
  struct Event {
    RecordJson what;           ///< index of an entry, or a CopyKind's name
    std::uint64_t amount = 0;  ///< warp instructions or bytes
    std::uint64_t times = 0;
  };

  void note(const RecordJson& what, std::uint64_t amount) {
    if (timeline_.empty() || timeline_.back().what != what || timeline_.back().amount != amount)
      timeline_.push_back({what, amount, 0});
    ++timeline_.back().times;
  }

  std::size_t text(std::string ptx) {
    const auto known = std::find(texts_.begin(), texts_.end(), ptx);
    if (known != texts_.end()) return static_cast<std::size_t>(known - texts_.begin());
    texts_.push_back(std::move(ptx));
    return texts_.size() - 1;
  }

  const fs::path file_ = taken_file();
  const std::optional<SampleModel> model_ = taken_model();
  const pid_t process_ = ::getpid();
  std::mutex mutex_;
  std::vector<std::string> texts_;
  std::vector<Entry> entries_;
  std::vector<Event> timeline_;
};

ExplainRecord& record() {
  // Never destroyed, because the program's static objects may still launch.
  static ExplainRecord& instance = *new ExplainRecord;
  return instance;
}

[[maybe_unused]] const ExplainRecord& record_begun = record();

}  // namespace

bool explanation_is_asked_for() { return record().is_asked_for(); }

const SampleModel* sample_needed(const std::string& kernel, Dim3 grid, Dim3 block,
                                 std::uint64_t dynamic_shared_bytes) {
  if (!record().is_asked_for()) return nullptr;
  return record().sample_needed(kernel, grid, block, dynamic_shared_bytes);
}

void record_launch(const std::string& kernel, Dim3 grid, Dim3 block,
                   std::uint64_t dynamic_shared_bytes, const std::function<std::string()>& ptx,
                   const LaunchResult& result, RecordJson sample) {
  if (!record().is_asked_for()) return;
  record().add(kernel, grid, block, dynamic_shared_bytes, ptx, result, std::move(sample));
}

void write_explain_record() {
  if (record().is_asked_for()) record().write();
}

void record_copy(const void* to, const void* from, std::uint64_t bytes) {
  if (!record().is_asked_for()) return;
  const bool to_gpu = is_device_address(address_of(to));
  const bool from_gpu = is_device_address(address_of(from));
  record().add(to_gpu ? (from_gpu ? CopyKind::within_gpu : CopyKind::to_gpu)
                      : (from_gpu ? CopyKind::from_gpu : CopyKind::of_host),
               bytes);
}

void record_fill(const void* to, std::uint64_t bytes) {
  if (record().is_asked_for() && is_device_address(address_of(to)))
    record().add(CopyKind::fill, bytes);
}

}  // namespace warpwise::emulator::runtime
