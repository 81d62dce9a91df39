#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "warpwise/emulator/emulator.hpp"

namespace warpwise::emulator::runtime {

/// A place in the program. Members that are not known are empty.
struct ProgramPlace {
  SourcePlace source;    ///< known for programs compiled with -g
  std::string function;  ///< name with parameters; empty without symbols
  std::string offset;    ///< "my_program+0x1234"; addr2line -e my_program 0x1234 resolves it

  /// Returns "main.cu:12 in main", or its known parts.
  std::string text() const;
};

/// The CUDA function that the program has called, and the place of the call. Recording takes some
/// microseconds; symbols are looked up only on request.
class CallSite {
 public:
  /// Makes an unknown site.
  CallSite() = default;
  /// Returns the current call's site. May be called at any depth inside the emulator's libraries.
  static CallSite here();
  /// Returns here(), with the line of Python if Python or one of its packages makes the call. Takes
  /// Python's lock (python_place.hpp). In a CallScope it returns the scope's site.
  static CallSite here_in_python();
  /// Returns the site of a program's instruction that a signal interrupted earlier.
  /// \param stack  words of the thread's stack, the innermost first
  static CallSite of_signal(const void* program_counter, std::span<const void* const> stack);
  bool is_known() const { return count_ > 0; }
  /// Returns true if the place is a line of Python.
  bool is_in_python() const { return python_ != nullptr; }
  /// Returns true if the innermost frame lies in the emulator's libraries. It does during each CUDA
  /// call. A site from of_signal() lies there only if the signal interrupted such a call.
  bool is_in_library() const { return first_of_program() > 0; }
  /// Returns the called function: "cudaMalloc"; empty if unknown.
  std::string function() const;
  /// Returns the place of the call.
  /// \param kernel  for a launch, the kernel's readable name: its host function is skipped
  ProgramPlace place(std::string_view kernel = {}) const;
  /// Returns "cudaMalloc called at main.cu:12 in main".
  std::string text() const;
  /// Returns the innermost return address that lies in the program and not in the emulator's
  /// libraries; null if there is none. It identifies the call in the program's code: each execution
  /// of that call gives the same address.
  const void* address() const;

 private:
  std::size_t first_of_program() const;

  std::array<void*, 16> frames_{};  ///< return addresses, the innermost first
  std::size_t count_ = 0;
  std::shared_ptr<const ProgramPlace> python_;  ///< null outside of Python
};

/// Records the current call's site before a lock is taken. During its lifetime, this thread's
/// here_in_python() does not take Python's lock, because another thread may hold that lock and wait
/// for this thread's lock.
class CallScope {
 public:
  CallScope();
  ~CallScope();
  CallScope(const CallScope&) = delete;
  CallScope& operator=(const CallScope&) = delete;

 private:
  CallSite site_;
};

}  // namespace warpwise::emulator::runtime
