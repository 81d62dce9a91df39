#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "warpwise/emulator/emulator.hpp"

namespace warpwise::emulator::runtime {

/// A place of the program, as far as the program tells it.
struct ProgramPlace {
  SourcePlace source;    ///< of programs that were compiled with -g
  std::string function;  ///< with its parameters; empty where there are no symbols
  std::string offset;    ///< "my_program+0x1234", which addr2line -e my_program 0x1234 explains

  /// "main.cu:12 in main", or what is known of it.
  std::string text() const;
};

/// Which of CUDA's functions the program has called, and from where. Taking one costs some
/// microseconds; what it says is looked up when it is asked for.
class CallSite {
 public:
  /// Of nowhere.
  CallSite() = default;
  /// Of the call that is being made. Within these libraries any depth may ask.
  static CallSite here();
  /// Of an instruction of the program that a signal has stopped, some time ago.
  /// \param stack  words of its stack, the innermost first
  static CallSite of_signal(const void* program_counter, std::span<const void* const> stack);
  bool is_known() const { return count_ > 0; }
  /// Whether these libraries themselves are what it is of, or what the program has called.
  bool is_in_library() const { return first_of_program() > 0; }
  /// "cudaMalloc"; empty where it is not known.
  std::string function() const;
  /// \param kernel  the readable name of a kernel whose launch it is: its host function is passed
  /// over
  ProgramPlace place(std::string_view kernel = {}) const;
  /// "cudaMalloc called at main.cu:12 in main".
  std::string text() const;
  /// The program's innermost address: the same for the same call.
  const void* address() const;

 private:
  std::size_t first_of_program() const;

  std::array<void*, 16> frames_{};  ///< return addresses, the innermost first
  std::size_t count_ = 0;
};

}  // namespace warpwise::emulator::runtime
