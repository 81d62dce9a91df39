#include "warpwise/lab/study/table/read_rung.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace warpwise::lab {
namespace {

using Json = nlohmann::json;

LaunchRule read_launch(const Fields& fields, const std::string& study) {
  LaunchRule rule;
  rule.kernel = fields.text("kernel", study);
  rule.grid = fields.expressions("grid");
  rule.block = fields.expressions("block");
  rule.shared = fields.expression_or("shared", "0");
  if (rule.kernel.empty()) fields.fail("has an empty \"kernel\"");
  if (rule.grid.empty()) fields.fail("lacks the field \"grid\"");
  return rule;
}

std::map<std::string, TextureKind> read_textures(const Fields& fields) {
  std::map<std::string, TextureKind> result;
  for (const auto& [operand, name] : fields.text_by_text("textures")) {
    const std::optional<TextureKind> kind = value_named<TextureKind>(name);
    if (!kind) {
      fields.fail(fmt::format("has a texture of \"{}\" that is \"{}\"; there are \"{}\" and \"{}\"",
                              operand, name, name_of(TextureKind::linear),
                              name_of(TextureKind::two_dimensional)));
    }
    result[operand] = *kind;
  }
  return result;
}

void read_constants(const Fields& fields, Rung& rung) {
  rung.constants = fields.text_by_text("constants");
  for (const auto& [constant, value] : rung.constants) {
    fields.require_free_name(constant, "constant");
    fields.require_expression(value, "constants");
    if (constant.starts_with("BLOCK_")) {
      fields.fail("has the constant \"" + constant +
                  "\"; BLOCK_X, BLOCK_Y, BLOCK_Z are the block's");
    }
  }
}

std::vector<LaunchRule> read_launches(const Fields& fields, const std::string& study) {
  std::vector<LaunchRule> launches;
  if (!fields.has("launches")) return {read_launch(fields, study)};
  for (const Json& each : fields.list("launches")) {
    const Fields launch(each, fields.inside("launches"));
    launch.require_known(table_fields().at("launch"));
    launches.push_back(read_launch(launch, study));
  }
  if (launches.empty()) fields.fail("has an empty list of \"launches\"");
  return launches;
}

// Replaces fields of the defaults by the fields of an entry. A list of launches replaces a single
// launch of the defaults, and a single launch replaces a list. The field "needs" is an exception:
// the entry's needs are added to the default needs.
Json merged_with(const Json& defaults, const Json& object) {
  Json merged = defaults;
  for (const std::string& field : table_fields().at("launch")) {
    if (object.contains(field)) merged.erase("launches");
  }
  merged.update(object);
  const bool both = defaults.contains("needs") && object.contains("needs");
  if (both && defaults.at("needs").is_object() && object.at("needs").is_object()) {
    merged["needs"] = defaults.at("needs");
    merged["needs"].update(object.at("needs"));
  }
  return merged;
}

// Reads a kernel that is not a rung of a ladder.
Rung own_kernel(const Fields& fields, const RungSurroundings& around) {
  Rung rung;
  rung.idea = fields.text("idea");
  rung.file = around.folder / fields.text("file");
  read_constants(fields, rung);
  rung.parameters = fields.variables("parameters");
  rung.blocks = {{256, 1, 1}};
  rung.max_registers = fields.expression_or("max_registers", "0");
  rung.scratch = fields.expression_or("scratch", "0");
  rung.textures = read_textures(fields);
  rung.shipped = fields.truth("shipped");
  if (!rung.shipped) rung.launches = read_launches(fields, around.study);
  return rung;
}

// Reads an entry that names a rung of a ladder, if the study has the ladder's problem. The entry
// may give the rung another name, description, needs and block shapes.
Rung rung_of_ladder(const Json& object, const Fields& fields, const RungSurroundings& around) {
  if (around.ladder == nullptr) {
    fields.fail("has a \"rung\", but the study's problem does not come from a ladder");
  }
  constexpr std::array<std::string_view, 7> own = {"name",   "rung",  "idea",    "rows",
                                                   "blocks", "needs", "document"};
  for (const auto& [field, value] : object.items()) {
    if (std::find(own.begin(), own.end(), field) != own.end()) continue;
    fields.fail(fmt::format("has a \"{}\" beside its \"rung\", which has its own", field));
  }
  Rung rung = fields.within([&] { return around.ladder->rung(fields.text("rung")); });
  rung.idea = fields.text("idea", rung.idea);
  rung.after.clear();
  rung.document = {};
  return rung;
}

}  // namespace

Rung read_rung(const Json& object, const RungSurroundings& around, const std::string& place) {
  const Fields own(object, place);
  own.require_known(table_fields().at(around.is_ladder ? "rung" : "kernel"));
  const std::string name = own.text("name");
  own.require_name(name, "name");
  const Json merged = merged_with(around.defaults, object);
  const std::string named = fmt::format("{} \"{}\"", place, name);
  const Fields fields(merged, named);
  for (const std::string& field : table_fields().at("launch")) {
    if (object.contains("launches") && object.contains(field)) {
      fields.fail(
          fmt::format("has both \"launches\" and \"{}\", which belongs into each launch", field));
    }
  }

  Rung rung = own.has("rung") ? rung_of_ladder(object, fields, around) : own_kernel(fields, around);
  rung.name = name;
  rung.place = named;
  rung.document_rows = fields.texts("rows");
  if (fields.has("blocks")) rung.blocks = fields.blocks(fields.at("blocks"), "blocks");
  if (rung.shipped) rung.blocks.resize(1);  // the library chooses the shape
  for (const auto& [condition, reason] : fields.text_by_text("needs")) {
    fields.require_expression(condition, "needs");
    rung.needs[condition] = reason;
  }
  if (fields.has("document")) {
    const Fields figure(fields.at("document"), fields.inside("document"));
    figure.require_known(table_fields().at("figure"));
    rung.document = {figure.positive("time_us"), figure.positive("speedup")};
  }
  return rung;
}

Rung read_reference(const Fields& fields, const RungSurroundings& around) {
  fields.require_known(table_fields().at("reference"));
  Rung rung;
  rung.name = "reference";
  rung.place = fields.inside("reference");
  rung.file = around.folder / fields.text("file");
  rung.launches = {read_launch(fields, "reference")};
  return rung;
}

}  // namespace warpwise::lab
