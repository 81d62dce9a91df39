#include "warpwise/emulator/runtime/reports/program_name.hpp"

#include <cerrno>
#include <filesystem>
#include <fstream>

namespace warpwise::emulator::runtime {

std::string name_of_program() {
  const std::string own = ::program_invocation_short_name;
  if (!own.starts_with("python")) return own;
  std::ifstream words("/proc/self/cmdline", std::ios::binary);
  std::string word;
  std::getline(words, word, '\0');
  while (std::getline(words, word, '\0')) {
    if (word == "-") return own;
    if (!word.starts_with("-")) return std::filesystem::path(word).filename();
    if (word == "--check-hash-based-pycs") std::getline(words, word, '\0');
    if (word.starts_with("--")) continue;
    // Several options may share one word: "-Bc", "-Wignore".
    const std::size_t with_value = word.find_first_of("cmWX");
    if (with_value == std::string::npos) continue;
    const char option = word[with_value];
    word.erase(0, with_value + 1);
    if (option == 'c' || (word.empty() && !std::getline(words, word, '\0'))) return own;
    if (option == 'm') return word;
  }
  return own;
}

}  // namespace warpwise::emulator::runtime
