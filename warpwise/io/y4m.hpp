#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "warpwise/io/frames.hpp"
#include "warpwise/io/input_file.hpp"
#include "warpwise/io/picture.hpp"

// YUV4MPEG2: a line of text that says what the frames are, then the frames, each behind a line of
// its own. What programs that work on video pass to one another through pipes.
namespace warpwise::io {

/// How the planes of a frame lie in the file.
enum class Y4mPlanes { grey, subsampled_both_ways, subsampled_across, full };

/// What the first line says.
struct Y4mHeader {
  /// Of the frames as Y4mFrames gives them: gray8, i420, yuyv (of 4:2:2) or ycbcr32 (of 4:4:4).
  PictureShape shape;
  Y4mPlanes planes = Y4mPlanes::subsampled_both_ways;
  std::string rate = "25:1";   ///< frames a second
  std::string aspect = "0:0";  ///< of a pixel; 0:0 where it is not known
  /// "420mpeg2", "444", …: of 4:2:0 it also says where the chroma samples lie.
  std::string sampling = "420";
  bool says_range = false;  ///< whether shape.full_range was said, not taken for granted
};

/// Bytes from which a .y4m file is told. A pipe may have no more of them for now.
inline constexpr std::size_t y4m_start_bytes = 9;

/// Whether `content` begins as a .y4m file does.
bool is_y4m(std::span<const std::byte> content);

/// Reads the line without its end. Frames are limited to full_range = false unless the line says
/// XCOLORRANGE=FULL, and grey ones full unless it says LIMITED, as ffmpeg takes them. 4:2:0 of
/// every siting is i420. \throws IoError  interlaced frames, more than 8 bits, alpha, or a damaged
/// line.
Y4mHeader parse_y4m_header(std::string_view line, const std::string& name);

/// The frames of a .y4m file or pipe.
class Y4mFrames final : public Frames {
 public:
  /// Reads the first line. `input` outlives this.
  /// \throws IoError  as parse_y4m_header(), or the file is smaller than a frame of that size.
  explicit Y4mFrames(InputFile& input);

  const Y4mHeader& header() const { return header_; }

  bool next(std::span<std::byte> pixels) override;

 private:
  Y4mFrames(InputFile& input, Y4mHeader header);
  bool skip_frame_line();

  InputFile& input_;
  Y4mHeader header_;
  std::optional<Picture> planes_;  // of a frame whose planes lie otherwise in the file
  std::int64_t frames_ = 0;
};

/// Whether a .y4m file can hold such pictures: gray8, i420 and i444.
bool y4m_holds(const PictureShape& shape);

/// The first line of a file of such frames, with its end; `rate`, `aspect` and, for i420,
/// `sampling` as in Y4mHeader. \throws InvalidArgument  unless y4m_holds(shape).
std::string y4m_header(const PictureShape& shape, std::string_view rate, std::string_view aspect,
                       std::string_view sampling = "420mpeg2");

/// What stands before each frame.
inline constexpr std::string_view y4m_frame_line = "FRAME\n";

}  // namespace warpwise::io
