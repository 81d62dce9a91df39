#pragma once

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "warpwise/base/error.hpp"
#include "warpwise/lab/plot/record.hpp"

// Reads the values of a record, and checks their types.
namespace warpwise::lab {

/// A value and its path for error messages. Each function that reads the value throws
/// InvalidArgument if it has another type.
class RecordField {
 public:
  RecordField(const nlohmann::ordered_json& json, std::string place)
      : json_(json), place_(std::move(place)) {}

  [[noreturn]] void fail(const std::string& expected) const {
    throw InvalidArgument(
        fmt::format("{} has to be {}; lab run --out writes such records", place_, expected));
  }

  const nlohmann::ordered_json& object() const {
    if (!json_.is_object()) fail("an object");
    return json_;
  }
  std::optional<RecordField> find(const char* key) const {
    const auto found = object().find(key);
    if (found == json_.end()) return std::nullopt;
    return RecordField(*found, fmt::format("{}, {}", place_, key));
  }
  RecordField at(const char* key) const {
    if (std::optional<RecordField> found = find(key)) return *found;
    throw InvalidArgument(
        fmt::format("{} has no \"{}\"; lab run --out writes such records", place_, key));
  }
  std::vector<RecordField> list() const {
    if (!json_.is_array()) fail("a list");
    std::vector<RecordField> result;
    for (const nlohmann::ordered_json& each : json_) {
      result.emplace_back(each, fmt::format("{}[{}]", place_, result.size()));
    }
    return result;
  }
  std::string text() const {
    if (!json_.is_string()) fail("a text");
    return json_.get<std::string>();
  }
  bool is_null() const { return json_.is_null(); }
  bool truth() const {
    if (!json_.is_boolean()) fail("true or false");
    return json_.get<bool>();
  }
  double number() const {
    if (!json_.is_number()) fail("a number");
    return json_.get<double>();
  }
  double positive() const {
    const double value = number();
    if (!(value > 0)) fail("more than 0");
    return value;
  }
  std::int64_t whole() const {
    constexpr auto greatest = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
    const bool fits = json_.is_number_integer() &&
                      !(json_.is_number_unsigned() && json_.get<std::uint64_t>() > greatest);
    if (!fits) fail("a whole number");
    return json_.get<std::int64_t>();
  }
  template <std::size_t N>
  std::array<std::int64_t, N> sides() const {
    constexpr std::int64_t longest = std::numeric_limits<std::int32_t>::max();
    const std::vector<RecordField> fields = list();
    std::array<std::int64_t, N> result{};
    if (fields.size() != N) fail(fmt::format("{} numbers", N));
    for (std::size_t i = 0; i < N; ++i) {
      result[i] = fields[i].whole();
      if (result[i] < 1 || result[i] > longest) fields[i].fail("a length of at least 1");
    }
    return result;
  }

 private:
  const nlohmann::ordered_json& json_;
  std::string place_;
};

/// Reads median_us, p5_us and p95_us of an object, which are all above 0.
RecordedFigure timing_of(const RecordField& timing);

/// Returns everything that a record says about the machine, as texts.
std::vector<std::pair<std::string, std::string>> machine_of(const RecordField& machine);

}  // namespace warpwise::lab
