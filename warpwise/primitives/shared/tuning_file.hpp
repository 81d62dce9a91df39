#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "warpwise/primitives/shared/tuning.hpp"

// The user's file of what was tuned: text, a line for each configuration that was measured. Reads
// what anybody may have written.
namespace warpwise::tuning {

/// The first line. A file that begins otherwise is not read.
inline constexpr std::string_view file_header = "warpwise tuning 1";

/// A larger file is not read.
inline constexpr std::int64_t most_file_bytes = 1 << 20;

/// A configuration, measured on one case beside what is built in.
struct Entry {
  std::string primitive;
  std::string tunable;
  int value = 0;
  std::string kind;
  int size = 0;
  /// "faster", or why the value is not taken: "same", "slower", "unsure", "wrong", "throttled".
  std::string verdict;
  double gain = 0;   ///< the built-in value's time by this one's
  std::string why;   ///< both times, or what was wrong, in words
  std::string work;  ///< the case
  std::string source;
  Gpu gpu;
};

/// A line of the file without its end. Quotes and control characters of texts become spaces.
std::string line_of(const Entry& entry);

/// A line that was read: an entry, or why it is none.
struct Line {
  int number = 0;  ///< from 1
  std::optional<Entry> entry;
  std::string ignored;  ///< why it has no effect; empty where it has
};

/// All lines but the header, empty ones and those that begin with "#". A last line without its end,
/// which an interruption left, is ignored.
std::vector<Line> read_lines(std::string_view text);

/// What lines say for a GPU, by the key: of each key the fastest value that was faster on a case
/// and slower or wrong on none. Says in each of the others' `ignored` why it has no effect.
/// \param gpu  nothing: there is none, and no line has an effect
std::vector<Setting> settings_of(std::vector<Line>& lines, std::span<const Tunable* const> known,
                                 const std::function<std::string_view(std::string_view)>& source,
                                 const std::optional<Gpu>& gpu);

/// "threshold.tile_blocks=792 of u8-255 from 2^22"
std::string text_of(const Setting& setting);

/// $XDG_CACHE_HOME/warpwise/tuning-1.txt, or ~/.cache for $XDG_CACHE_HOME; empty without a home.
std::filesystem::path file_path();

/// Whether $WARPWISE_TUNING is "off": calls take what is built in.
bool is_off();

/// The file's text, or why it is not read; neither where there is no file.
struct FileText {
  std::string text;
  std::string ignored;
};
FileText read_file(const std::filesystem::path& path);

}  // namespace warpwise::tuning
