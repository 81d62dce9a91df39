#pragma once

#include <memory>

#include "warpwise/cli/arguments.hpp"
#include "warpwise/io/frames.hpp"
#include "warpwise/io/input_file.hpp"

namespace warpwise::cli {

/// Returns the choices of --from: `formats`, and the formats of more than 8 bits. YUV of more than
/// 8 bits has the limited range unless an option states the range.
std::vector<RawFormat> with_deep_formats(std::vector<RawFormat> formats);

/// Opens an input with headerless frames, which --from and --size describe. `input` must outlive
/// the result. \throws IoError  as io::RawFrames
std::unique_ptr<io::Frames> raw_frames(io::InputFile& input, const InputOptions& options);

}  // namespace warpwise::cli
