#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "warpwise/io/image_module.hpp"
#include "warpwise/io/input_file.hpp"
#include "warpwise/io/output_file.hpp"
#include "warpwise/io/picture.hpp"
#include "warpwise/io/y4m.hpp"

// Picture files of any kind: headerless .raw, .npy, .y4m, and image files, most of them through the
// modules of image_module.hpp.
namespace warpwise::io {

/// Returns a path's extension in lower case: ".png". Without an extension, returns ".raw" for "-",
/// pipes and devices, and an empty string for other names.
std::string extension_of(const std::string& path);

/// Returns true for extensions of files that read_picture() or y4m_frames_in() may read. Files with
/// other extensions are skipped in an input folder.
bool is_readable_extension(std::string_view extension);

/// How well a file type holds a picture.
enum class StorageFidelity { unsupported, lossy, exact };
StorageFidelity storage_fidelity(std::string_view extension, const PictureShape& shape);

/// Lists the file types that hold a picture of `shape` exactly, for messages: ".tiff, .npy, .raw".
std::string extensions_that_hold(const PictureShape& shape);

/// Explains why the file `path` cannot hold a picture of `shape`: "a.gif cannot hold rgb24: no .gif
/// files are written here; files of these types can: .png, …".
std::string why_not_held(const std::string& path, const PictureShape& shape);

/// Returns the frames of a .y4m file, recognised by its content; null for any other file. `file`
/// must outlive the result. `full_range` overrides the header's. \throws IoError  as Y4mFrames()
std::unique_ptr<Y4mFrames> y4m_frames_in(InputFile& file,
                                         std::optional<bool> full_range = std::nullopt);

/// Reads a whole .npy or image file, recognised by its content, and turns the picture upright.
/// Loads a module only for an image file. Reads an endless pipe only up to the files' size limit.
/// \throws IoError  the file is empty, truncated, too large or no picture, or lacks its module.
Picture read_picture(InputFile& file);
/// Reads a picture as read_picture() does, but does not turn it: its orientation() states the turn.
Picture read_stored_picture(InputFile& file, bool luma = false);

/// Selects the page and the channels that are read from a file.
struct PictureSelection {
  /// number of the picture in a file with several pictures, from 1
  std::optional<std::int64_t> page = std::nullopt;
  bool luma = false;  ///< if true, only the luma of JPEG files in YCbCr is read, as grey
};

/// A picture, its number in its file, and the number of pictures in that file.
struct PictureOfSeveral {
  Picture picture;
  std::int64_t number = 1;  ///< counted from 1
  std::int64_t count = 1;
};

/// Reads picture number selection.page as it is stored; without a number, the first picture.
/// \throws IoError  as read_picture(); the file has fewer pictures; or the picture is a later one
///                  of an animated PNG or GIF file, of which only the first can be read here.
PictureOfSeveral read_picture_of_several(InputFile& file, const PictureSelection& selection);

/// Reads the bytes of a JPEG file. Returns nullopt for any other file, and consumes no byte then.
/// \throws IoError  as read_picture()
std::optional<std::vector<std::byte>> read_jpeg(InputFile& file);

/// Decodes the bytes of a JPEG file as read_stored_picture() does. \throws IoError
Picture decode_jpeg(std::span<const std::byte> content, const std::string& name, bool luma);

/// Reads the pictures of a file one by one: pages of a TIFF file, frames of an animated WebP file.
/// Any other file gives one picture. \throws IoError  as read_picture()
std::unique_ptr<Pages> pages_in(InputFile& file, bool luma = false);

/// Counts a file's pictures, including those of an animation that only `warpwise stream` can read.
/// \throws IoError  as read_picture()
std::int64_t count_pictures(InputFile& file);

/// Checks by a file's first bytes that read_picture() or y4m_frames_in() can read its format. Loads
/// the format's image module, if it has its own.
/// \throws IoError  the first bytes are of no such format, or the module is missing.
void require_readable_format(InputFile& file);

/// Returns true for extensions whose files hold any number of pictures of one shape.
bool takes_many_pictures(std::string_view extension);

/// States a picture's position in a file of several pictures, and values for the file's header.
struct Sequence {
  std::int64_t pictures_written = 0;  ///< pictures already written to the file
  /// Rate in the header of a .y4m file, as in Y4mHeader.
  std::string rate = Y4mHeader().rate;
  std::string aspect = Y4mHeader().aspect;
  std::string sampling = "420mpeg2";  ///< name of 8-bit 4:2:0 with its chroma siting
};

/// Writes `picture` as a file of the type that `extension` names: a header and the picture's bytes,
/// or an encoded image. \throws IoError  such a file cannot hold the picture, or the image module
/// is missing.
void write_picture(OutputFile& file, std::string_view extension, const Picture& picture,
                   const Sequence& sequence = {});

}  // namespace warpwise::io
