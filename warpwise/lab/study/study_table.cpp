#include "warpwise/lab/study/study_table.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>

#include "warpwise/base/error.hpp"
#include "warpwise/lab/compile/sources.hpp"
#include "warpwise/lab/study/expression.hpp"

namespace warpwise::lab {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

// Reads the fields of one object of the table; every complaint says where.
class Fields {
 public:
  Fields(const Json& object, std::string place) : object_(object), place_(std::move(place)) {
    if (!object.is_object()) fail("is no object");
  }

  [[noreturn]] void fail(const std::string& why) const {
    throw InvalidArgument(place_ + " " + why);
  }

  /// Refuses what nobody reads: a field that is spelt wrongly must not be passed over.
  void require_known(const std::vector<std::string>& known) const {
    for (const auto& [key, value] : object_.items()) {
      if (std::find(known.begin(), known.end(), key) == known.end()) {
        fail(fmt::format("has the unknown field \"{}\" (did you mean \"{}\"?)", key,
                         nearest(key, known)));
      }
    }
  }

  bool has(const char* key) const { return object_.contains(key); }
  const Json& at(const char* key) const {
    if (!has(key)) fail(fmt::format("lacks the field \"{}\"", key));
    return object_.at(key);
  }
  std::string inside(const char* key) const { return fmt::format("{}, \"{}\"", place_, key); }

  /// Calls something whose complaints do not say where.
  template <class Call>
  auto within(const Call& call) const {
    try {
      return call();
    } catch (const InvalidArgument& error) {
      throw InvalidArgument(place_ + ": " + error.what());
    }
  }

  std::string text(const char* key) const {
    if (!at(key).is_string()) fail(fmt::format("has a \"{}\" that is no text", key));
    return at(key).get<std::string>();
  }
  std::string text(const char* key, const std::string& otherwise) const {
    return has(key) ? text(key) : otherwise;
  }

  bool truth(const char* key) const {
    if (!has(key)) return false;
    if (!at(key).is_boolean())
      fail(fmt::format("has a \"{}\" that is neither true nor false", key));
    return at(key).get<bool>();
  }

  /// A time or a speedup: above 0.
  std::optional<double> positive(const char* key) const {
    if (!has(key)) return std::nullopt;
    if (!at(key).is_number() || !(at(key).get<double>() > 0)) {
      fail(fmt::format("has a \"{}\" that is no number above 0", key));
    }
    return at(key).get<double>();
  }

  const Json& list(const char* key) const {
    if (!at(key).is_array()) fail(fmt::format("has a \"{}\" that is no list", key));
    return at(key);
  }

  std::vector<std::string> texts(const char* key) const {
    std::vector<std::string> result;
    if (!has(key)) return result;
    for (const Json& each : list(key)) {
      if (!each.is_string()) fail(fmt::format("has a \"{}\" that is no list of texts", key));
      result.push_back(each.get<std::string>());
    }
    return result;
  }

