#include "warpwise/lab/study/table/study_table.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <limits>
#include <set>

#include "warpwise/base/counted.hpp"
#include "warpwise/lab/compile/sources.hpp"
#include "warpwise/lab/study/show/figures.hpp"
#include "warpwise/lab/study/show/knee.hpp"
#include "warpwise/lab/study/table/read_rung.hpp"
#include "warpwise/lab/study/table/suggestion.hpp"

namespace warpwise::lab {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

void require_parameters(const StudyTable& table, const ladders::Variables& parameters,
                        const Fields& fields) {
  const ladders::Variables known = table.parameters();
  for (const auto& [name, value] : parameters) {
    if (known.contains(name)) continue;
    std::vector<std::string> names;
    for (const auto& [each, otherwise] : known) names.push_back(each);
    fields.fail(fmt::format("has the unknown parameter \"{}\"; {} has {}", name, table.name(),
                            names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", "))));
  }
}

// Returns the constants of all rungs together.
std::vector<std::string> constants_of(const StudyTable& table) {
  std::vector<std::string> names;
  for (const Rung& rung : table.rungs) {
    for (const auto& [name, value] : rung.constants) names.push_back(name);
  }
  return names;
}

// Reads percentages: whole numbers from `least` to `most`.
std::vector<std::int64_t> percents(const Fields& fields, const std::string& name,
                                   std::int64_t least, std::int64_t most) {
  std::vector<std::int64_t> values = fields.numbers(fields.at(name.c_str()), name.c_str(), least);
  const auto beyond =
      std::find_if(values.begin(), values.end(), [&](std::int64_t value) { return value > most; });
  if (beyond != values.end()) {
    fields.fail(fmt::format("has a \"{}\" with {} in it; {} to {} per cent are possible", name,
                            *beyond, least, most));
  }
  return values;
}

std::vector<Transfer> transfers(const Fields& fields) {
  std::vector<Transfer> result;
  for (const std::string& each : fields.texts("transfer")) {
    const std::optional<Transfer> transfer = transfer_named(each);
    if (!transfer) {
      fields.fail(
          fmt::format("has a \"transfer\" \"{}\"; there are pageable, pinned, mapped and "
                      "overlapped N, in 1 to {} chunks",
                      each, Transfer::most_chunks));
    }
    result.push_back(*transfer);
  }
  return result;
}

void require_values(const Fields& fields, const std::string& name, bool has_values) {
  if (!has_values) fields.fail(fmt::format("has no value for the axis \"{}\"", name));
}

// Reads an axis that sets members of Setting. Returns false for other axes.
bool read_setting_axis(const Fields& fields, const std::string& name, Axes& axes) {
  if (name == "sm_percent") {
    axes.sm_percents = percents(fields, name, 1, 100);
    require_values(fields, name, !axes.sm_percents.empty());
  } else if (name == "neighbour_percent") {
    axes.neighbour_percents = percents(fields, name, 0, 100);
    require_values(fields, name, !axes.neighbour_percents.empty());
  } else if (name == "transfer") {
    axes.transfers = transfers(fields);
    require_values(fields, name, !axes.transfers.empty());
  } else {
    return false;
  }
  if (!axes.transfers.empty() && !(axes.sm_percents.empty() && axes.neighbour_percents.empty())) {
    fields.fail(
        "has \"transfer\" beside \"sm_percent\" or \"neighbour_percent\": transfers are "
        "timed with the whole GPU");
  }
  return true;
}

