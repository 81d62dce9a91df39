#pragma once

#include <array>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "warpwise/base/enum_names.hpp"
#include "warpwise/base/error.hpp"
#include "warpwise/lab/study/table/study_table.hpp"

// Reads the JSON of a table: functions that the readers of all parts share.
namespace warpwise::lab {

/// Names that tables must not use, because they have a meaning already: variables of expressions
/// (variables_of(), and blocks_per_sm), and axes.
inline constexpr std::array<std::string_view, 15> reserved_names = {"width",
                                                                    "height",
                                                                    "sizes",
                                                                    "blocks",
                                                                    "block_x",
                                                                    "block_y",
                                                                    "block_z",
                                                                    "blocks_per_sm",
                                                                    "multiprocessors",
                                                                    "max_shared_bytes",
                                                                    "max_linear_texels",
                                                                    "cc",
                                                                    "sm_percent",
                                                                    "neighbour_percent",
                                                                    "transfer"};
/// Endings of the names of variables that each operand has in expressions: src_pitch, src_offset.
inline constexpr std::array<std::string_view, 2> reserved_endings = {"_pitch", "_offset"};
bool is_reserved(std::string_view name);

/// Reads the fields of one object of a table. Every error message has the object's place. Members
/// throw InvalidArgument if a value has another type, or if a value without a default is missing.
class Fields {
 public:
  using Json = nlohmann::json;

  /// \param object  the object, which has to outlive this reader
  /// \param place   the object's place: "FOLDER/ladder.json, rung 1 \"NAME\""
  Fields(const Json& object, std::string place);

  [[noreturn]] void fail(const std::string& why) const;

  /// Refuses unknown fields, because a misspelt field would be ignored otherwise.
  void require_known(std::span<const std::string> known) const;

  bool has(const char* key) const { return object_.contains(key); }
  const Json& at(const char* key) const;
  std::string inside(const char* key) const;

  /// Runs a function, and adds the object's place to its error messages.
  template <class Call>
  auto within(const Call& call) const {
    try {
      return call();
    } catch (const InvalidArgument& error) {
      throw InvalidArgument(place_ + ": " + error.what());
    }
  }

  /// Reads a text. A long text may be a list of texts in JSON, which are joined by spaces.
  std::string text(const char* key) const;
  std::string text(const char* key, const std::string& otherwise) const;
  /// Reads true or false; a missing field means false.
  bool truth(const char* key) const;
  /// Reads a time or a speed-up, which must be above 0. Returns nothing if the field is missing.
  std::optional<double> positive(const char* key) const;
  const Json& list(const char* key) const;
  std::vector<std::string> texts(const char* key) const;
  /// Throws if a value is not in `names`. The message lists the names.
  void require_one_of(const char* key, std::string_view value,
                      std::span<const std::string_view> names) const;
  /// Returns the enumerator in `choices` whose name is `value`.
  template <class Choices>
  auto one_of(const char* key, std::string_view value, const Choices& choices) const {
    std::vector<std::string_view> names;
    for (const auto choice : choices) names.push_back(name_of(choice));
    require_one_of(key, value, names);
    return *value_named<typename Choices::value_type>(value);
  }

  /// Reads a list of whole numbers, each at least `least`.
  std::vector<std::int64_t> numbers(const Json& list, const char* key, std::int64_t least) const;

  /// Reads an expression: a text or a number. Unknown names are found when it is evaluated.
  std::string expression(const Json& value, const char* key) const;
  std::string expression_or(const char* key, const std::string& otherwise) const;
  void require_expression(const std::string& text, const char* key) const;
  /// Reads one to three expressions. Returns none if the field is missing.
  std::vector<std::string> expressions(const char* key) const;

  ladders::Variables variables(const char* key) const;
  void read_variables(const Json& object, const char* key, ladders::Variables& result) const;

  Size size(const Json& value, const char* key) const;
  std::vector<Size> sizes(const Json& list, const char* key) const;
  std::vector<emulator::Dim3> blocks(const Json& list, const char* key) const;

  std::map<std::string, std::string> text_by_text(const char* key) const;

  /// Checks that a name has only letters, digits and _, and does not begin with a digit.
  void require_name(const std::string& name, const char* what) const;
  /// Checks a name as require_name() does, and also that it is not reserved for expressions.
  void require_free_name(const std::string& name, const char* what) const;

 private:
  std::string number_or_text(const Json& value, const char* key) const;

  const Json& object_;
  std::string place_;
};

/// Parses JSON. Refuses an object that has a name twice, and nesting that would exhaust the stack.
/// \param place  place for error messages
/// \throws InvalidArgument, nlohmann::json::exception
nlohmann::json parse_strictly(std::string_view text, const std::string& place);

}  // namespace warpwise::lab
