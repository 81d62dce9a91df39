#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "warpwise/base/error.hpp"
#include "warpwise/lab/compile/sources.hpp"
#include "warpwise/lab/report/words/korean.hpp"
#include "warpwise/lab/study/table/table_fields.hpp"

namespace warpwise::lab::report {
namespace {

namespace fs = std::filesystem;

using Texts = std::map<std::string, std::string, std::less<>>;

/// Adds the texts of the file ko.json in a table's folder, if there is such a file.
void add_texts(Texts& texts, const fs::path& folder) {
  const std::string file = (folder / "ko.json").string();
  const std::optional<std::string> content = read_text(file);
  if (!content) return;
  try {
    texts.merge(parse_strictly(*content, file).get<Texts>());
  } catch (const nlohmann::json::exception& error) {
    throw InvalidArgument(file + ": " + error.what());
  }
}

Texts all_texts() {
  Texts texts;
  for (const Translation& each : korean_texts_of_records()) {
    texts.emplace(each.english, each.korean);
  }
  const fs::path root = source_root() / "warpwise";
  for (const auto& each : fs::directory_iterator(root / "primitives")) {
    add_texts(texts, each.path() / "ladder");
  }
  for (const auto& each : fs::directory_iterator(root / "studies")) add_texts(texts, each.path());
  add_texts(texts, root / "exercises");
  for (const auto& each : fs::directory_iterator(root / "exercises")) add_texts(texts, each.path());
  return texts;
}

}  // namespace

std::string_view korean_of(std::string_view text) {
  static const Texts texts = all_texts();
  const auto found = texts.find(text);
  return found == texts.end() ? text : found->second;
}

}  // namespace warpwise::lab::report