  /// Whole numbers from `least` on.
  std::vector<std::int64_t> numbers(const Json& list, const char* key, std::int64_t least) const {
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

  /// An expression: text, or a number.
  std::string expression(const Json& value, const char* key) const {
    std::string text = number_or_text(value, key);
    require_expression(text, key);
    return text;
  }
  /// Whether its names are known is seen when it is used.
  void require_expression(const std::string& text, const char* key) const {
    Fields(object_, inside(key)).within([&] { lab::require_expression(text); });
  }

  std::vector<std::string> expressions(const char* key) const {
    std::vector<std::string> result;
    if (!has(key)) return result;
    for (const Json& each : list(key)) result.push_back(expression(each, key));
    if (result.empty() || result.size() > 3) {
      fail(fmt::format("has a \"{}\" of {} expressions; one to three are expected", key,
                       result.size()));
    }
    return result;
  }

  ladders::Variables variables(const char* key) const {
    ladders::Variables result;
    if (has(key)) read_variables(at(key), key, result);
    return result;
  }
  void read_variables(const Json& object, const char* key, ladders::Variables& result) const {
    if (!object.is_object()) fail(fmt::format("has a \"{}\" that is no object", key));
    for (const auto& [name, value] : object.items()) {
      const std::optional<std::int64_t> number = whole(value);
      if (!number) fail(fmt::format("has a \"{}\" whose \"{}\" is no whole number", key, name));
      result[name] = *number;
    }
  }

  Size size(const Json& value, const char* key) const {
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
  std::vector<Size> sizes(const char* key) const {
    std::vector<Size> result;
    for (const Json& each : list(key)) result.push_back(size(each, key));
    return result;
  }

  std::map<std::string, std::string> text_by_text(const char* key) const {
    std::map<std::string, std::string> result;
    if (!has(key)) return result;
    if (!at(key).is_object()) fail(fmt::format("has a \"{}\" that is no object", key));
    for (const auto& [name, value] : at(key).items()) result[name] = number_or_text(value, key);
    return result;
  }

  /// A name that a user types and a file is called by, or a macro's.
  void require_name(const std::string& name, const char* what) const {
    const auto allowed = [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; };
    if (!name.empty() && std::isdigit(static_cast<unsigned char>(name[0])) == 0 &&
        std::all_of(name.begin(), name.end(), allowed)) {
      return;
    }
    fail(fmt::format(
        "has the {} \"{}\"; a name is made of letters, digits and _, and begins with no "
        "digit",
        what, name));
  }

 private:
  // So that no product of two overflows.
  static constexpr std::int64_t longest_side = std::numeric_limits<std::int32_t>::max();

  // Nothing where it is none, or does not fit in 64 bits with a sign.
  static std::optional<std::int64_t> whole(const Json& value) {
    constexpr auto greatest = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
    if (!value.is_number_integer()) return std::nullopt;
    if (value.is_number_unsigned() && value.get<std::uint64_t>() > greatest) return std::nullopt;
    return value.get<std::int64_t>();
  }

  std::string number_or_text(const Json& value, const char* key) const {
    if (const std::optional<std::int64_t> number = whole(value)) return std::to_string(*number);
    if (!value.is_string()) {
      fail(fmt::format("has a \"{}\" that is neither a whole number nor an expression", key));
    }
    return value.get<std::string>();
  }

  static std::string shown(const Json& value) {
    const std::string text = value.dump();
    constexpr std::size_t enough = 40;
    return text.size() <= enough ? text : text.substr(0, enough) + "...";
  }

  const Json& object_;
  std::string place_;
};

const std::vector<std::string> launch_fields = {"kernel", "grid", "block", "shared"};
const std::vector<std::string> rung_fields = {
    "name",    "idea",     "file",   "rows",    "constants", "parameters",
    "blocks",  "launches", "kernel", "grid",    "block",     "shared",
    "scratch", "textures", "needs",  "shipped", "document",  "after"};

LaunchRule read_launch(const Fields& fields, const std::string& ladder) {
  LaunchRule rule;
  rule.kernel = fields.text("kernel", ladder);
  rule.grid = fields.expressions("grid");
  rule.block = fields.expressions("block");
  if (fields.has("shared")) rule.shared = fields.expression(fields.at("shared"), "shared");
  if (rule.kernel.empty()) fields.fail("has an empty \"kernel\"");
  if (rule.grid.empty()) fields.fail("lacks the field \"grid\"");
  return rule;
}

std::vector<emulator::Dim3> read_blocks(const Fields& fields) {
  std::vector<emulator::Dim3> blocks;
  if (!fields.has("blocks")) return {{256, 1, 1}};
  for (const Json& each : fields.list("blocks")) {
    const std::vector<std::int64_t> sides = fields.numbers(each, "blocks", 1);
    std::int64_t threads = 1;
    for (const std::int64_t side : sides) threads = side > 1024 ? 1025 : threads * side;
    const bool too_deep = sides.size() == 3 && sides[2] > 64;
    if (sides.empty() || sides.size() > 3 || threads > 1024 || too_deep) {
      fields.fail("has a \"blocks\" with " + each.dump() +
                  ": a shape is [x], [x, y] or [x, y, z], of at most 1024 threads and 64 in z");
    }
    const auto side = [&](std::size_t i) {
      return i < sides.size() ? static_cast<std::uint32_t>(sides[i]) : 1U;
    };
    blocks.push_back({side(0), side(1), side(2)});
  }
  if (blocks.empty()) fields.fail("has an empty list of \"blocks\"");
  return blocks;
}

std::map<std::string, TextureKind> read_textures(const Fields& fields) {
  std::map<std::string, TextureKind> result;
  for (const auto& [operand, kind] : fields.text_by_text("textures")) {
    if (kind != "linear" && kind != "2d") {
      fields.fail(
          fmt::format("has a texture of \"{}\" that is \"{}\"; there are \"linear\" and "
                      "\"2d\"",
                      operand, kind));
    }
    result[operand] = kind == "linear" ? TextureKind::linear : TextureKind::two_dimensional;
  }
  return result;
}

Rung read_rung(const Json& object, const Json& defaults, const std::string& place,
               const std::string& ladder, const fs::path& folder) {
  const Fields own(object, place);
  own.require_known(rung_fields);
  const std::string name = own.text("name");
  own.require_name(name, "name");
  // A list of launches replaces the one that the defaults describe, and the other way round.
  Json merged = defaults;
  for (const std::string& field : launch_fields) {
    if (object.contains(field)) merged.erase("launches");
  }
  merged.update(object);
  const std::string named = fmt::format("{} \"{}\"", place, name);
  const Fields fields(merged, named);
  for (const std::string& field : launch_fields) {
    if (object.contains("launches") && object.contains(field)) {
      fields.fail(fmt::format("has both \"launches\" and \"{}\", which belongs into them", field));
    }
  }

  Rung rung;
  rung.name = name;
  rung.place = named;
  rung.idea = fields.text("idea");
  const fs::path file = fields.text("file");
  rung.file = folder / file;
  rung.rows = fields.texts("rows");
  rung.constants = fields.text_by_text("constants");
  for (const auto& [constant, value] : rung.constants) {
    fields.require_name(constant, "constant");
    fields.require_expression(value, "constants");
    if (constant.starts_with("BLOCK_")) {
      fields.fail("has the constant \"" + constant +
                  "\"; BLOCK_X, BLOCK_Y, BLOCK_Z are the block's");
    }
  }
  rung.parameters = fields.variables("parameters");
  rung.blocks = read_blocks(fields);
  if (fields.has("scratch")) rung.scratch = fields.expression(fields.at("scratch"), "scratch");
  rung.textures = read_textures(fields);
  rung.needs = fields.text_by_text("needs");
  for (const auto& [condition, reason] : rung.needs) fields.require_expression(condition, "needs");
  rung.shipped = fields.truth("shipped");
  if (fields.has("document")) {
    const Fields figure(fields.at("document"), fields.inside("document"));
    figure.require_known({"time_us", "speedup"});
    rung.document = {figure.positive("time_us"), figure.positive("speedup")};
  }
  if (rung.shipped) {
    rung.blocks.resize(1);  // the library chooses its own
    return rung;
  }
  if (fields.has("launches")) {
    for (const Json& each : fields.list("launches")) {
      const Fields launch(each, fields.inside("launches"));
      launch.require_known(launch_fields);
      rung.launches.push_back(read_launch(launch, ladder));
    }
    if (rung.launches.empty()) fields.fail("has an empty list of \"launches\"");
  } else {
    rung.launches.push_back(read_launch(fields, ladder));
  }
  return rung;
}

void require_parameters(const LadderTable& table, const ladders::Variables& parameters,
                        const Fields& fields) {
  const ladders::Variables known = table.ladder->parameters();
  for (const auto& [name, value] : parameters) {
    if (known.contains(name)) continue;
    std::vector<std::string> names;
    for (const auto& [each, otherwise] : known) names.push_back(each);
    fields.fail(fmt::format("has the unknown parameter \"{}\"; {} has {}", name, table.name(),
                            names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", "))));
  }
}

Experiment read_experiment(const Fields& fields, const LadderTable& table) {
  fields.require_known({"name", "title", "rows", "rungs", "sizes", "parameters", "blocks", "cpu"});
  Experiment experiment;
  experiment.name = fields.text("name");
  fields.require_name(experiment.name, "name");
  for (const Rung& rung : table.rungs) {
    if (rung.name == experiment.name) fields.fail("has the name of a rung: " + rung.name);
  }
  for (const Experiment& before : table.experiments) {
    if (before.name == experiment.name) fields.fail("has a name twice: " + before.name);
  }
  experiment.title = fields.text("title");
  experiment.rows = fields.texts("rows");
  for (const std::string& name : fields.texts("rungs")) {
    if (name == "*") {
      for (const Rung& rung : table.rungs) experiment.rungs.push_back(rung.name);
    } else {
      experiment.rungs.push_back(fields.within([&] { return table.rung(name).name; }));
    }
  }
  experiment.sizes = fields.sizes("sizes");
  if (fields.has("parameters")) {
    const Json& parameters = fields.at("parameters");
    if (!parameters.is_object()) fields.fail("has \"parameters\" that are no object");
    for (const auto& [name, values] : parameters.items()) {
      experiment.parameters[name] =
          fields.numbers(values, "parameters", std::numeric_limits<std::int64_t>::min());
      if (experiment.parameters[name].empty()) {
        fields.fail(fmt::format("has no value for the parameter \"{}\"", name));
      }
      require_parameters(table, {{name, 0}}, fields);
    }
  }
  if (fields.has("blocks")) {
    if (fields.text("blocks") != "all") fields.fail("has \"blocks\" other than \"all\"");
    experiment.all_blocks = true;
  }
  experiment.cpu = fields.truth("cpu");
  if (experiment.rungs.empty() || experiment.sizes.empty()) {
    fields.fail("needs at least one rung and one size");
  }
  return experiment;
}

const ladders::Ladder& known_ladder(std::string_view name) {
  std::vector<std::string> names;
  for (const ladders::Ladder* each : ladders::all()) {
    if (each->name() == name) return *each;
    names.emplace_back(each->name());
  }
  throw InvalidArgument(
      fmt::format("there is no ladder \"{}\" (did you mean \"{}\"?); there are {}", name,
                  nearest(name, names), fmt::join(names, ", ")));
}

// " \"table5\"", for the place of a complaint; nothing where there is no name to tell.
std::string quoted_name(const Json& object) {
  if (!object.is_object() || !object.contains("name") || !object.at("name").is_string()) return "";
  return " \"" + object.at("name").get<std::string>() + "\"";
}

DocumentCpu read_document_cpu(const Fields& fields) {
  fields.require_known({"threads", "time_us", "gpu_speedup", "rows"});
  DocumentCpu cpu;
  const std::int64_t threads = fields.numbers(Json::array({fields.at("threads")}), "threads", 1)[0];
  cpu.threads = static_cast<int>(std::min<std::int64_t>(threads, std::numeric_limits<int>::max()));
  cpu.time_us = fields.positive("time_us");
  cpu.gpu_speedup = fields.positive("gpu_speedup");
  cpu.rows = fields.texts("rows");
  if (!cpu.time_us && !cpu.gpu_speedup) fields.fail("has neither \"time_us\" nor \"gpu_speedup\"");
  return cpu;
}

// The rung that a line continues: the one above, unless the line names another.
std::string read_after(const Fields& fields, const std::vector<Rung>& above) {
  const std::string after = fields.text("after", above.empty() ? "" : above.back().name);
  std::vector<std::string> names;
  for (const Rung& each : above) names.push_back(each.name);
  if (after.empty() || std::find(names.begin(), names.end(), after) != names.end()) return after;
  const std::string hint =
      names.empty() ? "" : " (did you mean \"" + nearest(after, names) + "\"?)";
  fields.fail(fmt::format("has the \"after\" \"{}\", which is no rung above it{}", after, hint));
}

LadderTable read_table(const Json& json, const fs::path& folder) {
  const std::string place = (folder / "ladder.json").string();
  const Fields fields(json, place);
  fields.require_known({"ladder", "about", "size", "emulator_size", "verify", "verify_parameters",
                        "document", "defaults", "rungs", "experiments"});
  LadderTable table;
  table.folder = folder;
  const std::string ladder = fields.text("ladder");
  table.ladder = fields.within([&] { return &known_ladder(ladder); });
  table.about = fields.text("about");
  table.size = fields.size(fields.at("size"), "size");
  table.emulator_size = fields.size(fields.at("emulator_size"), "emulator_size");
  table.verify = fields.sizes("verify");
  if (table.verify.empty()) fields.fail("has an empty list \"verify\"");
  if (fields.has("verify_parameters")) {
    for (const Json& each : fields.list("verify_parameters")) {
      fields.read_variables(each, "verify_parameters", table.verify_parameters.emplace_back());
      require_parameters(table, table.verify_parameters.back(), fields);
    }
  }
  if (table.verify_parameters.empty()) table.verify_parameters.emplace_back();
  if (fields.has("document")) {
    const Fields document(fields.at("document"), fields.inside("document"));
    document.require_known({"device", "cpu"});
    table.document_device = document.text("device");
    if (document.has("cpu")) {
      table.document_cpu = read_document_cpu(Fields(document.at("cpu"), document.inside("cpu")));
    }
  }
  const Json defaults = fields.has("defaults") ? fields.at("defaults") : Json::object();
  Fields(defaults, fields.inside("defaults")).require_known(rung_fields);
  for (const Json& each : fields.list("rungs")) {
    const std::string where = fmt::format("{}, rung {}", place, table.rungs.size() + 1);
    Rung rung = read_rung(each, defaults, where, table.name(), folder);
    require_parameters(table, rung.parameters, Fields(each, rung.place));
    for (const Rung& before : table.rungs) {
      if (before.name == rung.name) fields.fail("has two rungs named \"" + rung.name + "\"");
    }
    rung.after = read_after(Fields(each, rung.place), table.rungs);
    table.rungs.push_back(std::move(rung));
  }
  if (table.rungs.empty()) fields.fail("has no rungs");
  if (fields.has("experiments")) {
    for (const Json& each : fields.list("experiments")) {
      const Fields inner(each, fmt::format("{}, experiment {}{}", place,
                                           table.experiments.size() + 1, quoted_name(each)));
      table.experiments.push_back(read_experiment(inner, table));
    }
  }
  return table;
}

// Letters to be inserted, removed or replaced to make one of the other.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, replaced});
    }
  }
  return row.back();
}

