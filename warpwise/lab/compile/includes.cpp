#include "warpwise/lab/compile/includes.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <string_view>
#include <vector>

#include "warpwise/base/error.hpp"
#include "warpwise/lab/compile/sources.hpp"

namespace warpwise::lab {
namespace {

namespace fs = std::filesystem;

struct Include {
  std::string_view name;
  bool is_quoted = false;  ///< true: "name", looked for beside the file first; false: <name>
};

// Parses `# include "name"` or `<name>`.
std::optional<Include> include_of(std::string_view line) {
  const auto skip_blanks = [&] {
    line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
  };
  const auto skip_word = [&](std::string_view word) {
    skip_blanks();
    if (!line.starts_with(word)) return false;
    line.remove_prefix(word.size());
    return true;
  };
  if (!skip_word("#") || !skip_word("include")) return std::nullopt;
  skip_blanks();
  if (!line.starts_with('"') && !line.starts_with('<')) return std::nullopt;
  const std::size_t end = line.find(line.front() == '"' ? '"' : '>', 1);
  if (end == std::string_view::npos) return std::nullopt;
  return Include{line.substr(1, end - 1), line.front() == '"'};
}

class Walk {
 public:
  explicit Walk(std::span<const fs::path> folders) : folders_(folders) {}

  void through(const std::string& text, const fs::path& file) {
    int number = 1;
    for (std::size_t begin = 0; begin < text.size(); ++number) {
      const std::size_t end = std::min(text.find('\n', begin), text.size());
      const std::string_view line = std::string_view(text).substr(begin, end - begin);
      if (const auto include = include_of(line)) {
        if (const fs::path found = place_of(*include, file); !found.empty()) {
          enter(found, file.string() + ", line " + std::to_string(number));
        }
      }
      begin = end + 1;
    }
  }

 private:
  // Returns the path of the included file. Returns an empty path if the file is in none of the
  // searched folders, for example because it is one of the compiler's own headers.
  fs::path place_of(const Include& include, const fs::path& file) const {
    std::vector<fs::path> places;
    const bool is_whole = fs::path(include.name).is_absolute();  // in <…> too: </dev/zero>
    if (include.is_quoted || is_whole) places.push_back(file.parent_path() / include.name);
    for (const fs::path& folder : folders_) places.push_back(folder / include.name);
    for (const fs::path& place : places) {
      std::error_code ignored;
      if (fs::exists(place, ignored) && !fs::is_directory(place, ignored)) return place;
    }
    return {};
  }

  void enter(const fs::path& file, const std::string& from) {
    std::error_code ignored;
    if (!seen_.insert(fs::weakly_canonical(file, ignored)).second) return;
    if (!fs::is_regular_file(file, ignored)) {
      throw InvalidArgument(from + " includes " + file.string() + ", which is no regular file");
    }
    if (fs::file_size(file, ignored) > most_source_bytes) {
      throw InvalidArgument(from + " includes " + file.string() + " of more than " +
                            std::to_string(most_source_bytes) + " bytes");
    }
    if (const std::optional<std::string> text = read_text(file)) through(*text, file);
  }

  std::span<const fs::path> folders_;
  std::set<fs::path> seen_;
};

}  // namespace

void require_regular_includes(const std::string& text, const fs::path& file,
                              std::span<const fs::path> folders) {
  Walk(folders).through(text, file);
}

}  // namespace warpwise::lab
