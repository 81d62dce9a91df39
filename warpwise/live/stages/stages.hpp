#pragma once

#include <memory>
#include <optional>
#include <string>

#include "warpwise/algorithms/track/track.hpp"
#include "warpwise/live/stage.hpp"
#include "warpwise/primitives/convert/convert.hpp"
#include "warpwise/primitives/disparity/disparity.hpp"
#include "warpwise/primitives/match/match.hpp"
#include "warpwise/primitives/sobel/sobel.hpp"
#include "warpwise/primitives/threshold/threshold.hpp"

// The stages that there are. Each is made of its text in the pipeline and what its options say;
// grey and YUV results are of full range, unless a stage says otherwise.
namespace warpwise::live {

/// Whose grey stages read where RGB comes: COLOR_RGB2GRAY's.
inline constexpr Convention convention_of_grey = Convention::opencv;

/// What somebody chose of a conversion; the rest follows from the frames.
struct ConvertChoices {
  std::optional<Matrix> matrix = std::nullopt;
  std::optional<Range> from_range = std::nullopt;
  std::optional<Range> to_range = std::nullopt;
  Convention convention = Convention::exact;
  ChromaUpsampling upsampling = ChromaUpsampling::replicate;
};

/// Frames of the format `to`, by convert(). Where the choices are silent, the matrix and the range
/// of what comes in are the stream's; what comes out of RGB is of full range, of YUV or grey of the
/// range that it had. Grey of limited range, which convert() does not take, is scaled as luma is.
/// RGB is converted with BT.601 by the conventions that have no other matrix, opencv and jfif.
///
/// Its luma_alone() gives the Y of these frames, byte for byte.
///
/// Its begin() throws InvalidArgument where convert() does not define the formats with these
/// choices, by convert()'s own message, and for ChromaUpsampling::linear where the chroma is not
/// on the left.
std::unique_ptr<Stage> convert_stage(std::string text, PixelFormat to,
                                     const ConvertChoices& choices = {});

/// Edges by sobel() as gray8, of grey and RGB as they are and of the luma of YUV. The order of
/// channels in the options does not count: the frame's format has it.
/// \throws InvalidArgument  an output other than the magnitude, which does not fit 8 bits.
std::unique_ptr<Stage> sobel_stage(std::string text, const SobelOptions& options = {});

/// Grey frames cut in two by threshold(), as gray8.
/// \throws InvalidArgument  options that threshold() does not take for 8-bit pixels.
std::unique_ptr<Stage> threshold_stage(std::string text, const ThresholdOptions& options);

/// Stages that follow one another, each of which is a step of a Chain, by that chain. On a GPU only
/// where it is one kernel, which keeps nothing between frames: run() throws InvalidArgument for
/// frames of which Chain::is_fused() is false. Pipeline::join_chains() makes no such stage.
std::unique_ptr<Stage> chain_stage(std::vector<std::shared_ptr<Stage>> stages);

/// The motion from the frame before, by match() of their grey, as rgb24 in the colours of
/// draw_motion(). A motion of `max_motion` pixels (at least 1) has full colour; unless it is given,
/// that is the largest displacement that is searched along an axis: a scale that follows the frames
/// would flicker. The first frame, which has none before it, gives a white picture. The vectors go
/// into `flo_folder` too, if that is named, which begin() makes: those of the second frame as
/// 000002.flo. run() then throws IoError where they cannot be written.
///
/// It remembers the last frame. On a GPU it waits for the stream: the host colours the blocks.
/// Its begin() throws InvalidArgument where match_grid() does.
/// \throws InvalidArgument  max_motion is below 1.
std::unique_ptr<Stage> match_stage(std::string text, const MatchOptions& options = {},
                                   std::optional<float> max_motion = std::nullopt,
                                   std::string flo_folder = {});

/// The disparity of a stereo pair side by side in one frame, the left image on the left: by
/// disparity() of their grey, as rgb24 of the left half's size in the colours of draw_disparity().
///
/// On a GPU it waits for the stream: the host colours the pixels. Its begin() throws
/// InvalidArgument for frames of odd width.
/// \throws InvalidArgument  options that disparity() does not take.
std::unique_ptr<Stage> disparity_stage(std::string text, const DisparityOptions& options = {});

/// The frames as rgb24 with the outline of a box that is followed by Tracker, 2 pixels wide inside
/// the box. The box is the one of the first frame; what is compared is the grey of
/// cv::cvtColor(COLOR_RGB2GRAY).
///
/// It remembers where the box is. On a GPU it waits for the stream, as DeviceTracker does. Its
/// begin() throws InvalidArgument where Tracker does.
std::unique_ptr<Stage> track_stage(std::string text, const Box& box,
                                   const TrackOptions& options = {});

}  // namespace warpwise::live