// JSON allows a name twice in an object, and the last counts: here it is a mistake. Nesting without
// end would exhaust the stack of whoever copies it.
Json parse_strictly(std::string_view text, const fs::path& folder) {
  constexpr int deepest = 8;
  std::vector<std::set<std::string>> names;
  const auto check = [&](int depth, Json::parse_event_t event, Json& value) {
    const auto fail = [&](const std::string& why) {
      throw InvalidArgument((folder / "ladder.json").string() + " " + why);
    };
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

}  // namespace

std::string nearest(std::string_view name, std::span<const std::string> names) {
  const auto found =
      std::min_element(names.begin(), names.end(), [&](const std::string& a, const std::string& b) {
        return distance(name, a) < distance(name, b);
      });
  return found == names.end() ? "" : *found;
}

const Rung& LadderTable::rung(std::string_view wanted) const {
  std::vector<std::string> names;
  for (const Rung& each : rungs) {
    if (each.name == wanted) return each;
    names.push_back(each.name);
  }
  throw InvalidArgument(
      fmt::format("the ladder {} has no rung \"{}\" (did you mean \"{}\"?); it has {}", name(),
                  wanted, nearest(wanted, names), fmt::join(names, ", ")));
}

LadderTable parse_ladder(std::string_view json, const fs::path& folder) {
  try {
    return read_table(parse_strictly(json, folder), folder);
  } catch (const Json::exception& error) {
    throw InvalidArgument((folder / "ladder.json").string() + ": " + error.what());
  }
}

LadderTable read_ladder(const fs::path& folder) {
  const fs::path path = folder / "ladder.json";
  const std::optional<std::string> text = read_text(path);
  if (!text)
    throw IoError(path.string() + " cannot be read; a ladder's folder has its table there");
  return parse_ladder(*text, folder);
}

LadderTable find_ladder(std::string_view name) {
  const ladders::Ladder& ladder = known_ladder(name);
  return read_ladder(source_root() / "warpwise/primitives" / std::string(ladder.name()) / "ladder");
}

}  // namespace warpwise::lab