void read_axis(const Fields& fields, const std::string& name, const StudyTable& table, Axes& axes) {
  if (read_setting_axis(fields, name, axes)) return;
  const Json& values = fields.at(name.c_str());
  if (name == "sizes") {
    axes.sizes = fields.sizes(values, "sizes");
  } else if (name == "blocks" && values == "all") {
    axes.all_blocks = true;
  } else if (name == "blocks") {
    axes.blocks = fields.blocks(values, "blocks");
  } else {
    const std::vector<std::string> constants = constants_of(table);
    const bool is_parameter = table.parameters().contains(name);
    if (!is_parameter && std::find(constants.begin(), constants.end(), name) == constants.end()) {
      std::vector<std::string> known = {"sizes", "blocks", "sm_percent", "neighbour_percent",
                                        "transfer"};
      for (const auto& [each, otherwise] : table.parameters()) known.push_back(each);
      known.insert(known.end(), constants.begin(), constants.end());
      fields.fail(
          fmt::format("has the unknown axis \"{}\"{}; an axis is "
                      "sizes, blocks, sm_percent, neighbour_percent, transfer, a parameter or a "
                      "constant",
                      name, suggestion(name, known)));
    }
    auto& axis = (is_parameter ? axes.parameters : axes.constants)[name];
    axis = fields.numbers(values, name.c_str(), std::numeric_limits<std::int64_t>::min());
    require_values(fields, name, !axis.empty());
  }
}

Axes read_axes(const Fields& fields, const StudyTable& table) {
  Axes axes;
  if (!fields.has("axes")) return axes;
  const Fields inner(fields.at("axes"), fields.inside("axes"));
  for (const auto& [name, values] : fields.at("axes").items()) {
    read_axis(inner, name, table, axes);
  }
  return axes;
}

// Reads an experiment's request for a knee. The axis needs enough different values, because a run
// measures equal values only once.
KneeQuestion read_knee(const Fields& fields, const Axes& axes) {
  fields.require_known(table_fields().at("knee"));
  KneeQuestion question{fields.text("axis"), fields.text("of")};
  fields.require_one_of("of", question.of, knee_times);
  std::vector<std::string> names;
  std::set<std::int64_t> values;
  for (const auto& some : {axes.parameters, axes.constants}) {
    for (const auto& [name, of_axis] : some) {
      names.push_back(name);
      if (name == question.axis) values.insert(of_axis.begin(), of_axis.end());
    }
  }
  if (std::find(names.begin(), names.end(), question.axis) == names.end()) {
    fields.fail(fmt::format(
        "has the \"axis\" \"{}\"{}; the experiment has {} of a parameter or a constant",
        question.axis, suggestion(question.axis, names),
        names.empty() ? "no axis" : fmt::format("the axes {}", fmt::join(names, ", "))));
  }
  if (values.size() < fewest_knee_points) {
    fields.fail(fmt::format("is over \"{}\", which has {}; at least {} are needed", question.axis,
                            counted(values.size(), "different value"), fewest_knee_points));
  }
  return question;
}

Experiment read_experiment(const Fields& fields, const StudyTable& table) {
  fields.require_known(table_fields().at(std::string(table.kind()) + "_experiment"));
  const char* const rungs = table.is_ladder() ? "rungs" : "kernels";
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
  experiment.document_rows = fields.texts("rows");
  for (const std::string& name : fields.texts(rungs)) {
    if (name == "*") {
      for (const Rung& rung : table.rungs) experiment.rungs.push_back(rung.name);
    } else {
      experiment.rungs.push_back(fields.within([&] { return table.rung(name).name; }));
    }
  }
  experiment.axes = read_axes(fields, table);
  experiment.cpu = fields.truth("cpu");
  if (fields.has("knee")) {
    experiment.knee = read_knee(Fields(fields.at("knee"), fields.inside("knee")), experiment.axes);
  }
  if (experiment.rungs.empty())
    fields.fail(fmt::format("needs at least one {}", table.is_ladder() ? "rung" : "kernel"));
  return experiment;
}

const ladders::Ladder* known_ladder(std::string_view name) {
  for (const ladders::Ladder* each : ladders::all()) {
    if (each->name() == name) return each;
  }
  return nullptr;
}

const ladders::Ladder& required_ladder(std::string_view name) {
  if (const ladders::Ladder* found = known_ladder(name)) return *found;
  std::vector<std::string> names;
  for (const ladders::Ladder* each : ladders::all()) names.emplace_back(each->name());
  throw InvalidArgument(fmt::format("there is no ladder \"{}\"{}; there are {}", name,
                                    suggestion(name, names), fmt::join(names, ", ")));
}

