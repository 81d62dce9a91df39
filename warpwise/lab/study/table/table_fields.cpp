#include "warpwise/lab/study/table/table_fields.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <limits>
#include <set>

#include "warpwise/lab/study/table/expression.hpp"
#include "warpwise/lab/study/table/suggestion.hpp"

namespace warpwise::lab {
namespace {

using Json = nlohmann::json;

// Largest length of a side. It ensures that no product of two sides overflows.
constexpr std::int64_t longest_side = std::numeric_limits<std::int32_t>::max();

// Returns a whole number, or nothing if the value is not whole or does not fit into 64 signed bits.
std::optional<std::int64_t> whole(const Json& value) {
  constexpr auto greatest = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  if (!value.is_number_integer()) return std::nullopt;
  if (value.is_number_unsigned() && value.get<std::uint64_t>() > greatest) return std::nullopt;
  return value.get<std::int64_t>();
}

// Returns a text. JSON may have it as a list of lines, which are joined by spaces.
std::optional<std::string> joined(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (!value.is_array() || value.empty()) return std::nullopt;
  std::string text;
  for (const Json& each : value) {
    if (!each.is_string()) return std::nullopt;
    text += (text.empty() ? "" : " ") + each.get<std::string>();
  }
  return text;
}

std::string shown(const Json& value) {
  const std::string text = value.dump();
  constexpr std::size_t enough = 40;
  return text.size() <= enough ? text : text.substr(0, enough) + "...";
}

}  // namespace

bool is_reserved(std::string_view name) {
  return std::find(reserved_names.begin(), reserved_names.end(), name) != reserved_names.end() ||
         std::any_of(reserved_endings.begin(), reserved_endings.end(),
                     [&](std::string_view ending) { return name.ends_with(ending); });
}

Fields::Fields(const Json& object, std::string place) : object_(object), place_(std::move(place)) {
  if (!object.is_object()) fail("is no object");
}

void Fields::fail(const std::string& why) const { throw InvalidArgument(place_ + " " + why); }

void Fields::require_known(std::span<const std::string> known) const {
  for (const auto& [key, value] : object_.items()) {
    if (std::find(known.begin(), known.end(), key) == known.end()) {
      fail(fmt::format("has the unknown field \"{}\"{}", key, suggestion(key, known)));
    }
  }
}

const Json& Fields::at(const char* key) const {
  if (!has(key)) fail(fmt::format("lacks the field \"{}\"", key));
  return object_.at(key);
}

std::string Fields::inside(const char* key) const { return fmt::format("{}, \"{}\"", place_, key); }

std::string Fields::text(const char* key) const {
  const std::optional<std::string> text = joined(at(key));
  if (!text) fail(fmt::format("has a \"{}\" that is no text", key));
  return *text;
}

std::string Fields::text(const char* key, const std::string& otherwise) const {
  return has(key) ? text(key) : otherwise;
}

bool Fields::truth(const char* key) const {
  if (!has(key)) return false;
  if (!at(key).is_boolean()) fail(fmt::format("has a \"{}\" that is neither true nor false", key));
  return at(key).get<bool>();
}

std::optional<double> Fields::positive(const char* key) const {
  if (!has(key)) return std::nullopt;
  if (!at(key).is_number() || !(at(key).get<double>() > 0)) {
    fail(fmt::format("has a \"{}\" that is no number above 0", key));
  }
  return at(key).get<double>();
}

const Json& Fields::list(const char* key) const {
  if (!at(key).is_array()) fail(fmt::format("has a \"{}\" that is no list", key));
  return at(key);
}

std::vector<std::string> Fields::texts(const char* key) const {
  std::vector<std::string> result;
  if (!has(key)) return result;
  for (const Json& each : list(key)) {
    if (!each.is_string()) fail(fmt::format("has a \"{}\" that is no list of texts", key));
    result.push_back(each.get<std::string>());
  }
  return result;
}

void Fields::require_one_of(const char* key, std::string_view value,
                            std::span<const std::string_view> names) const {
  if (std::find(names.begin(), names.end(), value) != names.end()) return;
  fail(fmt::format("has the \"{}\" \"{}\"; there are {}", key, value, fmt::join(names, ", ")));
}

std::vector<std::int64_t> Fields::numbers(const Json& list, const char* key,
                                          std::int64_t least) const {
  std::vector<std::int64_t> result;
  if (!list.is_array()) fail(fmt::format("has a \"{}\" that is no list of numbers", key));
  for (const Json& each : list) {
    const std::optional<std::int64_t> value = whole(each);
    if (!value || *value < least) {
      fail(fmt::format("has a \"{}\" with {} in it, where whole numbers from {} on are expected",
                       key, shown(each), least));
    }
    result.push_back(*value);
  }
  return result;
}

std::string Fields::expression(const Json& value, const char* key) const {
  std::string text = number_or_text(value, key);
  require_expression(text, key);
  return text;
}

std::string Fields::expression_or(const char* key, const std::string& otherwise) const {
  return has(key) ? expression(at(key), key) : otherwise;
}

void Fields::require_expression(const std::string& text, const char* key) const {
  Fields(object_, inside(key)).within([&] { lab::require_expression(text); });
}

std::vector<std::string> Fields::expressions(const char* key) const {
  std::vector<std::string> result;
  if (!has(key)) return result;
  for (const Json& each : list(key)) result.push_back(expression(each, key));
  if (result.empty() || result.size() > 3) {
    fail(fmt::format("has a \"{}\" of {} expressions; one to three are expected", key,
                     result.size()));
  }
  return result;
}

ladders::Variables Fields::variables(const char* key) const {
  ladders::Variables result;
  if (has(key)) read_variables(at(key), key, result);
  return result;
}

void Fields::read_variables(const Json& object, const char* key, ladders::Variables& result) const {
  if (!object.is_object()) fail(fmt::format("has a \"{}\" that is no object", key));
  for (const auto& [name, value] : object.items()) {
    const std::optional<std::int64_t> number = whole(value);
    if (!number) fail(fmt::format("has a \"{}\" whose \"{}\" is no whole number", key, name));
    result[name] = *number;
  }
}

Size Fields::size(const Json& value, const char* key) const {
  const std::vector<std::int64_t> sides = numbers(value, key, 1);
  if (sides.size() != 2) fail(fmt::format("has a \"{}\" that is not [width, height]", key));
  for (const std::int64_t side : sides) {
    if (side > longest_side) {
      fail(fmt::format("has a \"{}\" with {} in it; at most {} is possible", key, side,
                       longest_side));
    }
  }
  return {sides[0], sides[1]};
}

std::vector<Size> Fields::sizes(const Json& list, const char* key) const {
  std::vector<Size> result;
  if (!list.is_array()) fail(fmt::format("has a \"{}\" that is no list", key));
  for (const Json& each : list) result.push_back(size(each, key));
  if (result.empty()) fail(fmt::format("has an empty list \"{}\"", key));
  return result;
}

std::vector<emulator::Dim3> Fields::blocks(const Json& list, const char* key) const {
  std::vector<emulator::Dim3> blocks;
  if (!list.is_array()) fail(fmt::format("has a \"{}\" that is no list", key));
  for (const Json& each : list) {
    const std::vector<std::int64_t> sides = numbers(each, key, 1);
    std::int64_t threads = 1;
    for (const std::int64_t side : sides)
      threads = side > 1024 || threads > 1024 ? 1025 : threads * side;
    const bool too_deep = sides.size() == 3 && sides[2] > 64;
    if (sides.empty() || sides.size() > 3 || threads > 1024 || too_deep) {
      fail(
          fmt::format("has a \"{}\" with {}: a shape is [x], [x, y] or [x, y, z], of at most "
                      "1024 threads and 64 in z",
                      key, each.dump()));
    }
    const auto side = [&](std::size_t i) {
      return i < sides.size() ? static_cast<std::uint32_t>(sides[i]) : 1U;
    };
    blocks.push_back({side(0), side(1), side(2)});
  }
  if (blocks.empty()) fail(fmt::format("has an empty list of \"{}\"", key));
  return blocks;
}

std::map<std::string, std::string> Fields::text_by_text(const char* key) const {
  std::map<std::string, std::string> result;
  if (!has(key)) return result;
  if (!at(key).is_object()) fail(fmt::format("has a \"{}\" that is no object", key));
  for (const auto& [name, value] : at(key).items()) result[name] = number_or_text(value, key);
  return result;
}

void Fields::require_name(const std::string& name, const char* what) const {
  const auto allowed = [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; };
  if (!name.empty() && std::isdigit(static_cast<unsigned char>(name[0])) == 0 &&
      std::all_of(name.begin(), name.end(), allowed)) {
    return;
  }
  fail(fmt::format(
      "has the {} \"{}\"; a name is made of letters, digits and _, and begins with no digit", what,
      name));
}

void Fields::require_free_name(const std::string& name, const char* what) const {
  require_name(name, what);
  if (!is_reserved(name)) return;
  fail(fmt::format(
      "has the {} \"{}\", a reserved name; reserved are {}, and names that end with {}", what, name,
      fmt::join(reserved_names, ", "), fmt::join(reserved_endings, " or ")));
}

std::string Fields::number_or_text(const Json& value, const char* key) const {
  if (const std::optional<std::int64_t> number = whole(value)) return std::to_string(*number);
  const std::optional<std::string> text = joined(value);
  if (!text) {
    fail(fmt::format("has a \"{}\" that is neither a whole number nor an expression", key));
  }
  return *text;
}

Json parse_strictly(std::string_view text, const std::string& place) {
  constexpr int deepest = 8;
  std::vector<std::set<std::string>> names;
  const auto check = [&](int depth, Json::parse_event_t event, Json& value) {
    const auto fail = [&](const std::string& why) { throw InvalidArgument(place + " " + why); };
    if (depth > deepest) fail("has lists or objects within one another too deeply");
    if (event == Json::parse_event_t::object_start) names.emplace_back();
    if (event == Json::parse_event_t::object_end) names.pop_back();
    if (event == Json::parse_event_t::key &&
        !names.back().insert(value.get<std::string>()).second) {
      fail("has the field \"" + value.get<std::string>() + "\" twice in one object");
    }
    return true;
  };
  return Json::parse(text, check);
}

}  // namespace warpwise::lab
