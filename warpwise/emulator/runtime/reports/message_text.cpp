#include "warpwise/emulator/runtime/reports/message_text.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>

#include "warpwise/emulator/readable.hpp"

namespace warpwise::emulator::runtime {
namespace {

constexpr std::size_t most_characters = 40;  // limit of the text in a bracket
constexpr std::string_view called_from = ", called from ";

bool is_of_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

std::string to_text(const SourcePlace& place) {
  return place.file + ":" + std::to_string(place.line);
}

std::string lines_of_libraries(std::size_t count) {
  return std::to_string(count) + (count == 1 ? " line" : " lines") + " of libraries";
}

/// Reads "FILE:LINE" at the text's start. Returns its length; 0 if there is none.
std::size_t read_place(std::string_view text, SourcePlace& place) {
  for (std::size_t colon = text.find(':'); colon != std::string_view::npos;
       colon = text.find(':', colon + 1)) {
    const char* const first = text.data() + colon + 1;
    const auto [end, error] = std::from_chars(first, text.data() + text.size(), place.line);
    if (error != std::errc() || end == first) continue;
    place.file = text.substr(0, colon);
    return static_cast<std::size_t>(end - text.data());
  }
  return 0;
}

/// Shortens a place and the callers named after it. `chain` is the position of the ", called from "
/// behind the place. Returns the end of the new text.
std::size_t fold_chain(std::string& message, std::size_t chain) {
  const std::size_t at = message.rfind(" at ", chain);
  const std::size_t begin = at == std::string::npos ? 0 : at + 4;
  std::vector<SourcePlace> places(1);
  std::size_t end = begin + read_place(std::string_view(message).substr(begin), places[0]);
  if (end != chain) return chain + called_from.size();
  while (message.compare(end, called_from.size(), called_from) == 0) {
    SourcePlace caller;
    const std::size_t from = end + called_from.size();
    const std::size_t length = read_place(std::string_view(message).substr(from), caller);
    if (length == 0) break;
    places.push_back(std::move(caller));
    end = from + length;
  }
  const std::string text = place_text(places, "called from");
  message.replace(begin, end - begin, text);
  return begin + text.size();
}

}  // namespace

std::string shortened(std::string_view text) {
  std::string result;
  std::vector<std::size_t> open;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const bool follows_name = i > 0 && (is_of_name(text[i - 1]) || text[i - 1] == '>');
    if ((c == '<' || c == '(') && follows_name) open.push_back(result.size());
    const bool is_arrow = c == '>' && i > 0 && text[i - 1] == '-';
    const bool closes =
        !open.empty() && !is_arrow &&
        ((c == '>' && result[open.back()] == '<') || (c == ')' && result[open.back()] == '('));
    if (closes) {
      const std::size_t content = open.back() + 1;
      if (result.size() - content > most_characters)
        result.replace(content, std::string::npos, "…");
      open.pop_back();
    }
    result += c;
  }
  return result;
}

std::size_t own_line(const std::vector<SourcePlace>& places) {
  const auto own = std::ranges::find_if(places, [](const SourcePlace& each) {
    return !each.file.empty() && !is_of_toolkit(each.file);
  });
  return own == places.end() ? 0 : static_cast<std::size_t>(own - places.begin());
}

std::string place_text(const std::vector<SourcePlace>& places, std::string_view verb) {
  const std::size_t own = own_line(places);
  std::string text = to_text(places[own]);
  if (own > 0) text += " (in " + to_text(places.front());
  if (own > 1) text += ", through " + lines_of_libraries(own - 1);
  if (own > 0) text += ")";
  std::size_t folded = 0;
  const auto close = [&] {
    if (folded > 0) text += ", " + std::string(verb) + " " + lines_of_libraries(folded);
    folded = 0;
  };
  for (std::size_t i = own + 1; i < places.size(); ++i) {
    if (is_of_toolkit(places[i].file)) {
      ++folded;
      continue;
    }
    close();
    text += ", " + std::string(verb) + " " + to_text(places[i]);
  }
  close();
  return text;
}

std::string short_message(const std::string& message) {
  std::string result = shortened(message);
  for (std::size_t chain = result.find(called_from); chain != std::string::npos;)
    chain = result.find(called_from, fold_chain(result, chain));
  return result;
}

}  // namespace warpwise::emulator::runtime