// Returns an object's name for messages: " \"table5\"". Returns an empty text if it has none.
std::string quoted_name(const Json& object) {
  if (!object.is_object() || !object.contains("name") || !object.at("name").is_string()) return "";
  return " \"" + object.at("name").get<std::string>() + "\"";
}

DocumentCpu read_document_cpu(const Fields& fields) {
  fields.require_known(table_fields().at("document_cpu"));
  DocumentCpu cpu;
  const std::int64_t threads = fields.numbers(Json::array({fields.at("threads")}), "threads", 1)[0];
  cpu.threads = static_cast<int>(std::min<std::int64_t>(threads, std::numeric_limits<int>::max()));
  cpu.time_us = fields.positive("time_us");
  cpu.gpu_speedup = fields.positive("gpu_speedup");
  cpu.document_rows = fields.texts("rows");
  if (!cpu.time_us && !cpu.gpu_speedup) fields.fail("has neither \"time_us\" nor \"gpu_speedup\"");
  return cpu;
}

// Returns Rung::after for an entry: the rung above it, unless the field "after" names another one.
std::string read_after(const Fields& fields, const std::vector<Rung>& above) {
  const std::string after = fields.text("after", above.empty() ? "" : above.back().name);
  std::vector<std::string> names;
  for (const Rung& each : above) names.push_back(each.name);
  if (after.empty() || std::find(names.begin(), names.end(), after) != names.end()) return after;
  fields.fail(fmt::format("has the \"after\" \"{}\", which is no rung above it{}", after,
                          suggestion(after, names)));
}

// Types that elements of a study's buffers may have. listed_problem.cpp fills no 16-bit floats.
constexpr std::array buffer_types = {ElementType::u8,  ElementType::u16, ElementType::i16,
                                     ElementType::u32, ElementType::i32, ElementType::f32};
// Roofs that a study's table may name. The roof vsadu4 is missing: it needs a count of absolute
// differences, for which the table has no field.
constexpr std::array study_roofs = {ladders::Roof::copy, ladders::Roof::read};

ListedArgument read_argument(const Fields& fields, const ListedProblem& problem) {
  fields.require_known(table_fields().at("argument"));
  ListedArgument argument;
  int kinds = 0;
  std::vector<std::string> kind_names;
  for (const ArgumentKind kind : all_values<ArgumentKind>()) {
    const std::string& field = kind_names.emplace_back(name_of(kind));
    if (!fields.has(field.c_str())) continue;
    ++kinds;
    argument.kind = kind;
    argument.name = fields.text(field.c_str());
  }
  if (kinds != 1) {
    fields.fail(
        fmt::format("needs exactly one of {}, and has {}", fmt::join(kind_names, ", "), kinds));
  }
  fields.require_name(argument.name, "name");
  const bool is_texture = argument.kind == ArgumentKind::texture;
  const auto same = std::find_if(
      problem.arguments.begin(), problem.arguments.end(), [&](const ListedArgument& other) {
        return other.name == argument.name && (!is_texture || other.kind == ArgumentKind::input);
      });
  if (is_texture && same == problem.arguments.end()) {
    fields.fail("is the texture of \"" + argument.name +
                "\", which is not among the inputs before it");
  }
  if (!is_texture && same != problem.arguments.end()) {
    fields.fail("has a name twice: " + argument.name);
  }
  const bool is_buffer =
      argument.kind == ArgumentKind::input || argument.kind == ArgumentKind::output;
  const auto refuse = [&](const char* field) {
    if (fields.has(field))
      fields.fail(fmt::format("has a \"{}\", which this kind of argument cannot have", field));
  };
  if (is_buffer) {
    argument.element_type = fields.one_of("type", fields.text("type"), buffer_types);
    argument.value = fields.expression(fields.at("elements"), "elements");
    refuse("value");
  } else if (argument.kind == ArgumentKind::scalar) {
    argument.number_type = fields.one_of("type", fields.text("type"), all_values<NumberType>());
    argument.value = fields.expression(fields.at("value"), "value");
    refuse("elements");
  } else {
    for (const char* field : {"type", "elements", "value"}) refuse(field);
  }
  if (argument.kind == ArgumentKind::input) {
    argument.filling = fields.one_of("fill", fields.text("fill", "random"), all_values<Filling>());
  } else {
    refuse("fill");
  }
  return argument;
}

