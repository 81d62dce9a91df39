#include "bench/gpu_harness.hpp"

#include <random>

namespace warpwise::bench {
namespace {

std::vector<std::function<std::vector<Case>()>>& registry() {
  static std::vector<std::function<std::vector<Case>()>> registrations;
  return registrations;
}

}  // namespace

Registration::Registration(std::function<std::vector<Case>()> cases) {
  registry().push_back(std::move(cases));
}

std::vector<Case> registered_cases() {
  std::vector<Case> cases;
  for (const auto& registration : registry()) {
    for (Case& work : registration()) cases.push_back(std::move(work));
  }
  return cases;
}

std::vector<std::uint8_t> random_bytes(std::int64_t count) {
  std::mt19937_64 random(20261121);
  std::vector<std::uint8_t> bytes(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < bytes.size(); i += 8) {
    const std::uint64_t word = random();
    for (std::size_t b = 0; b < 8 && i + b < bytes.size(); ++b) {
      bytes[i + b] = static_cast<std::uint8_t>(word >> (8 * b));
    }
  }
  return bytes;
}

}  // namespace warpwise::bench
