#include "warpwise/primitives/shared/tuning_file.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <tuple>

namespace warpwise::tuning {
namespace {

constexpr std::array<std::string_view, 6> verdicts = {"faster", "same",  "slower",
                                                      "unsure", "wrong", "throttled"};

template <class Range, class Value>
bool holds(const Range& range, const Value& value) {
  return std::find(std::begin(range), std::end(range), value) != std::end(range);
}

template <class Number>
bool read_number(std::string_view text, Number& number) {
  const char* const end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, number);
  return error == std::errc{} && stopped == end;
}

// Takes "name=value" or "name="value with blanks"" from the front of `rest`. Returns empty texts at
// the end, and if something else is there.
std::pair<std::string_view, std::string_view> next_field(std::string_view& rest) {
  rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
  const std::size_t equals = rest.find('=');
  const std::string_view name = rest.substr(0, equals);
  if (equals == std::string_view::npos || holds(name, ' ')) return {};
  rest.remove_prefix(equals + 1);
  const bool is_quoted = rest.starts_with('"');
  if (is_quoted) rest.remove_prefix(1);
  const std::size_t end = rest.find(is_quoted ? '"' : ' ');
  if (is_quoted && end == std::string_view::npos) return {};
  const std::string_view value = rest.substr(0, end);
  rest.remove_prefix(std::min(value.size() + 1, rest.size()));
  return {name, value};
}

// The first field is the configuration: "PRIMITIVE.TUNABLE=VALUE".
std::string set_configuration(std::string_view name, std::string_view value, Entry& entry) {
  const std::size_t point = name.find('.');
  if (point == std::string_view::npos) return "it does not begin with PRIMITIVE.NAME=VALUE";
  entry.primitive = name.substr(0, point);
  entry.tunable = name.substr(point + 1);
  return read_number(value, entry.value) ? "" : "its value is no number of 32 bits";
}

// Returns what is wrong with a field; empty if nothing is.
std::string set_field(std::string_view name, std::string_view value, Entry& entry) {
  const auto number = [&](auto& into) {
    return read_number(value, into) ? std::string() : std::string(name) + " is no number";
  };
  if (name == "kind") return entry.kind = value, "";
  if (name == "case") return entry.work = value, "";
  if (name == "why") return entry.why = value, "";
  if (name == "source") return entry.source = value, "";
  if (name == "gpu") return entry.gpu.name = value, "";
  if (name == "cc") return entry.gpu.compute_capability = value, "";
  if (name == "sms") return number(entry.gpu.multiprocessors);
  if (name == "driver") return number(entry.gpu.driver);
  if (name == "gain") return number(entry.gain);
  if (name == "verdict") {
    entry.verdict = value;
    return holds(verdicts, value) ? "" : "there is no such verdict";
  }
  if (name == "size") {
    if (!value.starts_with("2^") || !read_number(value.substr(2), entry.size)) {
      return "size is not 2^N";
    }
    return entry.size >= 0 && entry.size < 64 ? "" : "there is no such size";
  }
  return "there is no field " + std::string(name.substr(0, 40));
}

Line read_line(std::string_view text, int number) {
  Line line{.number = number, .entry = std::nullopt, .ignored = {}};
  constexpr std::array<std::string_view, 10> needed = {"kind", "size",   "verdict", "gain", "cc",
                                                       "sms",  "driver", "source",  "gpu",  "case"};
  Entry entry;
  std::vector<std::string_view> seen;
  std::string_view rest = text;
  while (line.ignored.empty() && rest.find_first_not_of(' ') != std::string_view::npos) {
    const auto [name, value] = next_field(rest);
    if (name.empty())
      line.ignored = "it is no list of NAME=VALUE";
    else if (holds(seen, name))
      line.ignored = "it has two of " + std::string(name.substr(0, 40));
    else
      line.ignored =
          seen.empty() ? set_configuration(name, value, entry) : set_field(name, value, entry);
    seen.push_back(name);
  }
  for (const std::string_view name : needed) {
    if (line.ignored.empty() && !holds(seen, name)) line.ignored = "it has no " + std::string(name);
  }
  if (line.ignored.empty() && !(std::isfinite(entry.gain) && entry.gain >= 0)) {
    line.ignored = "its gain is none";
  }
  if (line.ignored.empty() && entry.verdict == "faster" && !(entry.gain > 1)) {
    line.ignored = "it is faster by no gain";
  }
  if (line.ignored.empty()) line.entry = std::move(entry);
  return line;
}

std::string plain(std::string text) {
  for (char& c : text) {
    if (c == '"' || static_cast<unsigned char>(c) < ' ' || c == 127) c = ' ';
  }
  return text;
}

// Returns the tunable of an entry; null, with the reason, if the entry has no effect on this GPU.
const Tunable* known_tunable(const Entry& entry, std::span<const Tunable* const> known,
                             const std::function<std::string_view(std::string_view)>& source,
                             const std::optional<Gpu>& gpu, std::string& why_not) {
  const auto at = std::find_if(known.begin(), known.end(), [&](const Tunable* each) {
    return each->primitive == entry.primitive && each->name == entry.tunable;
  });
  if (at == known.end()) return why_not = "there is no such tunable", nullptr;
  if (!holds((*at)->kinds, std::string_view(entry.kind)))
    return why_not = "there is no such kind", nullptr;
  if (!holds((*at)->choices, entry.value))
    return why_not = "the value is not one of the choices", nullptr;
  if (!gpu) return why_not = "there is no GPU here", nullptr;
  if (entry.gpu.driver != gpu->driver) return why_not = "it is for another driver", nullptr;
  if (entry.gpu != *gpu) return why_not = "it is for another GPU, or for a part of it", nullptr;
  if (entry.source != source(entry.primitive)) return why_not = "it is for other sources", nullptr;
  return *at;
}

int index_of(std::span<const std::string_view> names, std::string_view name) {
  return static_cast<int>(std::find(names.begin(), names.end(), name) - names.begin());
}

// Measurements of one value of a key.
struct Candidate {
  int value = 0;
  std::vector<Line*> lines;
  double log_gain = 0;  ///< sum over the cases
  bool is_faster = false;
  bool is_refused = false;

