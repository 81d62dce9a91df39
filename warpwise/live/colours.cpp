#include "warpwise/live/colours.hpp"

namespace warpwise::live {
namespace {

template <class T>
WithOrigin<T> decide(const std::optional<T>& option, const std::optional<T>& tag, T guess) {
  if (option) return {*option, Origin::option};
  if (tag) return {*tag, Origin::tag};
  return {guess, Origin::guess};
}

template <class T>
std::string text_of(const WithOrigin<T>& told) {
  return std::string(name_of(told.value)) + " (" + std::string(name_of(told.origin)) + ")";
}

}  // namespace

Colours decide_colours(const io::PictureShape& shape, const ColourTags& options,
                       const ColourTags& tags) {
  const bool is_high_definition = shape.width > 1024 || shape.height > 576;
  const bool is_grey = shape.channels == 1;
  return {decide(options.matrix, tags.matrix, is_high_definition ? Matrix::bt709 : Matrix::bt601),
          decide(options.range, tags.range, is_grey ? Range::full : Range::limited),
          decide(options.siting, tags.siting, Siting::left)};
}

WithOrigin<Siting> siting_of_row_means(WithOrigin<Siting> siting) {
  return siting.value == Siting::top_left ? WithOrigin<Siting>{Siting::left, Origin::stage}
                                          : siting;
}

bool has_alpha(PixelFormat format) {
  return format == PixelFormat::rgba32 || format == PixelFormat::bgra32;
}

std::string text_of(const Colours& colours, PixelFormat format) {
  if (!has_luma(format)) return {};
  if (format == PixelFormat::gray8) return text_of(colours.range);
  std::string text = text_of(colours.matrix) + ", " + text_of(colours.range);
  if (is_subsampled(format)) text += ", chroma " + text_of(colours.siting);
  return text;
}

}  // namespace warpwise::live
