#include "warpwise/emulator/runtime/explain_record.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <tuple>
#include <utility>
#include <vector>

#include "warpwise/emulator/runtime/launch_record.hpp"

namespace warpwise::emulator::runtime {
namespace {

namespace fs = std::filesystem;

// Removes the variable, so that child programs do not overwrite the file.
fs::path taken_file() {
  constexpr const char* variable = "WARPWISE_EMULATED_EXPLAIN";
  const char* const text = std::getenv(variable);
  if (text == nullptr || *text == 0) return {};
  std::error_code ignored;
  const fs::path file = fs::absolute(text, ignored);
  ::unsetenv(variable);
  return file;
}

class ExplainRecord {
 public:
  ExplainRecord() {
    if (!file_.empty())
      ::on_exit([](int, void* own) { static_cast<ExplainRecord*>(own)->write(); }, this);
  }

  bool is_asked_for() const { return !file_.empty(); }

  void add(const std::string& kernel, Dim3 grid, Dim3 block, std::uint64_t shared,
           const std::function<std::string()>& ptx, const LaunchResult& result) {
    const std::lock_guard lock(mutex_);
    const auto known = std::find_if(entries_.begin(), entries_.end(), [&](const Entry& each) {
      return each.kernel == kernel && each.grid == grid && each.block == block &&
             each.result.dynamic_shared_bytes == shared &&
             each.result.lines.size() == result.lines.size();
    });
    if (known != entries_.end()) {
      known->launches += 1;
      add_launch(result, known->result);
      return;
    }
    Entry& own = entries_.emplace_back(Entry{kernel, grid, block, 1, text(ptx()), result});
    own.result.printed.clear();  // the program has printed it
  }

 private:
  struct Entry {
    std::string kernel;
    Dim3 grid;
    Dim3 block;
    std::uint64_t launches = 0;
    std::size_t ptx = 0;  ///< index into texts_
    LaunchResult result;
  };

  std::size_t text(std::string ptx) {
    const auto known = std::find(texts_.begin(), texts_.end(), ptx);
    if (known != texts_.end()) return static_cast<std::size_t>(known - texts_.begin());
    texts_.push_back(std::move(ptx));
    return texts_.size() - 1;
  }

  void write() {
    const std::lock_guard lock(mutex_);
    if (::getpid() != process_) return;
    RecordJson record = {{"format", launch_record_format},
                         {"program", ::program_invocation_short_name},
                         {"ptx", texts_},
                         {"kernels", RecordJson::array()}};
    for (const Entry& each : entries_) {
      record["kernels"].push_back({{"kernel", each.kernel},
                                   {"grid", json_of_dim(each.grid)},
                                   {"block", json_of_dim(each.block)},
                                   {"launches", each.launches},
                                   {"ptx", each.ptx},
                                   {"result", json_of_launch(each.result)}});
    }
    std::ofstream(file_, std::ios::binary)
        << record.dump(-1, ' ', false, RecordJson::error_handler_t::replace);
  }

  const fs::path file_ = taken_file();
  const pid_t process_ = ::getpid();
  std::mutex mutex_;
  std::vector<std::string> texts_;
  std::vector<Entry> entries_;
};

ExplainRecord& record() {
  // Never destroyed: the program's own static objects may still launch.
  static ExplainRecord& instance = *new ExplainRecord;
  return instance;
}

[[maybe_unused]] const ExplainRecord& record_begun = record();

}  // namespace

bool explanation_is_asked_for() { return record().is_asked_for(); }

void record_launch(const std::string& kernel, Dim3 grid, Dim3 block,
                   std::uint64_t dynamic_shared_bytes, const std::function<std::string()>& ptx,
                   const LaunchResult& result) {
  if (record().is_asked_for()) record().add(kernel, grid, block, dynamic_shared_bytes, ptx, result);
}

}  // namespace warpwise::emulator::runtime