  double mean_gain() const { return log_gain / static_cast<double>(lines.size()); }
};

// Returns the lines of one key by value; for each value and case, only the last line counts.
std::vector<Candidate> candidates_of(const std::vector<Line*>& lines) {
  std::map<std::pair<int, std::string>, Line*> last;
  for (Line* line : lines) {
    Line*& before = last[{line->entry->value, line->entry->work}];
    if (before != nullptr) {
      before->ignored = "line " + std::to_string(line->number) + " has replaced it";
    }
    before = line;
  }
  std::vector<Candidate> candidates;
  for (const auto& [value_and_work, line] : last) {
    if (candidates.empty() || candidates.back().value != value_and_work.first) {
      candidates.emplace_back().value = value_and_work.first;
    }
    Candidate& candidate = candidates.back();
    const std::string& verdict = line->entry->verdict;
    candidate.lines.push_back(line);
    candidate.is_faster |= verdict == "faster";
    candidate.is_refused |= verdict == "slower" || verdict == "wrong" || verdict == "throttled";
    candidate.log_gain += std::log(std::max(line->entry->gain, 1e-6));
  }
  return candidates;
}

// Returns the value of a key that has an effect; the others' lines get the reason.
const Candidate* best_of(std::vector<Candidate>& candidates) {
  const Candidate* best = nullptr;
  for (const Candidate& each : candidates) {
    if (!each.is_faster || each.is_refused) continue;
    if (best == nullptr || each.mean_gain() > best->mean_gain()) best = &each;
  }
  for (const Candidate& each : candidates) {
    if (&each == best) continue;
    for (Line* line : each.lines) {
      if (line->entry->verdict != "faster")
        line->ignored = line->entry->verdict;
      else
        line->ignored = each.is_refused ? "not faster on another case" : "another value is faster";
    }
  }
  return best;
}

}  // namespace

