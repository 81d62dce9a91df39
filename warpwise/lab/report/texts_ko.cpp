#include <unordered_map>

#include "warpwise/lab/report/korean.hpp"

namespace warpwise::lab::report {
namespace {

std::unordered_map<std::string_view, std::string_view> all_texts() {
  std::unordered_map<std::string_view, std::string_view> all;
  for (const auto& texts :
       {korean_texts_of_ladders(), korean_texts_of_studies(), korean_texts_of_records()}) {
    for (const Translation& each : texts) all.emplace(each.english, each.korean);
  }
  return all;
}

}  // namespace

std::string_view korean_of(std::string_view text) {
  static const std::unordered_map<std::string_view, std::string_view> texts = all_texts();
  const auto found = texts.find(text);
  return found == texts.end() ? text : found->second;
}

}  // namespace warpwise::lab::report
