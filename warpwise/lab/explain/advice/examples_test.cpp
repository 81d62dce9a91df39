// Tests the examples of `explain`'s advice.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

#include "support/enum_names.hpp"
#include "warpwise/lab/explain/advice/advice.hpp"

namespace warpwise::lab {
namespace {

// Removes all blanks and line ends.
std::string squeezed(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c != ' ' && c != '\n') result += c;
  }
  return result;
}

// Returns a folder's sources and its table, one after the other.
std::string sources_in(const std::filesystem::path& folder) {
  std::string all;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (!entry.is_regular_file()) continue;
    std::ifstream file(entry.path());
    all += std::string((std::istreambuf_iterator<char>(file)), {}) + "\n";
  }
  return squeezed(all);
}

TEST(Examples, AreInTheProjectsSources) {
  for (const Remedy remedy : all_values<Remedy>()) {
    const std::optional<Example> found = example_of(remedy);
    if (!found) continue;
    const Example& example = *found;
    // "warpwise lab diff NAME BEFORE AFTER", or "warpwise lab run NAME/RUNG ...".
    std::istringstream words(example.shown_by);
    std::string warpwise, lab, command, name, before, after;
    words >> warpwise >> lab >> command >> name >> before >> after;
    const StudyTable table = find_study(name.substr(0, name.find('/')));
    if (command == "diff") {
      EXPECT_NO_THROW(table.rung(before)) << example.shown_by;
      EXPECT_NO_THROW(table.rung(after)) << example.shown_by;
    }
    const std::string sources = sources_in(table.folder);
    for (const std::string& lines : {example.before, example.after}) {
      std::istringstream text(lines);
      for (std::string line; std::getline(text, line);) {
        EXPECT_NE(sources.find(squeezed(line)), std::string::npos) << line;
      }
    }
  }
}

TEST(Examples, OfATransposeIsInTheExamples) {
  const Example example = example_of(AccessPattern::transpose).value();
  const std::string sources =
      sources_in(std::filesystem::canonical(find_study("gemv").folder) / "../../../../examples");
  for (const std::string& lines : {example.before, example.after}) {
    std::istringstream text(lines);
    for (std::string line; std::getline(text, line);)
      EXPECT_NE(sources.find(squeezed(line)), std::string::npos) << line;
  }
  EXPECT_NE(example.after.find("\nx = blockIdx.y * 32 + threadIdx.x;\n"), std::string::npos)
      << "the tile's place in the output is not its place in the input";
}

// Some remedies have no example, because the code would show mainly one kernel's tables and names.
TEST(Examples, AreCodeThatSpeaksForItself) {
  for (const Remedy remedy : {Remedy::occupancy, Remedy::local_memory, Remedy::whole_warps,
                              Remedy::fewer_instructions, Remedy::fewer_bytes})
    EXPECT_FALSE(example_of(remedy)) << static_cast<int>(remedy);
  EXPECT_TRUE(example_of(Remedy::coalescing));
}

TEST(Examples, RemediesHaveNames) { EXPECT_TRUE(test::names_each_enumerator<Remedy>()); }

}  // namespace
}  // namespace warpwise::lab
