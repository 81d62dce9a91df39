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
#include "warpwise/lab/study/study_table.hpp"

// Reading of a table's JSON: what every part of it shares.
namespace warpwise::lab {

/// Names that expressions have of a run (variables_of(), and blocks_per_sm), and axes of their own.
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
/// So end the names that they have of each operand.
inline constexpr std::array<std::string_view, 2> reserved_endings = {"_pitch", "_offset"};
bool is_reserved(std::string_view name);

/// Reads the fields of one object of a table; every complaint says where it stands. All members
/// throw InvalidArgument for what is not there or is of another kind.
class Fields {
 public:
  using Json = nlohmann::json;

  /// \param object  has to outlive this  \param place  "FOLDER/ladder.json, rung 1 \"NAME\""
  Fields(const Json& object, std::string place);

  [[noreturn]] void fail(const std::string& why) const;

  /// Refuses what nobody reads: a field that is spelt wrongly must not be passed over.
  void require_known(std::span<const std::string> known) const;

  bool has(const char* key) const { return object_.contains(key); }
  const Json& at(const char* key) const;
  std::string inside(const char* key) const;

  /// Calls something, and adds the place to its complaints.
  template <class Call>
  auto within(const Call& call) const {
    try {
      return call();
    } catch (const InvalidArgument& error) {
      throw InvalidArgument(place_ + ": " + error.what());
    }
  }

  /// A text, or a list of texts, which a space joins: for what is too long for a line.
  std::string text(const char* key) const;
  std::string text(const char* key, const std::string& otherwise) const;
  /// False where it is not there.
  bool truth(const char* key) const;
  /// A time or a speedup: above 0.
  std::optional<double> positive(const char* key) const;
  const Json& list(const char* key) const;
  std::vector<std::string> texts(const char* key) const;
  /// Refuses what is none of `names`, and lists them.
  void require_one_of(const char* key, std::string_view value,
                      std::span<const std::string_view> names) const;
  /// The one of `choices`, values of an enum, whose name is `value`.
  template <class Choices>
  auto one_of(const char* key, std::string_view value, const Choices& choices) const {
    std::vector<std::string_view> names;
    for (const auto choice : choices) names.push_back(name_of(choice));
    require_one_of(key, value, names);
    return *value_named<typename Choices::value_type>(value);
  }

  /// Whole numbers from `least` on.
  std::vector<std::int64_t> numbers(const Json& list, const char* key, std::int64_t least) const;

  /// An expression: text as text() takes it, or a number. Whether its names are known is seen when
  /// it is used.
  std::string expression(const Json& value, const char* key) const;
  std::string expression_or(const char* key, const std::string& otherwise) const;
  void require_expression(const std::string& text, const char* key) const;
  /// One to three, or none where the field is not there.
  std::vector<std::string> expressions(const char* key) const;

  ladders::Variables variables(const char* key) const;
  void read_variables(const Json& object, const char* key, ladders::Variables& result) const;

  Size size(const Json& value, const char* key) const;
  std::vector<Size> sizes(const Json& list, const char* key) const;
  std::vector<emulator::Dim3> blocks(const Json& list, const char* key) const;

  std::map<std::string, std::string> text_by_text(const char* key) const;

  /// A name that a user types and a file is called by, or a macro's.
  void require_name(const std::string& name, const char* what) const;
  /// The same of one that expressions shall have: none that they have anyway.
  void require_free_name(const std::string& name, const char* what) const;

 private:
  std::string number_or_text(const Json& value, const char* key) const;

  const Json& object_;
  std::string place_;
};

/// JSON without a name twice in one object and without nesting that exhausts a stack.
/// \param place  of the complaints  \throws InvalidArgument, nlohmann::json::exception
nlohmann::json parse_strictly(std::string_view text, const std::string& place);

}  // namespace warpwise::lab
