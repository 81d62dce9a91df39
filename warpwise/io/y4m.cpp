#include "warpwise/io/y4m.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>

#include "warpwise/io/interleave.hpp"
#include "warpwise/io/levels.hpp"

namespace warpwise::io {
namespace {

constexpr std::string_view y4m_magic = "YUV4MPEG2";
static_assert(y4m_magic.size() == y4m_start_bytes);

// ffmpeg reads lines of at most 128 bytes. Some programs write longer lines with comments in them.
constexpr std::size_t most_line = 4096;

[[noreturn]] void fail(const std::string& name, const std::string& why) {
  throw IoError(name + " cannot be read as .y4m: " + why);
}

struct ColourSpace {
  std::string_view name;
  Y4mPlanes planes;
  PixelFormat format;
};
// The names of 4:2:0 differ in the chroma siting, not in the layout of the file.
constexpr ColourSpace colour_spaces[] = {
    {"420jpeg", Y4mPlanes::subsampled_both_ways, PixelFormat::i420},
    {"420mpeg2", Y4mPlanes::subsampled_both_ways, PixelFormat::i420},
    {"420paldv", Y4mPlanes::subsampled_both_ways, PixelFormat::i420},
    {"420", Y4mPlanes::subsampled_both_ways, PixelFormat::i420},
    {"422", Y4mPlanes::subsampled_across, PixelFormat::yuyv},
    {"444", Y4mPlanes::full, PixelFormat::ycbcr32},
    {"mono", Y4mPlanes::grey, PixelFormat::gray8},
};

// Names of colour spaces of more than 8 bits. In a header, the number of bits follows the name.
struct DeepSpace {
  std::string_view name;
  std::optional<DeepPlanes> planes;
};
constexpr DeepSpace deep_spaces[] = {{"420p", DeepPlanes::yuv420},
                                     {"422p", DeepPlanes::yuv422},
                                     {"444p", DeepPlanes::yuv444},
                                     {"mono", std::nullopt}};

PictureShape deep_shape(std::optional<DeepPlanes> planes, std::int64_t width, std::int64_t height) {
  if (planes) return PictureShape::of(*planes, width, height);
  return PictureShape::interleaved(ElementType::u16, 1, width, height);
}

// Returns the header of a colour space of more than 8 bits; nullopt for any other colour space.
std::optional<Y4mHeader> deep_header(std::string_view colours, std::int64_t width,
                                     std::int64_t height) {
  for (const DeepSpace& space : deep_spaces) {
    if (!colours.starts_with(space.name)) continue;
    for (int depth = 9; depth <= 16; ++depth) {
      if (colours.substr(space.name.size()) != std::to_string(depth)) continue;
      return Y4mHeader{.shape = deep_shape(space.planes, width, height), .depth = depth};
    }
  }
  return std::nullopt;
}

const ColourSpace& colour_space_named(std::string_view text, const std::string& name) {
  std::string known;
  for (const ColourSpace& space : colour_spaces) {
    if (space.name == text) return space;
    known += (known.empty() ? "" : ", ") + std::string(space.name);
  }
  fail(name, "its pixels are " + std::string(text) + "; " + known +
                 ", and 420p, 422p, 444p and mono with a number of bits (mono9 to 444p16), can be "
                 "read (ffmpeg's -pix_fmt yuv420p makes 420)");
}

std::int64_t extent_in(std::string_view parameter, const std::string& name) {
  std::int64_t extent = 0;
  const char* end = parameter.data() + parameter.size();
  const auto [stop, error] = std::from_chars(parameter.data() + 1, end, extent);
  if (error != std::errc() || stop != end || extent < 1) {
    fail(name, "its header says '" + std::string(parameter) + "' instead of a size");
  }
  return extent;
}

// Checks and returns the ratio of a parameter: "30000:1001" of "F30000:1001".
std::string ratio_in(std::string_view parameter, const std::string& name) {
  const std::string_view text = parameter.substr(1);
  const std::size_t colon = text.find(':');
  const auto is_number = [](std::string_view digits) {
    return !digits.empty() && digits.size() <= 10 &&
           digits.find_first_not_of("0123456789") == std::string_view::npos;
  };
  if (colon == std::string_view::npos || !is_number(text.substr(0, colon)) ||
      !is_number(text.substr(colon + 1))) {
    fail(name, "its header says '" + std::string(parameter) + "' instead of a ratio such as 25:1");
  }
  return std::string(text);
}

void require_progressive(std::string_view parameter, const std::string& name) {
  if (parameter == "Ip" || parameter == "I?") return;
  fail(name, "its frames are interlaced (" + std::string(parameter) +
                 "); deinterlace them first, for example with ffmpeg's -vf yadif");
}

std::int64_t half_up(std::int64_t n) { return n / 2 + n % 2; }

// Returns a shape that has as many bytes as a frame in the file. No PixelFormat has 4:2:2 planes,
// so a grey shape stands for them. Its rows are as long as a luma row and two chroma rows together.
PictureShape planes_of(const Y4mHeader& header) {
  const PictureShape& shape = header.shape;
  if (header.depth > 8) return shape;
  if (header.planes == Y4mPlanes::full) {
    return PictureShape::of(PixelFormat::i444, shape.width, shape.height);
  }
  if (header.planes == Y4mPlanes::subsampled_across) {
    return PictureShape::of(PixelFormat::gray8,
                            checked_add(shape.width, checked_mul(2, half_up(shape.width))),
                            shape.height);
  }
  return shape;
}

// Returns the planes of a 4:2:2 or 4:4:4 frame from the file. A chroma row has `chroma_width`
// samples.
std::array<SamplePlane, 3> planes_in(const Picture& frame, const PictureShape& shape,
                                     std::int64_t chroma_width) {
  const std::byte* luma = frame.bytes().data();
  const std::byte* cb = luma + shape.width * shape.height;
  const std::byte* cr = cb + chroma_width * shape.height;
  return {SamplePlane{luma, shape.width}, {cb, chroma_width}, {cr, chroma_width}};
}

void interleave(const Picture& planes, Y4mPlanes lie, const PictureShape& shape,
                std::span<std::byte> frame) {
  if (lie == Y4mPlanes::subsampled_across) {
    interleave_422(planes_in(planes, shape, half_up(shape.width)), shape.width, shape.height,
                   frame);
  } else {
    interleave_444(planes_in(planes, shape, shape.width), shape.width, shape.height, frame);
  }
}

// Appends the rest of a line without its line feed. Returns false if the input ends first.
bool read_line(InputFile& input, std::string& line) {
  std::byte next{};
  while (line.size() < most_line) {
    if (input.read({&next, 1}) == 0) return false;
    if (next == std::byte{'\n'}) return true;
    line += static_cast<char>(next);
  }
  fail(input.name(), "a line of its text is longer than " + std::to_string(most_line) + " bytes");
}

Y4mHeader read_header(InputFile& input, std::optional<bool> full_range) {
  std::string line;
  if (!read_line(input, line)) {
    if (line.empty()) throw IoError("cannot read " + input.name() + ": it is empty");
    fail(input.name(), "it ends inside its header");
  }
  Y4mHeader header = parse_y4m_header(line, input.name());
  if (full_range) header.shape.full_range = full_range;
  return header;
}

// Returns tables that map the file's samples to 16 bits; none for samples of 8 or 16 bits.
std::vector<std::vector<std::uint16_t>> levels_of(const Y4mHeader& header) {
  std::vector<std::vector<std::uint16_t>> tables;
  if (header.depth == 8 || header.depth == 16) return tables;
  const bool is_full = header.shape.full_range.value();
  for (int plane = 0; plane < (header.shape.planes ? 3 : 1); ++plane) {
    const Coding of_full = plane == 0 ? Coding::full : Coding::full_chroma;
    tables.push_back(levels(header.depth, 16, is_full ? of_full : Coding::limited));
  }
  return tables;
}

std::int64_t bytes_of(const PictureShape& shape, const std::string& name) {
  try {
    return shape.bytes();
  } catch (const InvalidArgument& beyond) {
    fail(name, beyond.what());
  }
}

bool is_deep(const PictureShape& shape) {
  return shape.type == ElementType::u16 && (shape.planes || shape.channels == 1);
}

// Returns a header's words for pixels of more than 8 bits: their name and, for YUV, ffmpeg's
// comment with the name in capitals: "420p10 XYSCSS=420P10".
std::string deep_name(const PictureShape& shape, int depth) {
  const auto* const space =
      std::find_if(std::begin(deep_spaces), std::end(deep_spaces),
                   [&](const DeepSpace& each) { return each.planes == shape.planes; });
  const std::string bits = std::to_string(depth);
  const std::string name = std::string(space->name) + bits;
  if (!shape.planes) return name;
  return name + " XYSCSS=" + name.substr(0, 3) + "P" + bits;
}

}  // namespace

bool is_y4m(std::span<const std::byte> content) {
  return content.size() >= y4m_magic.size() &&
         std::memcmp(content.data(), y4m_magic.data(), y4m_magic.size()) == 0;
}

Y4mHeader parse_y4m_header(std::string_view line, const std::string& name) {
  if (!line.starts_with(y4m_magic)) fail(name, "it does not begin with " + std::string(y4m_magic));
  line.remove_prefix(y4m_magic.size());
  std::int64_t width = 0;
  std::int64_t height = 0;
  std::string_view colours = "420";
  std::optional<bool> full;
  Y4mHeader header;
  while (!line.empty()) {
    if (line.front() != ' ') fail(name, "its header has parameters without a space before them");
    const std::size_t end = std::min(line.find(' ', 1), line.size());
    const std::string_view parameter = line.substr(1, end - 1);
    line.remove_prefix(end);
    if (parameter.empty()) continue;
    switch (parameter.front()) {
      case 'W': width = extent_in(parameter, name); break;
      case 'H': height = extent_in(parameter, name); break;
      case 'C': colours = parameter.substr(1); break;
      case 'F': header.rate = ratio_in(parameter, name); break;
      case 'A': header.aspect = ratio_in(parameter, name); break;
      case 'I': require_progressive(parameter, name); break;
      case 'X':
        if (parameter == "XCOLORRANGE=FULL") full = true;
        if (parameter == "XCOLORRANGE=LIMITED") full = false;
        break;  // any other X parameter is a comment
      default: fail(name, "its header has a parameter '" + std::string(parameter) + "'");
    }
  }
  if (width == 0 || height == 0) fail(name, "its header has no width or height of frames");
  if (const auto deep = deep_header(colours, width, height)) {
    header.shape = deep->shape;
    header.depth = deep->depth;
  } else {
    const ColourSpace& space = colour_space_named(colours, name);
    header.planes = space.planes;
    header.shape = PictureShape::of(space.format, width, height);
  }
  header.shape.full_range = full.value_or(colours.starts_with("mono"));
  header.is_range_stated = full.has_value();
  header.sampling = colours;
  return header;
}

Y4mFrames::Y4mFrames(InputFile& input, std::optional<bool> full_range)
    : Y4mFrames(input, read_header(input, full_range)) {}

Y4mFrames::Y4mFrames(InputFile& input, Y4mHeader header)
    : Frames(header.shape), input_(input), header_(std::move(header)), levels_(levels_of(header_)) {
  bytes_of(shape(), input.name());
  // Checks the file's size before memory is allocated for the size that a damaged header claims.
  const std::int64_t bytes = bytes_of(planes_of(header_), input.name());
  if (input.size() && *input.size() < bytes) {
    fail(input.name(), "its header says that frames have " + std::to_string(bytes) +
                           " bytes, the file has " + std::to_string(*input.size()));
  }
}

// Reads no byte after the line, because on a pipe the frame's bytes may come much later.
bool Y4mFrames::skip_frame_line() {
  std::string line(y4m_frame_line.size(), '\0');
  const std::size_t got = input_.read(std::as_writable_bytes(std::span(line)));
  if (got == 0 && frames_ > 0) return false;
  if (got == 0) fail(input_.name(), "it has no frame");
  ++frames_;
  const std::string which = "frame " + std::to_string(frames_);
  if (line == y4m_frame_line) return true;
  line.resize(got);
  if (got == y4m_frame_line.size() && line.starts_with("FRAME ") && read_line(input_, line)) {
    return true;
  }
  fail(input_.name(), y4m_frame_line.starts_with(line) || line.starts_with("FRAME ")
                          ? "it ends inside the line before " + which
                          : which + " does not begin with the word FRAME");
}

bool Y4mFrames::next(std::span<std::byte> pixels) {
  if (!skip_frame_line()) return false;
  const bool lies_otherwise =
      header_.depth == 8 &&
      (header_.planes == Y4mPlanes::subsampled_across || header_.planes == Y4mPlanes::full);
  if (lies_otherwise && !planes_) planes_.emplace(planes_of(header_));
  const std::span<std::byte> bytes = lies_otherwise ? planes_->bytes() : pixels;
  const std::size_t got = input_.read(bytes);
  if (got < bytes.size()) {
    fail(input_.name(), "it ends inside frame " + std::to_string(frames_) + ": " +
                            std::to_string(got) + " bytes of " + std::to_string(bytes.size()));
  }
  if (lies_otherwise) interleave(*planes_, header_.planes, shape(), pixels);
  map_planes(shape(), levels_, pixels, pixels);
  return true;
}

bool y4m_holds(const PictureShape& shape) {
  return is_deep(shape) || shape.format == PixelFormat::gray8 ||
         shape.format == PixelFormat::i420 || shape.format == PixelFormat::i444;
}

int y4m_depth(const PictureShape& shape, int depth) {
  for (const int bits : {9, 10, 12, 14}) {
    const bool is_read = bits != 14 || shape.planes;  // ffmpeg has no mono14
    if (bits >= depth && is_read) return bits;
  }
  return 16;
}

std::string y4m_header(const PictureShape& shape, std::string_view rate, std::string_view aspect,
                       std::string_view sampling, int depth) {
  const auto is = [&](PixelFormat format) { return shape.format == format; };
  const bool is_422 = is(PixelFormat::yuyv) || is(PixelFormat::uyvy);
  const bool is_semi_planar = is(PixelFormat::nv12) || is(PixelFormat::nv21);
  if (!y4m_holds(shape) && !is_422 && !is_semi_planar) {
    throw InvalidArgument("a .y4m file cannot hold " + shape.pixel_text());
  }
  std::string header(y4m_magic);
  header += " W" + std::to_string(shape.width) + " H" + std::to_string(shape.height);
  header += " F" + std::string(rate) + " Ip A" + std::string(aspect);
  if (is(PixelFormat::gray8)) sampling = "mono";
  if (is(PixelFormat::i444)) sampling = "444";
  if (is_422) sampling = "422";
  header += " C" + (is_deep(shape) ? deep_name(shape, depth) : std::string(sampling));
  header += shape.full_range.value_or(true) ? " XCOLORRANGE=FULL\n" : " XCOLORRANGE=LIMITED\n";
  return header;
}

}  // namespace warpwise::io
