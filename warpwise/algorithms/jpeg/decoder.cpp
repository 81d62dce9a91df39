#include "warpwise/algorithms/jpeg/decoder.hpp"

#include <algorithm>
#include <cstring>

#include "warpwise/algorithms/jpeg/backends.hpp"
#include "warpwise/base/error.hpp"
#include "warpwise/gpu/stream.hpp"

namespace warpwise::jpeg {
namespace {

using namespace kernels::jpeg;

// Parts of one memory block, each at a multiple of 256 bytes.
class Places {
 public:
  template <class T>
  std::size_t add(std::size_t count) {
    const std::size_t place = bytes_;
    bytes_ = (bytes_ + count * sizeof(T) + 255) / 256 * 256;
    return place;
  }
  std::size_t bytes() const { return bytes_; }

 private:
  std::size_t bytes_ = 0;
};

// Copies entropy-coded data without the zero byte after each 0xff. Returns the end of the copy.
std::byte* unstuffed(std::span<const std::byte> data, std::byte* to) {
  while (!data.empty()) {
    const void* found = std::memchr(data.data(), 0xff, data.size());
    const std::size_t count =
        found == nullptr
            ? data.size()
            : static_cast<std::size_t>(static_cast<const std::byte*>(found) - data.data()) + 1;
    std::memcpy(to, data.data(), count);
    to += count;
    data = data.subspan(std::min(count + 1, data.size()));
  }
  return to;
}

// Divides the data into sequences. `ends` has the end of each segment's bytes.
void divide(const Scan& scan, std::span<const std::size_t> ends, std::vector<Segment>& segments,
            std::vector<Sequence>& sequences) {
  const std::int64_t blocks = scan.units_in_row() * scan.rows_of_units() * scan.blocks_of_unit();
  const std::int64_t of_segment = scan.units_of_segment * scan.blocks_of_unit();
  std::uint32_t bit = 0;
  for (std::size_t i = 0; i < ends.size(); ++i) {
    const std::int64_t first = static_cast<std::int64_t>(i) * of_segment;
    segments.push_back({static_cast<std::uint32_t>(sequences.size()),
                        static_cast<std::uint32_t>(first),
                        static_cast<std::uint32_t>(std::min(first + of_segment, blocks))});
    const auto end = static_cast<std::uint32_t>(8 * ends[i]);
    do {  // a segment without bytes has one sequence too, which then fails
      const std::uint32_t next = end - bit > sequence_bits ? bit + sequence_bits : end;
      sequences.push_back({bit, next, static_cast<std::uint32_t>(i)});
      bit = next;
    } while (bit < end);
  }
}

}  // namespace

std::byte* Decoder::staging(std::size_t bytes) {
  if (!staging_ || staging_->bytes() < static_cast<std::int64_t>(bytes)) {
    staging_.emplace(static_cast<std::int64_t>(bytes + bytes / 2));
  }
  return staging_->data();
}

bool Decoder::decode(const Scan& scan, Pixels pixels, std::byte* to, gpu::StreamHandle stream) {
  if (pixels == Pixels::rgb24 && scan.components != 3) {
    throw InvalidArgument("rgb24 needs a JPEG file of three components");
  }
  std::size_t stuffed = 0;
  for (const auto segment : scan.segments) stuffed += segment.size();
  const std::size_t most_sequences = stuffed * 8 / sequence_bits + scan.segments.size();

  // The host writes this part and uploads it.
  Places places;
  const std::size_t tables_at = places.add<Tables>(1);
  const std::size_t segments_at = places.add<Segment>(scan.segments.size());
  const std::size_t sequences_at = places.add<Sequence>(most_sequences);
  const std::size_t words_at = places.add<std::byte>(stuffed + 16);
  const std::size_t uploaded = places.bytes();
  std::byte* const host = staging(uploaded + sizeof(std::uint32_t));
  std::vector<std::size_t> ends;
  std::byte* end = host + words_at;
  for (const auto segment : scan.segments) {
    end = unstuffed(segment, end);
    ends.push_back(static_cast<std::size_t>(end - host) - words_at);
  }
  std::memset(end, 0, 16);
  std::vector<Segment> segments;
  std::vector<Sequence> sequences;
  divide(scan, ends, segments, sequences);
  std::memcpy(host + tables_at, &scan.tables, sizeof scan.tables);
  std::memcpy(host + segments_at, segments.data(), segments.size() * sizeof segments[0]);
  std::memcpy(host + sequences_at, sequences.data(), sequences.size() * sizeof sequences[0]);

  // The kernels write the rest.
  const auto blocks =
      static_cast<std::size_t>(scan.units_in_row() * scan.rows_of_units() * scan.blocks_of_unit());
  const bool has_colour = pixels == Pixels::rgb24;
  const std::size_t count = sequences.size();
  const std::size_t entered_at = places.add<std::uint64_t>(count);
  const std::size_t left_at = places.add<std::uint64_t>(count);
  const std::size_t before_at = places.add<std::uint64_t>(count);
  const std::size_t after_at = places.add<std::uint64_t>(count);
  const std::size_t sums_at = places.add<Sums>(count);
  const std::size_t group_sums_at = places.add<Sums>(count);
  const std::size_t sums_before_at = places.add<Sums>(count);
  const std::size_t failed_at = places.add<std::uint32_t>(1);
  const std::size_t coefficients_at = places.add<std::int16_t>(blocks * 64);
  const std::size_t zeros_end = places.bytes();
  Arguments args{};
  std::size_t planes_at[3] = {};
  for (int c = 0; c < (has_colour ? 3 : 1); ++c) {
    const std::int64_t across = c == 0 ? scan.across : 1;
    const std::int64_t down = c == 0 ? scan.down : 1;
    Plane& plane = args.planes[c];
    plane.pitch = static_cast<std::uint32_t>(scan.units_in_row() * across * 8);
    plane.width = static_cast<std::uint32_t>((scan.width * across + scan.across - 1) / scan.across);
    plane.height = static_cast<std::uint32_t>((scan.height * down + scan.down - 1) / scan.down);
    planes_at[c] = places.add<std::uint8_t>(
        plane.pitch * static_cast<std::size_t>(scan.rows_of_units() * down * 8));
  }

  const gpu::Buffer memory(static_cast<std::int64_t>(places.bytes()), stream);
  std::byte* const device = memory.data();
  gpu::upload(host, device, static_cast<std::int64_t>(uploaded), stream);
  gpu::fill_bytes(device + failed_at, 0, static_cast<std::int64_t>(zeros_end - failed_at), stream);
  args.words = reinterpret_cast<const std::uint32_t*>(device + words_at);
  args.tables = reinterpret_cast<const Tables*>(device + tables_at);
  args.sequences = reinterpret_cast<const Sequence*>(device + sequences_at);
  args.segments = reinterpret_cast<const Segment*>(device + segments_at);
  args.entered = reinterpret_cast<std::uint64_t*>(device + entered_at);
  args.left = reinterpret_cast<std::uint64_t*>(device + left_at);
  args.before = reinterpret_cast<std::uint64_t*>(device + before_at);
  args.after = reinterpret_cast<std::uint64_t*>(device + after_at);
  args.sums = reinterpret_cast<Sums*>(device + sums_at);
  args.group_sums = reinterpret_cast<Sums*>(device + group_sums_at);
  args.sums_before = reinterpret_cast<Sums*>(device + sums_before_at);
  args.coefficients = reinterpret_cast<std::int16_t*>(device + coefficients_at);
  args.pixels = reinterpret_cast<std::uint8_t*>(to);
  args.failed = reinterpret_cast<std::uint32_t*>(device + failed_at);
  for (int c = 0; c < 3; ++c) {
    args.planes[c].samples = reinterpret_cast<std::uint8_t*>(device + planes_at[c]);
  }
  args.sequence_count = static_cast<std::uint32_t>(count);
  args.units_in_row = static_cast<std::uint32_t>(scan.units_in_row());
  args.block_count = static_cast<std::uint32_t>(blocks);
  args.codes_of = scan.tables.codes_of;
  args.across = static_cast<std::uint8_t>(scan.across);
  args.down = static_cast<std::uint8_t>(scan.down);
  args.components = static_cast<std::uint8_t>(scan.components);
  args.has_colour = has_colour;
  // If a row of chroma has at most two samples, libjpeg-turbo repeats them.
  args.has_linear = scan.across == 1 || args.planes[1].width > 2;
  detail::jpeg::decode_cuda(args, stream);

  std::byte* const answer = host + uploaded;
  gpu::download(device + failed_at, answer, sizeof(std::uint32_t), stream);
  gpu::Event done;
  done.record(stream);
  done.synchronize();
  std::uint32_t failed = 0;
  std::memcpy(&failed, answer, sizeof failed);
  return failed == 0;
}

}  // namespace warpwise::jpeg
