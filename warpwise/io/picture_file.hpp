#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "warpwise/io/input_file.hpp"
#include "warpwise/io/output_file.hpp"
#include "warpwise/io/picture.hpp"
#include "warpwise/io/y4m.hpp"

// Picture files of any kind by their names: headerless .raw, .npy, .y4m, and image files through
// the modules of image_module.hpp.
namespace warpwise::io {

/// The type of a file by its name: ".png", in lower case; ".raw" for "-", pipes and devices; empty
/// for a name without one.
std::string extension_of(const std::string& path);

/// Whether files of that extension are pictures that read_picture() may read; in a folder the
/// others are passed over.
bool is_readable_extension(std::string_view extension);

/// How well a file type holds a picture.
enum class Holding { not_at_all, lossy, exact };
Holding holding(std::string_view extension, const PictureShape& shape);

/// ".npy, .tiff, .raw": the file types that hold such a picture exactly, for messages.
std::string extensions_that_hold(const PictureShape& shape);

/// "a.gif cannot hold rgb24: no .gif files are written here; files of these types can: .png, …",
/// for a path whose type holds no such picture.
std::string why_not_held(const std::string& path, const PictureShape& shape);

/// The frames of a .y4m file, told by its content; null if it is something else. `file` outlives
/// them. \throws IoError  as Y4mFrames
std::unique_ptr<Y4mFrames> y4m_frames_in(InputFile& file);

/// Reads a whole .npy or image file, told apart by their content. Loads the image's module
/// for the latter only. Of a device or a pipe without an end no more is read than such a file may
/// have.
/// \throws IoError  empty, cut short, no picture, too large, or the image module is missing.
Picture read_picture(InputFile& file);

/// Refuses a file by its first bytes where read_picture() and y4m_frames_in() would.
/// \throws IoError  as above, as far as it shows there.
void require_picture(InputFile& file);

/// Whether a file of that extension takes any number of pictures of one shape.
bool takes_many_pictures(std::string_view extension);

/// Where a picture stands among those that one file takes.
struct Sequence {
  std::int64_t before = 0;  ///< pictures that were written to the file
  /// What the header of a .y4m file says, as in Y4mHeader.
  std::string rate = Y4mHeader().rate;
  std::string aspect = Y4mHeader().aspect;
};

/// The bytes of a file of that extension that holds `picture`, in pieces: a header and the
/// picture's own bytes, or an encoded image. \throws IoError  the extension does not hold it, or
/// the image module is missing.
void write_picture(OutputFile& file, std::string_view extension, const Picture& picture,
                   const Sequence& sequence = {});

}  // namespace warpwise::io