void read_problem(const Fields& fields, const RungSurroundings& around, StudyTable& table) {
  fields.require_known(table_fields().at("problem"));
  if (fields.has("ladder")) {
    for (const char* field : {"parameters", "arguments", "reference", "roof"}) {
      if (fields.has(field)) {
        fields.fail(fmt::format("has a \"{}\" beside its \"ladder\", which has its own", field));
      }
    }
    table.ladder = fields.within([&] { return &required_ladder(fields.text("ladder")); });
    return;
  }
  table.listed.parameters = fields.variables("parameters");
  for (const auto& [name, value] : table.listed.parameters)
    fields.require_free_name(name, "parameter");
  table.listed.roof = fields.one_of("roof", fields.text("roof", "copy"), study_roofs);
  for (const Json& each : fields.list("arguments")) {
    const Fields argument(
        each, fmt::format("{} {}", fields.inside("arguments"), table.listed.arguments.size() + 1));
    table.listed.arguments.push_back(read_argument(argument, table.listed));
  }
  const bool has_output =
      std::any_of(table.listed.arguments.begin(), table.listed.arguments.end(),
                  [](const ListedArgument& each) { return each.kind == ArgumentKind::output; });
  if (!has_output) fields.fail("has no output, so that nothing could be verified");
  table.reference =
      read_reference(Fields(fields.at("reference"), fields.inside("reference")), around);
}

void read_verify(const Fields& fields, StudyTable& table) {
  table.verify = fields.sizes(fields.at("verify"), "verify");
  if (fields.has("verify_parameters")) {
    for (const Json& each : fields.list("verify_parameters")) {
      fields.read_variables(each, "verify_parameters", table.verify_parameters.emplace_back());
      require_parameters(table, table.verify_parameters.back(), fields);
    }
  }
  if (table.verify_parameters.empty()) table.verify_parameters.emplace_back();
}

void read_document(const Fields& fields, StudyTable& table) {
  if (!fields.has("document")) return;
  const Fields document(fields.at("document"), fields.inside("document"));
  document.require_known(table_fields().at("document"));
  table.document_device = document.text("device");
  if (document.has("cpu")) {
    table.document_cpu = read_document_cpu(Fields(document.at("cpu"), document.inside("cpu")));
  }
}

void read_rungs(const Fields& fields, const RungSurroundings& around, const std::string& place,
                StudyTable& table) {
  const char* const list = around.is_ladder ? "rungs" : "kernels";
  for (const Json& each : fields.list(list)) {
    const std::string where = fmt::format("{}, {} {}", place, around.is_ladder ? "rung" : "kernel",
                                          table.rungs.size() + 1);
    Rung rung = read_rung(each, around, where);
    require_parameters(table, rung.parameters, Fields(each, rung.place));
    for (const Rung& before : table.rungs) {
      if (before.name == rung.name) {
        fields.fail(fmt::format("has two {} named \"{}\"", list, rung.name));
      }
    }
    if (around.is_ladder) rung.after = read_after(Fields(each, rung.place), table.rungs);
    table.rungs.push_back(std::move(rung));
  }
  if (table.rungs.empty()) fields.fail(fmt::format("has no {}", list));
}