std::string line_of(const Entry& e) {
  std::array<char, 32> gain{};
  const auto end =
      std::to_chars(gain.data(), gain.data() + gain.size(), e.gain, std::chars_format::fixed, 3);
  return e.primitive + "." + e.tunable + "=" + std::to_string(e.value) + " kind=" + e.kind +
         " size=2^" + std::to_string(e.size) + " verdict=" + e.verdict +
         " gain=" + (end.ec == std::errc{} ? std::string(gain.data(), end.ptr) : "0") + " case=\"" +
         plain(e.work) + "\" why=\"" + plain(e.why) + "\" cc=" + e.gpu.compute_capability +
         " sms=" + std::to_string(e.gpu.multiprocessors) +
         " driver=" + std::to_string(e.gpu.driver) + " source=" + e.source + " gpu=\"" +
         plain(e.gpu.name) + "\"";
}

std::vector<Line> read_lines(std::string_view text) {
  std::vector<Line> lines;
  for (int number = 1; !text.empty(); ++number) {
    const std::size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    if (number == 1) {
      if (line == file_header) continue;
      return {{number, std::nullopt,
               "the file does not begin with \"" + std::string(file_header) + "\""}};
    }
    if (line.find_first_not_of(' ') == std::string_view::npos || line.starts_with('#')) continue;
    if (end == std::string_view::npos) {
      lines.push_back({number, std::nullopt, "it has no end"});
    } else {
      lines.push_back(read_line(line, number));
    }
  }
  return lines;
}

std::vector<Setting> settings_of(std::vector<Line>& lines, std::span<const Tunable* const> known,
                                 const std::function<std::string_view(std::string_view)>& source,
                                 const std::optional<Gpu>& gpu) {
  std::map<Key, std::vector<Line*>> by_key;
  for (Line& line : lines) {
    if (!line.entry) continue;
    const Entry& entry = *line.entry;
    if (const Tunable* tunable = known_tunable(entry, known, source, gpu, line.ignored)) {
      by_key[{tunable, index_of(tunable->kinds, entry.kind), entry.size}].push_back(&line);
    }
  }
  std::vector<Setting> settings;
  for (const auto& [key, of_key] : by_key) {
    std::vector<Candidate> candidates = candidates_of(of_key);
    if (const Candidate* best = best_of(candidates)) settings.push_back({key, best->value});
  }
  return settings;
}

std::string text_of(const Setting& setting) {
  const Tunable& tunable = *setting.key.tunable;
  return std::string(tunable.primitive) + "." + std::string(tunable.name) + "=" +
         std::to_string(setting.value) + " of " +
         std::string(tunable.kinds[static_cast<std::size_t>(setting.key.kind)]) + " from 2^" +
         std::to_string(setting.key.size);
}

std::filesystem::path file_path() {
  const auto folder = [](const char* variable) {
    const char* value = ::secure_getenv(variable);
    return std::filesystem::path(value == nullptr ? "" : value);
  };
  constexpr const char* name = "warpwise/tuning-1.txt";
  if (const auto cache = folder("XDG_CACHE_HOME"); !cache.empty()) return cache / name;
  const auto home = folder("HOME");
  return home.empty() ? home : home / ".cache" / name;
}

bool is_off() {
  const char* value = ::secure_getenv("WARPWISE_TUNING");
  return value != nullptr && std::string_view(value) == "off";
}

FileText read_file(const std::filesystem::path& path) {
  std::error_code error;
  if (path.empty() || !std::filesystem::exists(path, error)) return {};
  // Other kinds of file are refused: reading a pipe would block.
  if (!std::filesystem::is_regular_file(path, error)) return {{}, "it is no file"};
  if (static_cast<std::int64_t>(std::filesystem::file_size(path, error)) > most_file_bytes) {
    return {{}, "it is larger than " + std::to_string(most_file_bytes) + " bytes"};
  }
  std::ifstream file(path, std::ios::binary);
  FileText read{{std::istreambuf_iterator<char>(file), {}}, {}};
  if (!file) return {{}, "it cannot be read"};
  return read;
}

}  // namespace warpwise::tuning
