#pragma once

#include <algorithm>
#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "warpwise/algorithms/track/track.hpp"
#include "warpwise/live/deep_layout.hpp"
#include "warpwise/live/stage.hpp"
#include "warpwise/primitives/convert/convert.hpp"
#include "warpwise/primitives/disparity/disparity.hpp"
#include "warpwise/primitives/match/match.hpp"
#include "warpwise/primitives/sobel/sobel.hpp"
#include "warpwise/primitives/threshold/threshold.hpp"

// Functions that make stages from their text in the pipeline and from parsed options. Grey and YUV
// results have full range, unless a stage's comment says otherwise.
namespace warpwise::live {

/// Convention of the grey that stages compute from RGB: the grey of cv::COLOR_RGB2GRAY.
inline constexpr Convention convention_of_grey = Convention::opencv;

/// The user's choices for a conversion; the frames determine the rest.
struct ConvertChoices {
  std::optional<Matrix> matrix = std::nullopt;
  std::optional<Range> from_range = std::nullopt;
  std::optional<Range> to_range = std::nullopt;
  Convention convention = Convention::exact;
  ChromaUpsampling upsampling = ChromaUpsampling::replicate;
  /// true: convert()'s own defaults apply, which depend on the convention. The frames decide
  /// only the input range, if their shape states it.
  bool by_convention = false;
};

/// The formats that convert_stage() makes: those of convert(), and five with subsampled chroma.
inline constexpr std::array frame_destinations = [] {
  constexpr std::array shared = {PixelFormat::i420, PixelFormat::nv12, PixelFormat::nv21,
                                 PixelFormat::yuyv, PixelFormat::uyvy};
  std::array<PixelFormat, convert_destinations.size() + shared.size()> all{};
  std::copy(shared.begin(), shared.end(),
            std::copy(convert_destinations.begin(), convert_destinations.end(), all.begin()));
  return all;
}();

/// Converts frames to the format `to` by convert(). Formats with subsampled chroma are made from
/// i444 by share_chroma(). Properties without a choice have these defaults:
///
/// - input matrix and range: the stream's
/// - output range: full from RGB, the input's range from YUV or grey
/// - matrix for RGB input: the stream's; BT.601 with the conventions opencv and jfif
///
/// Grey of limited range, which convert() does not take, is scaled like luma. For 4:4:4,
/// luma_alone() computes the same Y as the whole conversion, byte for byte.
///
/// begin() throws InvalidArgument (with by_convention only for pixels of more than 8 bits):
///
/// - if convert() does not define this conversion, with convert()'s message
/// - for YUV to YUV with another matrix, and for pixels of more than 8 bits
/// - for ChromaUpsampling::linear, if the chroma is not sited left
std::unique_ptr<Stage> convert_stage(std::string text, PixelFormat to,
                                     const ConvertChoices& choices = {});

/// Computes the grey of u16 and f32 colours by grey(). Pipelines insert this stage.
std::unique_ptr<Stage> grey_stage();

/// Rounds the samples of deep frames (more than 8 bits) by round_to_8_bits(). The result is the
/// stream of narrowed(). Pipelines insert this stage.
std::unique_ptr<Stage> narrow_stage();

/// Result of deep_stage(): planes, or rgb48 (three channels of u16) if `planes` is not set.
struct DeepTarget {
  std::optional<io::DeepPlanes> planes = std::nullopt;
  /// "p010" or "p016" to interleave Cb and Cr in frames without headers; otherwise empty
  std::string_view layout = {};
};
inline constexpr std::array deep_targets = {DeepTarget{},
                                            DeepTarget{io::DeepPlanes::yuv420},
                                            DeepTarget{io::DeepPlanes::yuv422},
                                            DeepTarget{io::DeepPlanes::yuv444},
                                            DeepTarget{io::DeepPlanes::yuv420, "p010"},
                                            DeepTarget{io::DeepPlanes::yuv420, "p016"}};
using warpwise::name_of;
/// Returns "rgb48", "yuv420p16", "p010", …
inline std::string_view name_of(DeepTarget target) {
  if (!target.layout.empty()) return target.layout;
  return target.planes ? name_of(*target.planes) : "rgb48";
}

/// Converts colours of deep frames by convert_deep(): to rgb48, or to planes. The result's chroma
/// is sited at the centre. From YUV with the same horizontal subsampling, chroma keeps its
/// horizontal siting. p010 and p016 are layouts of frames without headers: sinks of other kinds get
/// yuv420 planes of that depth. Defaults are those of convert_stage(), except that planes from RGB
/// and grey have limited range, which readers of headerless frames assume.
///
/// begin() throws InvalidArgument for frames of 8 bits, for YUV to YUV with another matrix, for
/// limited range of RGB, for any convention except exact, and for any upsampling except replicate.
std::unique_ptr<Stage> deep_stage(std::string text, DeepTarget to,
                                  const ConvertChoices& choices = {});

/// Computes on the CPU the grey that a Pipeline makes of a picture for stages that read gray8.
/// \throws InvalidArgument  the picture's pixels cannot become grey.
io::Picture grey_of(const io::Picture& colour);

/// Computes edges by sobel(), from grey and 8-bit RGB directly and from the luma of YUV. Results
/// have the pixels' type if sobel_dst_types() has it (magnitudes saturate), otherwise its first
/// type. The order of channels comes from the frame's format, not from the options.
std::unique_ptr<Stage> sobel_stage(std::string text, const SobelOptions& options = {});

/// Returns the largest value of u8 or u16.
constexpr std::uint32_t largest_of(ElementType type) {
  return type == ElementType::u16 ? 65535 : 255;
}

/// Thresholds grey of u8 or u16 by threshold(). The result is grey of the same type. If `is_white`,
/// the type's largest value replaces the options' maximum.
///
/// begin() throws InvalidArgument for options that threshold() does not take with the pixels' type.
std::unique_ptr<Stage> threshold_stage(std::string text, const ThresholdOptions& options,
                                       bool is_white = false);

/// Returns the options for grey pixels of a shape.
using ThresholdChoice = std::function<ThresholdOptions(const io::PictureShape&)>;

/// Thresholds grey with options that depend on its shape. If `gives_mean`, the mean image is a
/// second result: f32 for ThresholdMethod::exact_mean, otherwise of the pixels' type.
std::unique_ptr<Stage> threshold_by_shape(std::string text, ThresholdChoice choose,
                                          bool gives_mean = false);

/// Runs consecutive stages as one Chain. Each stage must have a chain_step(). On a GPU the chain
/// must be one kernel, which keeps nothing between frames: run() throws InvalidArgument if
/// Chain::is_fused() is false. Pipeline::join_chains() joins only stages that are one kernel.
std::unique_ptr<Stage> chain_stage(std::vector<std::shared_ptr<Stage>> stages);

/// Computes the motion since the previous frame, by match() of both frames' grey. The result is
/// rgb24 in the colours of draw_motion(). The first frame gives a white picture.
///
/// A motion of `max_motion` pixels (at least 1) has full colour. The default is the largest
/// displacement searched along an axis. A scale that follows the frames' content would flicker.
///
/// If `flo_folder` is not empty, the vectors are written there: those of the second frame to
/// 000002.flo. begin() creates the folder. begin() and run() throw IoError if they cannot write.
///
/// The stage remembers the last frame. On a GPU it waits for the stream, because the host colours
/// the blocks. begin() throws InvalidArgument if match_grid() does.
/// \throws InvalidArgument  max_motion is below 1.
std::unique_ptr<Stage> match_stage(std::string text, const MatchOptions& options = {},
                                   std::optional<float> max_motion = std::nullopt,
                                   std::string flo_folder = {});

/// Computes the disparity of a stereo pair, side by side in one frame with the left image on the
/// left. It applies disparity() to the grey of both halves. The result is rgb24 of the left half's
/// size in the colours of draw_disparity().
///
/// On a GPU the stage waits for the stream, because the host colours the pixels. begin() throws
/// InvalidArgument for frames of odd width.
/// \throws InvalidArgument  disparity() does not take the options.
std::unique_ptr<Stage> disparity_stage(std::string text, const DisparityOptions& options = {});

/// Draws the box that Tracker follows on the frames, as rgb24. The outline is 2 pixels wide inside
/// the box: green, or red at the last place of a lost box. `box` is the place in the first frame.
/// Tracker compares the grey of cv::cvtColor(COLOR_RGB2GRAY).
///
/// The stage remembers the box's place. On a GPU it waits for the stream, as DeviceTracker does.
/// begin() throws InvalidArgument if Tracker does.
std::unique_ptr<Stage> track_stage(std::string text, const Box& box,
                                   const TrackOptions& options = {});

}  // namespace warpwise::live
