#include "warpwise/viewer/stage_words.hpp"

#include <algorithm>
#include <sstream>

namespace warpwise::viewer {
namespace {

std::vector<std::string> split(std::string_view text) {
  std::istringstream stream{std::string(text)};
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

// Returns "border" of "border=replicate", and "invert" of "invert".
std::string_view name_of(std::string_view option) { return option.substr(0, option.find('=')); }

std::string joined(const std::vector<std::vector<std::string>>& stages) {
  std::string text;
  for (const std::vector<std::string>& words : stages) {
    if (!text.empty()) text += " | ";
    for (std::size_t i = 0; i < words.size(); ++i) text += (i == 0 ? "" : " ") + words[i];
  }
  return text;
}

}  // namespace

std::vector<std::vector<std::string>> words_of(std::string_view pipeline) {
  std::vector<std::vector<std::string>> stages;
  if (split(pipeline).empty()) return stages;
  while (true) {
    const std::size_t bar = pipeline.find('|');
    stages.push_back(split(pipeline.substr(0, bar)));
    if (bar == std::string_view::npos) return stages;
    pipeline.remove_prefix(bar + 1);
  }
}

std::string option_value(const std::vector<std::string>& words, std::string_view name) {
  const std::string begin = std::string(name) + "=";
  const auto found = std::find_if(words.begin(), words.end(),
                                  [&](const std::string& word) { return word.starts_with(begin); });
  return found == words.end() ? "" : found->substr(begin.size());
}

bool has_flag(const std::vector<std::string>& words, std::string_view name) {
  return std::find(words.begin() + 1, words.end(), name) != words.end();
}

std::string with_options(std::string_view pipeline, std::size_t index, std::string_view options) {
  std::vector<std::vector<std::string>> stages = words_of(pipeline);
  std::vector<std::string>& words = stages.at(index);
  for (const std::string& option : split(options)) {
    const auto has_its_name = [&](const std::string& word) {
      return name_of(word) == name_of(option);
    };
    // The first word is the stage's own name.
    auto place = std::find_if(words.begin() + 1, words.end(), has_its_name);
    if (!option.ends_with('=')) {
      if (place == words.end()) place = words.insert(place, std::string());
      *place++ = option;
    }
    words.erase(std::remove_if(place, words.end(), has_its_name), words.end());
  }
  return joined(stages);
}

std::string with_former_removed(std::string_view former, std::string_view change) {
  return former.empty() ? std::string(change) : std::string(former) + "= " + std::string(change);
}

}  // namespace warpwise::viewer
