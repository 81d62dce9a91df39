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

// The user's file of tuned values: text, with a line for each measured configuration. Anybody may
// have written it, so nothing in it is trusted.
namespace warpwise::tuning {

/// The first line. A file that begins otherwise is not read.
inline constexpr std::string_view file_header = "warpwise tuning 1";

/// A larger file is not read.
inline constexpr std::int64_t most_file_bytes = 1 << 20;

/// A configuration and its measurement on one case, compared with the built-in value.
struct Entry {
  std::string primitive;
  std::string tunable;
  int value = 0;
  std::string kind;
  int size = 0;
  /// "faster", or the reason why the value is not taken: "same", "slower", "unsure", "wrong",
  /// "throttled".
  std::string verdict;
  double gain = 0;   ///< the built-in value's time divided by this one's
  std::string why;   ///< both times, or the error, in words
  std::string work;  ///< the case
  std::string source;
  Gpu gpu;
};

/// Returns a line of the file without its end. Quotes and control characters in texts become
/// spaces.
std::string line_of(const Entry& entry);

/// A line that was read: an entry, or the reason why it is none.
struct Line {
  int number = 0;  ///< from 1
  std::optional<Entry> entry;
  std::string ignored;  ///< why it has no effect; empty if it has one
};

/// Returns all lines except the header, empty ones and those that begin with "#". A last line
/// without its end, left by an interruption, is ignored.
std::vector<Line> read_lines(std::string_view text);

/// Returns the settings of a GPU, by key: for each key the fastest value that was faster on some
/// case and slower or wrong on none. Writes to `ignored` of the other lines why they have no
/// effect.
/// \param gpu  nothing: there is none, and no line has an effect
std::vector<Setting> settings_of(std::vector<Line>& lines, std::span<const Tunable* const> known,
                                 const std::function<std::string_view(std::string_view)>& source,
                                 const std::optional<Gpu>& gpu);

/// "threshold.tile_blocks=792 of u8-255 from 2^22"
std::string text_of(const Setting& setting);

/// Returns $XDG_CACHE_HOME/warpwise/tuning-1.txt, or ~/.cache for $XDG_CACHE_HOME; empty without a
/// home.
std::filesystem::path file_path();

/// Says whether $WARPWISE_TUNING is "off": then calls take the built-in values.
bool is_off();

/// The file's text, or the reason why it is not read; both are empty if there is no file.
struct FileText {
  std::string text;
  std::string ignored;
};
FileText read_file(const std::filesystem::path& path);

}  // namespace warpwise::tuning
