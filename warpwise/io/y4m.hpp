#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "warpwise/io/frames.hpp"
#include "warpwise/io/input_file.hpp"
#include "warpwise/io/picture.hpp"

// A .y4m file (YUV4MPEG2) begins with a text line that describes its frames. Each frame follows
// another text line. Video programs pass this format to one another through pipes.
namespace warpwise::io {

/// Chroma subsampling of the planes of an 8-bit frame in the file.
enum class Y4mPlanes { grey, subsampled_both_ways, subsampled_across, full };

/// The content of a file's first line.
struct Y4mHeader {
  /// Shape of the frames that Y4mFrames gives: gray8, i420, yuyv (from 4:2:2) or ycbcr32 (from
  /// 4:4:4). Samples of more than 8 bits give grey of u16 or DeepPlanes.
  PictureShape shape;
  int depth = 8;  ///< bits of a sample in the file, 8 to 16
  Y4mPlanes planes = Y4mPlanes::subsampled_both_ways;
  std::string rate = "25:1";   ///< frames a second
  std::string aspect = "0:0";  ///< aspect ratio of a pixel; 0:0 if unknown
  /// "420mpeg2", "444", "422p10", …; for 4:2:0 it also gives the chroma siting.
  std::string sampling = "420";
  bool is_range_stated = false;  ///< true if the line states the range, false if it is assumed
};

/// Size of a .y4m file's magic in bytes. On a pipe, waiting for more bytes than these could block.
inline constexpr std::size_t y4m_start_bytes = 9;

/// Returns true if `content` begins with the magic of a .y4m file.
bool is_y4m(std::span<const std::byte> content);

/// Parses the first line, given without its line feed. Missing parameters get ffmpeg's defaults.
///
/// - full_range: as XCOLORRANGE states; if the line has none, true for grey and false for colour
/// - 4:2:0 of any siting becomes i420
/// - more than 8 bits: 420p, 422p, 444p or mono, followed by the number of bits, 9 to 16
///
/// \throws IoError  interlaced frames, another colour space, or a damaged line.
Y4mHeader parse_y4m_header(std::string_view line, const std::string& name);

/// Reads the frames of a .y4m file or pipe. Samples of more than 8 bits are scaled to 16.
class Y4mFrames final : public Frames {
 public:
  /// Reads the first line. `input` must outlive this. `full_range`, if set, replaces the range that
  /// the line states.
  /// \throws IoError  as parse_y4m_header(), or the file is smaller than one frame of that size.
  explicit Y4mFrames(InputFile& input, std::optional<bool> full_range = std::nullopt);

  const Y4mHeader& header() const { return header_; }

  bool next(std::span<std::byte> pixels) override;

 private:
  Y4mFrames(InputFile& input, Y4mHeader header);
  bool skip_frame_line();

  InputFile& input_;
  Y4mHeader header_;
  std::optional<Picture> planes_;                   // buffer for a frame that has to be interleaved
  std::vector<std::vector<std::uint16_t>> levels_;  // a table per plane; none for 8 and 16 bits
  std::int64_t frames_ = 0;
};

/// Returns true if a .y4m file can hold pictures of `shape`: gray8, i420, i444, grey of u16, and
/// DeepPlanes.
bool y4m_holds(const PictureShape& shape);

/// Returns the bits per sample that the header declares for frames of u16: the smallest number from
/// 9 to 16 that is at least `depth` and that ffmpeg reads.
int y4m_depth(const PictureShape& shape, int depth);

/// Returns the first line of a file, with its line feed, for frames of `shape`. Frames of nv12,
/// nv21, yuyv or uyvy are stored as planes. `rate`, `aspect` and, for 4:2:0, `sampling` are as in
/// Y4mHeader; samples of u16 have `depth` bits. \throws InvalidArgument  for any other shape.
std::string y4m_header(const PictureShape& shape, std::string_view rate, std::string_view aspect,
                       std::string_view sampling = "420mpeg2", int depth = 16);

/// Line before each frame.
inline constexpr std::string_view y4m_frame_line = "FRAME\n";

}  // namespace warpwise::io
