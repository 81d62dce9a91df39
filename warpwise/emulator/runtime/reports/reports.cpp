#include "warpwise/emulator/runtime/reports/reports.hpp"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <map>
#include <mutex>
#include <set>
#include <string_view>
#include <utility>

#include "warpwise/base/error.hpp"
#include "warpwise/emulator/device_checks.hpp"
#include "warpwise/emulator/engine_names.hpp"
#include "warpwise/emulator/readable.hpp"
#include "warpwise/emulator/runtime/code/registry.hpp"
#include "warpwise/emulator/runtime/fork_locks.hpp"
#include "warpwise/emulator/runtime/reports/explain_record.hpp"
#include "warpwise/emulator/runtime/reports/fidelity_report.hpp"
#include "warpwise/emulator/runtime/reports/interruption.hpp"
#include "warpwise/emulator/runtime/reports/known_places.hpp"
#include "warpwise/emulator/runtime/reports/message_text.hpp"
#include "warpwise/emulator/runtime/reports/program_name.hpp"
#include "warpwise/emulator/runtime/reports/report_files.hpp"
#include "warpwise/emulator/suppressions.hpp"

namespace warpwise::emulator::runtime {
namespace {

namespace fs = std::filesystem;

// With a requested report, no program returns 0 after a refusal, even if it ignored the error.
constexpr int refusal_exit_code = 1;

// Maximum of WARPWISE_EMULATED_ORDERS. Each launch runs that many times, each time with another
// order of its threads, so more runs would take too long.
constexpr int most_orders = 1000;

constexpr int longest_time_limit = 1'000'000;  // seconds: eleven days
constexpr int most_multiprocessors = 1024;     // the largest GPUs have fewer than 200

// Output on standard error: none, each fault at once, or also a summary at the end.
enum class Messages { none, faults, all };
constexpr auto enum_names(Messages) {
  return std::to_array<EnumName<Messages>>(
      {{Messages::none, "none"}, {Messages::faults, "faults"}, {Messages::all, "all"}});
}

// Prints with one write(), so that lines of several processes do not mix.
void say(const std::string& text) {
  const std::string line = "warpwise: " + text + "\n";
  [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, line.data(), line.size());
}

// Ends the program before it begins, because nobody would notice that an option is ignored.
[[noreturn]] void refuse(const char* variable, std::string_view text, const std::string& needs) {
  say(std::string(variable) + " got '" + std::string(text) + "', it needs " + needs);
  ::_exit(2);
}

template <class Enum>
Enum choice(const char* variable) {
  const char* const text = std::getenv(variable);
  if (text == nullptr) return Enum{};
  const auto value = value_named<Enum>(text);
  if (value) return *value;
  std::string names;
  for (const auto each : all_values<Enum>())
    names += (names.empty() ? "" : ", ") + std::string(name_of(each));
  refuse(variable, text, "one of " + names);
}

Checks checks() {
  constexpr const char* variable = "WARPWISE_EMULATED_CHECK";
  const char* const text = std::getenv(variable);
  if (text == nullptr) return {};
  try {
    return parse_checks(text);
  } catch (const InvalidArgument& error) {
    refuse(variable, text, std::string("a list of checks: ") + error.what());
  }
}

template <class Integer>
Integer integer(const char* variable, Integer unset, Integer least, Integer most) {
  const char* const text = std::getenv(variable);
  if (text == nullptr) return unset;
  Integer value{};
  const char* const end = text + std::strlen(text);
  const auto [stop, error] = std::from_chars(text, end, value);
  if (error != std::errc() || stop != end || value < least || value > most) {
    refuse(variable, text,
           "an integer from " + std::to_string(least) + " to " + std::to_string(most));
  }
  return value;
}

bool is_set(const char* variable) {
  const char* const text = std::getenv(variable);
  if (text == nullptr || std::string_view(text) == "0") return false;
  if (std::string_view(text) != "1") refuse(variable, text, "0 or 1");
  return true;
}

Suppressions suppressions() {
  constexpr const char* variable = "WARPWISE_EMULATED_SUPPRESSIONS";
  const char* const file = std::getenv(variable);
  if (file == nullptr || *file == 0) return {};
  std::ifstream in(file, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  if (!in.is_open() || in.bad()) refuse(variable, file, "a file that can be read");
  try {
    return Suppressions(text);
  } catch (const InvalidArgument& error) {
    refuse(variable, file, std::string("a file of suppressions: ") + error.what());
  }
}

// Returns the file that a variable names, and removes the variable, because child programs would
// overwrite the file.
fs::path taken_file(const char* variable) {
  const char* const text = std::getenv(variable);
  if (text == nullptr || *text == 0) return {};
  std::error_code ignored;
  const fs::path file = fs::weakly_canonical(fs::absolute(text, ignored), ignored);
  ::unsetenv(variable);
  return file;
}

// Returns this process's own file in the folder where `warpwise run` gathers reports.
fs::path gathered_file() {
  const char* const folder = std::getenv("WARPWISE_EMULATED_GATHER");
  if (folder == nullptr || *folder == 0) return {};
  // The time in the name sorts the files by the processes' starts.
  const auto now = std::chrono::system_clock::now().time_since_epoch().count();
  std::string name =
      (fs::path(folder) / (std::to_string(now) + "-" + std::to_string(::getpid()) + "-XXXXXX"))
          .string();
  const int file = ::mkstemp(name.data());
  if (file < 0) {
    say("no report can be written to " + std::string(folder) + ": " + std::strerror(errno));
    return {};
  }
  ::close(file);
  return name;
}

/// Adds a fault. If `all` has a fault of the same kind and place, only raises its count.
void add_suppressed(std::vector<SuppressedFault>& all, const Fault& fault,
                    const std::string& reason) {
  for (SuppressedFault& known : all) {
    if (known.fault.kind != fault.kind || known.fault.file != fault.file ||
        known.fault.line != fault.line || known.fault.called_from != fault.called_from)
      continue;
    known.fault.count += fault.count;
    return;
  }
  all.push_back({fault, reason});
}

int conclude_reports(const std::string& why, bool is_time_limit);

class Reports {
 public:
  Reports() {
    std::error_code ignored;
    keep_free_in_children(mutex_);
    report_.program = name_of_program();
    report_.folder = fs::current_path(ignored);
    if (!is_asked_for()) return;
    write_files();
    ::on_exit([](int status, void* own) { static_cast<Reports*>(own)->end(status); }, this);
    if (!record_.empty()) ::pthread_atfork(nullptr, nullptr, begin_in_child);
    end_at_interruption(time_limit_, conclude_reports);
  }

  Checks asked_for() const { return checks_; }
  int multiprocessors(int otherwise) const {
    return multiprocessors_ > 0 ? multiprocessors_ : otherwise;
  }
  bool keeps_going() const { return keeps_going_; }
  Engine engine() const { return engine_; }
  int orders() const { return orders_; }
  std::uint64_t order_seed() const { return order_seed_; }

  bool says_fidelity() const { return messages_ == Messages::all || fidelity_; }

  bool is_suppressed(const std::string& kernel, const Fault& fault) const {
    return suppressions_.covering(kernel, fault) || (!reports_known_ && why_known(kernel, fault));
  }

  void take_suppressed(const std::string& kernel, LaunchResult& result) {
    if (result.faults.empty()) return;
    const std::lock_guard lock(mutex_);
    KernelReport& own = report_of(kernel);
    std::erase_if(result.faults, [&](const Fault& fault) {
      const auto known = suppressions_.covering(kernel, fault);
      const std::optional<std::string> why = known            ? reason(*known)
                                             : reports_known_ ? std::nullopt
                                                              : why_known(kernel, fault);
      if (why) add_suppressed(own.suppressed, fault, *why);
      return why.has_value();
    });
  }

  void launched(const std::string& kernel, double seconds, const LaunchResult& result) {
    std::vector<Fault> faults = result.faults;
    for (Fault& each : faults) {
      if (each.kind == FaultKind::interrupted) each.message = why_interrupted();
    }
    const std::lock_guard lock(mutex_);
    if (!is_asked_for()) {
      for (const Fault& each : faults) say_unasked(describe(readable(kernel), each));
      return;
    }
    KernelReport& own = report_of(kernel);
    own.launches += 1;
    own.seconds += seconds;
    own.faults.insert(own.faults.end(), faults.begin(), faults.end());
    add_uses(own.modelled, result.modelled);
    own.order_rounding = std::max(own.order_rounding, result.order_rounding);
    own.orders_not_compared |= result.orders_not_compared;
    for (const Fault& each : faults) found(describe(own.name, each));
    // Writes the files early, so that a killed program leaves a report of at least its kernels.
    if (own.launches == 1 || !faults.empty()) write_files();
  }

  void host_fault(FaultKind kind, const CallSite& site, const std::string& message,
                  const std::string& kernel) {
    if (!is_asked_for()) return;
    const ProgramPlace place = site.is_known() ? site.place(kernel) : ProgramPlace();
    HostFault fault{kind, site.function(), place.source, "", message};
    if (site.is_known()) fault.place = place.text();
    const std::lock_guard lock(mutex_);
    // Drops a fault that repeats a known one: the same kind, function and place. A place that is
    // one call keeps one such fault, whatever the messages. Two kinds of place may stand for many
    // calls, so their faults are dropped only if the messages are equal too:
    //
    // - a line of Python, because a pytest fixture's line runs in many tests
    // - a place without a source line
    //
    // Leaks and unchecked launches are reported at the end, always once for each place.
    const bool has_own_line = !fault.source.file.empty() && !site.is_in_python();
    const bool is_one_call =
        has_own_line || kind == FaultKind::leak || kind == FaultKind::unchecked_launch;
    const auto is_same = [&](const HostFault& known) {
      return known.kind == kind && known.place == fault.place && known.function == fault.function &&
             !fault.place.empty() && (is_one_call || known.message == message);
    };
    for (const auto* known : {&report_.host_faults, &report_.suppressed_host_faults}) {
      if (std::ranges::any_of(*known, is_same)) return;
    }
    Fault as_any;
    as_any.kind = kind;
    as_any.file = fault.source.file;
    as_any.line = fault.source.line;
    as_any.functions = {fault.function};
    if (const auto suppressed = suppressions_.covering("", as_any)) {
      fault.suppressed_because = reason(*suppressed);
      report_.suppressed_host_faults.push_back(std::move(fault));
      return;
    }
    found(describe(fault));
    report_.host_faults.push_back(std::move(fault));
    write_files();
  }

  void at_end(void (*last_look)()) { last_looks_.push_back(last_look); }

  void refused(const std::string& kernel, const std::string& why) {
    const std::lock_guard lock(mutex_);
    any_refused_ = true;
    KernelReport& own = report_of(kernel);
    if (!own.refusal.empty()) return;
    own.refusal = why;
    const std::string text = "kernel " + shortened(own.name) + " was not run: " + why;
    if (!is_asked_for()) return say_unasked(text);
    refused_in_ = ::getpid();
    found(text);
    write_files();
  }

  bool any_refused() const { return any_refused_; }

  void error(const std::string& name, const std::string& text) {
    if (messages_ != Messages::all) return;
    const std::lock_guard lock(mutex_);
    if (errors_.insert(text).second) say(name + ": " + text);
  }

  /// Concludes the reports of a program that is ended from outside. Returns its exit code.
  int conclude(const std::string& why, bool is_time_limit) {
    const std::lock_guard lock(mutex_);
    const int code = error_exit_code_ != 0 ? error_exit_code_ : 1;
    if (std::exchange(ended_, true)) return code;
    const bool is_told = std::ranges::any_of(report_.kernels, [](const KernelReport& kernel) {
      return std::ranges::any_of(
          kernel.faults, [](const Fault& each) { return each.kind == FaultKind::interrupted; });
    });
    if (is_time_limit && !is_told) {
      report_.host_faults.push_back({FaultKind::interrupted, "", {}, "", why});
      found(describe(report_.host_faults.back()));
    }
    say_end();
    write_explain_record();
    return code;
  }

  // Prints nothing, because registry.cpp has printed the message.
  void call_not_run(const std::string& function) {
    if (!is_asked_for()) return;
    const std::lock_guard lock(mutex_);
    report_.calls_not_run.push_back(function);
    found_in_ = refused_in_ = ::getpid();
    write_files();
  }

  void skipped(const std::string& kernel) {
    if (!is_asked_for()) return;
    const std::lock_guard lock(mutex_);
    const std::size_t before = report_.kernels.size();
    report_of(kernel);
    if (report_.kernels.size() != before) write_files();
  }

  bool is_asked_for() const {
    return time_limit_ != 0 || messages_ != Messages::none || fidelity_ || error_exit_code_ != 0 ||
           !junit_.empty() || !sarif_.empty() || !record_.empty();
  }

 private:
  // A forked child that launches kernels begins a report of its own, without the parent's content.
  static void begin_in_child();
  void begin_again() {
    report_.kernels.clear();
    report_.host_faults.clear();
    report_.suppressed_host_faults.clear();
    report_.calls_not_run.clear();
    used_.clear();
    process_ = ::getpid();
    record_ = gathered_file();
  }

  KernelReport& report_of(const std::string& kernel) {
    std::string name = readable(kernel);
    const auto known = std::find_if(report_.kernels.begin(), report_.kernels.end(),
                                    [&](const KernelReport& each) { return each.name == name; });
    if (known != report_.kernels.end()) return *known;
    report_.kernels.emplace_back().name = std::move(name);
    return report_.kernels.back();
  }

  // Prints a kernel's fault without a request too: the program gets only CUDA's message.
  void say_unasked(const std::string& text) const {
    if (std::getenv("WARPWISE_EMULATED_MESSAGES") == nullptr) say(text);
  }

  void found(const std::string& text) {
    found_in_ = ::getpid();
    if (messages_ != Messages::none) say(text);
  }

  const std::string& reason(std::size_t suppression) {
    used_.insert(suppression);
    return suppressions_.all()[suppression].reason;
  }

  std::vector<std::string> unused_suppressions() const {
    std::vector<std::string> all;
    for (std::size_t i = 0; i < suppressions_.all().size(); ++i) {
      const Suppression& each = suppressions_.all()[i];
      if (!used_.contains(i))
        all.push_back("line " + std::to_string(each.line) +
                      " of the suppressions covered no fault: " + each.text);
    }
    return all;
  }

  // Returns false in a forked child, which must leave the parent's reports and files alone.
  bool is_own_process() const { return ::getpid() == process_; }

  void write_files() {
    if (!is_own_process()) return;
    if (!junit_.empty()) write(junit_, junit_of(report_));
    if (!sarif_.empty()) write(sarif_, sarif_of(report_));
    if (!record_.empty()) write(record_, record_of(report_, has_ended_, unused_suppressions()));
  }

  // Writes a new file and renames it, so that a killed program leaves a complete file.
  void write(fs::path& file, const std::string& text) {
    std::error_code error;
    const fs::file_status there = fs::status(file, error);
    if (fs::exists(there) && !fs::is_regular_file(there)) {
      say(file.string() + " is no regular file: no report is written");
      file.clear();
      return;
    }
    fs::path beside = file;
    beside += ".tmp" + std::to_string(process_);
    errno = 0;
    std::ofstream out(beside, std::ios::binary);
    out << text;
    out.close();
    const int reason = errno;
    if (out) {
      fs::rename(beside, file, error);
      if (!error) return;
    }
    say(file.string() + " cannot be written: " + (out ? error.message() : std::strerror(reason)));
    fs::remove(beside, error);
    file.clear();  // report the error once
  }

  void end(int status) {
    for (const auto& look : last_looks_) {
      if (is_own_process()) look();
    }
    {
      std::unique_lock lock(mutex_);
      if (is_own_process()) {
        if (std::exchange(ended_, true)) {
          lock.unlock();
          for (;;) ::pause();  // conclude() has run first: its caller ends the process
        }
        say_end();
      }
    }
    // std::exit() here runs the remaining exit handlers with this status, as glibc defines.
    if (status == 0 && error_exit_code_ != 0 && found_in_ == ::getpid())
      std::exit(error_exit_code_);
    if (status == 0 && refused_in_ == ::getpid()) std::exit(refusal_exit_code);
  }

  void say_end() {
    has_ended_ = true;
    write_files();
    if (fidelity_ && (record_.empty() || !report_.is_empty()))
      say(fidelity_text(report_));
    else if (messages_ == Messages::all && report_.launches() > 0)
      say(fidelity_line(report_, checks_));
    if (messages_ != Messages::all) return;
    if (orders_ > 1) say_orders();
    if (!record_.empty()) return;  // the command prints the rest, for all processes
    for (const std::string& each : unused_suppressions()) say(each);
    say(summary_of(report_));
  }

  void say_orders() const {
    for (const KernelReport& each : report_.kernels) {
      if (each.orders_not_compared)
        say("kernel " + each.name +
            " allocates from the device heap (malloc or new): its results in other orders were not "
            "compared");
      if (each.order_rounding == 0) continue;
      char share[32];
      std::snprintf(share, sizeof(share), "%.1g", each.order_rounding);
      say("kernel " + each.name +
          ": floating-point sums of atomics round differently in other "
          "orders, by up to " +
          share + " of the largest; this is no fault");
    }
  }

  const Checks checks_ = checks();
  const Suppressions suppressions_ = suppressions();
  std::set<std::size_t> used_;  ///< indices of used suppressions
  const Messages messages_ = choice<Messages>("WARPWISE_EMULATED_MESSAGES");
  const bool fidelity_ = is_set("WARPWISE_EMULATED_FIDELITY");
  const int error_exit_code_ = integer("WARPWISE_EMULATED_ERROR_EXITCODE", 0, 0, 255);
  const bool reports_known_ = is_set("WARPWISE_EMULATED_REPORT_KNOWN");
  const bool keeps_going_ = is_set("WARPWISE_EMULATED_KEEP_GOING");
  const int time_limit_ = integer("WARPWISE_EMULATED_TIME_LIMIT", 0, 1, longest_time_limit);
  const int multiprocessors_ = integer("WARPWISE_EMULATED_SMS", 0, 1, most_multiprocessors);
  const Engine engine_ = choice<Engine>("WARPWISE_EMULATED_ENGINE");
  const int orders_ = integer("WARPWISE_EMULATED_ORDERS", 1, 1, most_orders);
  const std::uint64_t order_seed_ = integer<std::uint64_t>(
      "WARPWISE_EMULATED_SEED", 1, 0, std::numeric_limits<std::uint64_t>::max());
  fs::path junit_ = taken_file("WARPWISE_EMULATED_JUNIT");
  fs::path sarif_ = taken_file("WARPWISE_EMULATED_SARIF");
  fs::path record_ = gathered_file();
  pid_t process_ = ::getpid();
  bool has_ended_ = false;  ///< the record covers the program's end
  pid_t found_in_ = 0;      ///< process with a finding
  pid_t refused_in_ = 0;    ///< process with a refusal
  bool ended_ = false;      ///< the end was reported
  std::atomic<bool> any_refused_ = false;
  std::set<std::string> errors_;  ///< errors already printed
  std::vector<void (*)()> last_looks_;
  std::mutex mutex_;
  RunReport report_;
};

Reports& reports() {
  // Never destroyed, because the program's static objects may still launch.
  static Reports& instance = *new Reports;
  return instance;
}

void Reports::begin_in_child() { reports().begin_again(); }

int conclude_reports(const std::string& why, bool is_time_limit) {
  return reports().conclude(why, is_time_limit);
}

// Made before main(), so that programs without launches are reported too, with their start folder.
[[maybe_unused]] const Reports& reports_begun = reports();

}  // namespace

int multiprocessors_asked_for(int otherwise) { return reports().multiprocessors(otherwise); }

bool keeps_going() { return reports().keeps_going(); }

Engine engine_asked_for() { return reports().engine(); }

int orders_asked_for() { return reports().orders(); }

std::uint64_t order_seed_asked_for() { return reports().order_seed(); }

Checks checks_asked_for() { return reports().asked_for(); }

bool fidelity_is_reported() { return reports().says_fidelity(); }

void note_launch(const std::string& kernel, double seconds, const LaunchResult& result) {
  reports().launched(kernel, seconds, result);
}

void take_suppressed(const std::string& kernel, LaunchResult& result) {
  reports().take_suppressed(kernel, result);
}

bool is_suppressed(const std::string& kernel, const Fault& fault) {
  return reports().is_suppressed(kernel, fault);
}

void note_host_fault(FaultKind kind, const CallSite& site, const std::string& message,
                     const std::string& kernel) {
  reports().host_fault(kind, site, message, kernel);
}

void at_end(void (*last_look)()) { reports().at_end(last_look); }

bool is_reported() { return reports().is_asked_for(); }

void note_refusal(const std::string& kernel, const std::string& why) {
  reports().refused(kernel, why);
  count_as_written(emulated().device);
}

bool any_kernel_was_refused() { return reports().any_refused(); }

namespace {

struct ErrorListeners {
  std::mutex mutex;
  std::map<const void*, std::function<void(const std::string&)>> all;
};
ErrorListeners& error_listeners() {
  static ErrorListeners& listeners = *new ErrorListeners;
  return listeners;
}

}  // namespace

void add_error_listener(const void* key, std::function<void(const std::string&)> listener) {
  ErrorListeners& listeners = error_listeners();
  const std::lock_guard lock(listeners.mutex);
  listeners.all[key] = std::move(listener);
}

void remove_error_listener(const void* key) {
  ErrorListeners& listeners = error_listeners();
  const std::lock_guard lock(listeners.mutex);
  listeners.all.erase(key);
}

void note_error(const std::string& name, const std::string& text) {
  reports().error(name, text);
  std::unique_lock lock(error_listeners().mutex);
  const auto listeners = error_listeners().all;
  lock.unlock();  // a listener may wait for another thread
  for (const auto& [key, listener] : listeners) listener(name + ": " + text);
}

void note_call_not_run(const std::string& function) { reports().call_not_run(function); }

void note_skipped(const std::string& kernel) { reports().skipped(kernel); }

}  // namespace warpwise::emulator::runtime