// Reads the problem of a ladder or study. A ladder has the problem of its primitive. Another study
// names a ladder's problem, or lists its own.
void read_subject(const Fields& fields, const RungSurroundings& around, StudyTable& table) {
  if (around.is_ladder) {
    table.ladder = fields.within([&] { return &required_ladder(around.study); });
    return;
  }
  fields.require_name(around.study, "name");
  if (known_ladder(around.study) != nullptr)
    fields.fail("has the name of a ladder: " + around.study);
  table.own_name = around.study;
  read_problem(Fields(fields.at("problem"), fields.inside("problem")), around, table);
}

// Reads a table that collects experiments of ladders. The ladders' tables are read only when the
// experiments run, so a mistake in one does not make this table invalid.
StudyTable read_collection(const Fields& fields, const fs::path& file) {
  fields.require_known(table_fields().at("collection"));
  StudyTable table;
  table.folder = fs::absolute(file).lexically_normal().parent_path();
  table.own_name = fields.text("study");
  fields.require_name(table.own_name, "name");
  if (known_ladder(table.own_name) != nullptr)
    fields.fail("has the name of a ladder: " + table.own_name);
  table.about = fields.text("about");
  table.collects = fields.texts("collects");
  if (table.collects.empty()) fields.fail("has a \"collects\" without an experiment");
  for (const std::string& each : table.collects) {
    const std::size_t slash = each.find('/');
    if (slash == std::string::npos || slash + 1 == each.size()) {
      fields.fail(fmt::format("has \"{}\" in \"collects\"; LADDER/EXPERIMENT is expected", each));
    }
    fields.within([&] { return &required_ladder(each.substr(0, slash)); });
  }
  return table;
}

StudyTable read_table(const Json& json, const fs::path& file) {
  const std::string place = file.string();
  const Fields fields(json, place);
  if (fields.has("collects")) return read_collection(fields, file);
  const bool is_ladder = !fields.has("study");
  fields.require_known(table_fields().at(is_ladder ? "ladder" : "study"));
  const Json defaults = fields.has("defaults") ? fields.at("defaults") : Json::object();
  // A source's path is in its compiled code and in the cache's key. It is normalised, so that all
  // spellings of a path share one cached result. Messages have the user's spelling.
  const fs::path folder = fs::absolute(file).lexically_normal().parent_path();
  RungSurroundings around{defaults, fields.text(is_ladder ? "ladder" : "study"), folder, is_ladder};
  StudyTable table;
  table.folder = around.folder;
  read_subject(fields, around, table);
  std::optional<StudyTable> ladder;
  if (!is_ladder && table.ladder != nullptr) {
    ladder = find_study(table.ladder->name());
    around.ladder = &*ladder;
  }
  table.about = fields.text("about");
  table.size = fields.size(fields.at("size"), "size");
  table.emulator_size = fields.size(fields.at("emulator_size"), "emulator_size");
  read_verify(fields, table);
  read_document(fields, table);
  Fields(defaults, fields.inside("defaults"))
      .require_known(table_fields().at(is_ladder ? "rung" : "kernel"));
  read_rungs(fields, around, place, table);
  table.axes = read_axes(fields, table);
  table.report = fields.texts("report");
  for (const std::string& each : table.report) fields.require_one_of("report", each, figure_names);
  if (fields.has("experiments")) {
    for (const Json& each : fields.list("experiments")) {
      const Fields inner(each, fmt::format("{}, experiment {}{}", place,
                                           table.experiments.size() + 1, quoted_name(each)));
      table.experiments.push_back(read_experiment(inner, table));
    }
  }
  return table;
}

fs::path studies_folder() { return source_root() / "warpwise/studies"; }

