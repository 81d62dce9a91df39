#pragma once

#include <memory>

#include "warpwise/cli/arguments.hpp"
#include "warpwise/io/frames.hpp"
#include "warpwise/io/input_file.hpp"

namespace warpwise::cli {

/// Returns `formats` and the formats of more than 8 bits, for --from. YUV of more than 8 bits has
/// limited range unless an option says otherwise.
std::vector<RawFormat> with_deep_formats(std::vector<RawFormat> formats);

/// Opens an input with headerless frames, described by --from and --size. `input` must outlive the
/// result. \throws IoError  as io::RawFrames
std::unique_ptr<io::Frames> raw_frames(io::InputFile& input, const InputOptions& options);

}  // namespace warpwise::cli
