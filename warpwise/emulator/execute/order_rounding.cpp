#include "warpwise/emulator/execute/order_rounding.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <string_view>

#include "warpwise/base/float16.hpp"

namespace warpwise::emulator {
namespace {

constexpr double no_rounding = std::numeric_limits<double>::quiet_NaN();

template <class Number>
double read(const std::byte* at) {
  Number number{};
  std::memcpy(&number, at, sizeof(number));
  return static_cast<double>(to_float(number));
}
template <>
double read<float>(const std::byte* at) {
  float number = 0;
  std::memcpy(&number, at, sizeof(number));
  return number;
}
template <>
double read<double>(const std::byte* at) {
  double number = 0;
  std::memcpy(&number, at, sizeof(number));
  return number;
}

struct SumFormat {
  std::string_view suffix;  ///< suffix of the instruction's type
  std::size_t bytes;
  /// Largest relative difference that counts as rounding: the lower half of a significand's bits
  /// may differ. Rounding alone changes fewer bits: a third of them in sums of thousands of equal
  /// terms.
  double most;
  /// Smallest magnitude of a sum of floats. Smaller values are taken for integers, whose bits give
  /// tiny numbers if they are read as floats.
  double least;
  double (*read)(const std::byte* at);
};
constexpr std::array<SumFormat, 4> formats = {{{".f32", 4, 0x1p-12, 1e-30, read<float>},
                                               {".f64", 8, 0x1p-26, 1e-200, read<double>},
                                               {".bf16", 2, 0x1p-4, 1e-30, read<BFloat16>},
                                               {".f16", 2, 0x1p-5, 0x1p-14, read<Float16>}}};

bool adds(const Code& code, const SumFormat& format) {
  for (std::size_t i = 0; i < code.names.size(); ++i) {
    if (code.classes[i] != InstructionClass::atomic) continue;
    const std::string_view name = code.names[i];
    // ".f16" also matches ".f16x2", whose two halves are summed separately.
    if (name.find(".add") != name.npos && name.find(format.suffix) != name.npos) return true;
  }
  return false;
}

double difference_as(const SumFormat& format, const Difference& found) {
  double largest = 0;
  double most = 0;
  for (std::uint64_t at = 0; at < found.bytes; at += format.bytes) {
    const std::uint64_t bytes = std::min<std::uint64_t>(format.bytes, found.bytes - at);
    if (std::memcmp(found.is.data() + at, found.was.data() + at, bytes) == 0) continue;
    if (bytes < format.bytes) return no_rounding;
    const double is = format.read(found.is.data() + at);
    const double was = format.read(found.was.data() + at);
    if (std::isnan(is) && std::isnan(was)) continue;
    if (!std::isfinite(is) || !std::isfinite(was)) return no_rounding;
    if ((is != 0 && std::abs(is) < format.least) || (was != 0 && std::abs(was) < format.least))
      return no_rounding;
    largest = std::max({largest, std::abs(is), std::abs(was)});
    most = std::max(most, std::abs(is - was));
  }
  if (most == 0) return 0;
  return most <= format.most * largest ? most / largest : no_rounding;
}

}  // namespace

bool adds_floats(const Code& code) {
  return std::ranges::any_of(formats, [&](const SumFormat& format) { return adds(code, format); });
}

double rounding_difference(const Code& code, const Difference& found) {
  for (const SumFormat& format : formats) {
    if (!adds(code, format)) continue;
    const double difference = difference_as(format, found);
    if (!std::isnan(difference)) return difference;
  }
  return no_rounding;
}

}  // namespace warpwise::emulator