// Returns the names of the studies that are not ladders.
std::vector<std::string> names_of_studies() {
  std::vector<std::string> names;
  std::error_code none;
  for (const fs::directory_entry& each : fs::directory_iterator(studies_folder(), none)) {
    if (fs::is_regular_file(each.path() / "study.json", none)) {
      names.push_back(each.path().filename().string());
    }
  }
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace

const std::map<std::string, std::vector<std::string>>& table_fields() {
  static const std::map<std::string, std::vector<std::string>> fields = [] {
    std::map<std::string, std::vector<std::string>> all = {
        {"ladder",
         {"$schema", "ladder", "about", "size", "emulator_size", "verify", "verify_parameters",
          "document", "defaults", "rungs", "experiments"}},
        {"study",
         {"$schema", "study", "about", "size", "emulator_size", "verify", "verify_parameters",
          "document", "problem", "defaults", "kernels", "axes", "report", "experiments"}},
        {"collection", {"$schema", "study", "about", "collects"}},
        {"problem", {"ladder", "parameters", "arguments", "reference", "roof"}},
        {"argument",
         {"input", "output", "scratch", "texture", "scalar", "type", "elements", "fill", "value"}},
        {"reference", {"file", "kernel", "grid"}},
        {"launch", {"kernel", "grid", "block", "shared"}},
        {"kernel",
         {"name", "idea", "file", "rows", "constants", "parameters", "blocks", "launches", "kernel",
          "grid", "block", "shared", "max_registers", "scratch", "textures", "needs", "document"}},
        {"figure", {"time_us", "speedup"}},
        {"document", {"device", "cpu"}},
        {"document_cpu", {"threads", "time_us", "gpu_speedup", "rows"}},
        {"ladder_experiment", {"name", "title", "rows", "rungs", "axes", "cpu"}},
        {"study_experiment", {"name", "title", "rows", "kernels", "axes", "knee"}},
        {"knee", {"axis", "of"}}};
    all["rung"] = all["kernel"];
    all["rung"].insert(all["rung"].end(), {"after", "shipped"});
    all["kernel"].push_back("rung");
    return all;
  }();
  return fields;
}

const Rung& StudyTable::rung(std::string_view wanted) const {
  std::vector<std::string> names;
  for (const Rung& each : rungs) {
    if (each.name == wanted) return each;
    names.push_back(each.name);
  }
  throw InvalidArgument(fmt::format(
      "the {} {} has no {} \"{}\"{}; it has {}", kind(), name(), is_ladder() ? "rung" : "kernel",
      wanted, suggestion(wanted, names), fmt::join(names.empty() ? collects : names, ", ")));
}

StudyTable parse_study(std::string_view json, const fs::path& file) {
  try {
    return read_table(parse_strictly(json, file.string()), file);
  } catch (const Json::exception& error) {
    throw InvalidArgument(file.string() + ": " + error.what());
  }
}

StudyTable read_study(const fs::path& folder) {
  const fs::path study = folder / "study.json";
  if (const std::optional<std::string> text = read_text(study)) return parse_study(*text, study);
  const fs::path ladder = folder / "ladder.json";
  if (const std::optional<std::string> text = read_text(ladder)) return parse_study(*text, ladder);
  throw IoError(ladder.string() +
                " cannot be read, nor study.json beside it; a ladder's or a "
                "study's folder has its table there");
}

std::vector<std::string> study_names() {
  std::vector<std::string> names;
  for (const ladders::Ladder* each : ladders::all()) names.emplace_back(each->name());
  std::sort(names.begin(), names.end());
  const std::vector<std::string> studies = names_of_studies();
  names.insert(names.end(), studies.begin(), studies.end());
  return names;
}

StudyTable find_study(std::string_view name) {
  if (const ladders::Ladder* ladder = known_ladder(name)) {
    return read_study(source_root() / "warpwise/primitives" / std::string(ladder->name()) /
                      "ladder");
  }
  const std::vector<std::string> names = study_names();
  if (std::find(names.begin(), names.end(), name) == names.end()) {
    throw InvalidArgument(fmt::format("there is no ladder \"{}\" and no study{}; there are {}",
                                      name, suggestion(name, names), fmt::join(names, ", ")));
  }
  StudyTable table = read_study(studies_folder() / name);
  if (table.name() != name) {
    throw InvalidArgument(fmt::format("{} is of the study {}, not of {}",
                                      (table.folder / "study.json").string(), table.name(), name));
  }
  return table;
}

}  // namespace warpwise::lab
