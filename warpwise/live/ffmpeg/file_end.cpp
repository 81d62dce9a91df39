#include "warpwise/live/ffmpeg/file_end.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>

namespace warpwise::live::ffmpeg {
namespace {

std::int64_t palette_bytes(int flags) {
  return (flags & 0x80) != 0 ? std::int64_t{3} << ((flags & 7) + 1) : 0;
}

// Skips a GIF's length-prefixed blocks of up to 255 bytes, and the empty block that ends them.
void skip_blocks(AVIOContext& file) {
  for (int bytes = avio_r8(&file); bytes != 0 && !avio_feof(&file); bytes = avio_r8(&file)) {
    avio_skip(&file, bytes);
  }
}

// Walks from picture to picture to the byte ';' that ends a GIF file.
bool gif_has_an_end(AVIOContext& file) {
  avio_seek(&file, 10, SEEK_SET);
  const int flags = avio_r8(&file);
  avio_skip(&file, 2 + palette_bytes(flags));
  while (true) {
    const int kind = avio_r8(&file);
    if (kind == '!') {
      avio_skip(&file, 1);
    } else if (kind == ',') {
      avio_skip(&file, 8);
      const int picture_flags = avio_r8(&file);
      avio_skip(&file, palette_bytes(picture_flags) + 1);
    } else {
      return kind == ';' && !avio_feof(&file);
    }
    skip_blocks(file);
  }
}

constexpr std::uint32_t four_letters(std::string_view name) {
  std::uint32_t value = 0;
  for (std::size_t i = 4; i-- > 0;) value = value << 8 | static_cast<unsigned char>(name[i]);
  return value;
}

bool png_has_an_end(AVIOContext& file) {
  constexpr std::int64_t signature_bytes = 8;
  constexpr std::int64_t checksum_bytes = 4;
  const std::int64_t end = avio_size(&file);
  std::int64_t at = signature_bytes;
  while (at + 8 + checksum_bytes <= end && avio_seek(&file, at, SEEK_SET) == at) {
    const std::int64_t bytes = avio_rb32(&file);
    const std::uint32_t kind = avio_rl32(&file);
    at += 8 + bytes + checksum_bytes;
    if (kind == four_letters("IEND")) return at <= end;
  }
  return false;
}

// A chunk of a RIFF file.
struct Chunk {
  std::uint32_t kind = 0;
  std::uint32_t bytes = 0;
  std::uint32_t list = 0;  // kind of list, if the chunk is a RIFF or a LIST
  std::int64_t at = 0;
  std::int64_t end() const { return at + 8 + bytes; }
  std::int64_t next() const { return end() + bytes % 2; }
  bool is_list(std::string_view name) const {
    return kind == four_letters("LIST") && list == four_letters(name);
  }
};

class AviFile {
 public:
  explicit AviFile(AVIOContext& file) : file_(file), end_(avio_size(&file)) {}

  // Checks each RIFF part of the file. A long file has a further part for each GiB.
  bool has_its_frames() {
    const std::optional<Chunk> first = chunk_at(0);
    if (!first || first->kind != four_letters("RIFF")) return true;
    if (!has_frames(*first)) return false;
    for (std::int64_t at = first->next(); at < end_;) {
      const std::optional<Chunk> part = chunk_at(at);
      if (!part) return !begins_a_part(at);
      if (part->kind != four_letters("RIFF") || part->list != four_letters("AVIX")) return true;
      if (part->end() > end_) return false;
      at = part->next();
    }
    return true;
  }

 private:
  // A length of this value or more means that the writer did not know it.
  static constexpr std::uint32_t unknown = 0x7ffffff0;

  std::optional<Chunk> chunk_at(std::int64_t at) {
    if (at + 12 > end_ || avio_seek(&file_, at, SEEK_SET) != at) return std::nullopt;
    Chunk chunk;
    chunk.at = at;
    chunk.kind = avio_rl32(&file_);
    chunk.bytes = avio_rl32(&file_);
    chunk.list = avio_rl32(&file_);
    return chunk;
  }

  bool begins_a_part(std::int64_t at) {
    avio_seek(&file_, at, SEEK_SET);
    for (const char letter : std::string_view("RIFF")) {
      if (avio_r8(&file_) != letter && !avio_feof(&file_)) return false;
    }
    return true;
  }

  bool has_frames(const Chunk& part) {
    const std::int64_t end = std::min(part.end(), end_);
    for (std::int64_t at = part.at + 12; at < end;) {
      const std::optional<Chunk> chunk = chunk_at(at);
      if (!chunk) return true;
      if (chunk->kind == four_letters("indx") && !has_indexes(*chunk)) return false;
      // The padding byte after an odd length may be missing.
      if (chunk->is_list("movi") && chunk->end() > end_ + 1 && chunk->bytes < unknown) {
        return reaches_index(*chunk);
      }
      const bool holds_indexes = chunk->is_list("hdrl") || chunk->is_list("strl");
      at = holds_indexes ? at + 12 : chunk->next();
    }
    return true;
  }

  // Checks an index of indexes (indx): the place and length of an index for each RIFF part. Returns
  // true if all lie within the file. A single part passes, because has_frames() checks its length.
  bool has_indexes(const Chunk& index) {
    constexpr int longs_of_a_place = 4;
    constexpr int of_indexes = 0;
    constexpr std::int64_t head_bytes = 32;
    constexpr std::int64_t place_bytes = 16;
    avio_seek(&file_, index.at + 8, SEEK_SET);
    const unsigned longs = avio_rl16(&file_);
    avio_r8(&file_);
    const int kind = avio_r8(&file_);
    const std::int64_t used = avio_rl32(&file_);
    if (longs != longs_of_a_place || kind != of_indexes || used < 2) return true;
    avio_skip(&file_, 16);
    const std::int64_t room = std::min(index.end(), end_) - index.at - head_bytes;
    for (std::int64_t i = 0; i < std::min(used, room / place_bytes); ++i) {
      const std::uint64_t place = avio_rl64(&file_);
      const std::int64_t bytes = avio_rl32(&file_);
      avio_skip(&file_, 4);
      if (bytes > end_ || place > static_cast<std::uint64_t>(end_ - bytes)) return false;
    }
    return true;
  }

  // Returns true if a whole index (idx1) follows the frames. The frames are complete then, and only
  // their stated length is wrong.
  bool reaches_index(const Chunk& frames) {
    for (std::int64_t at = frames.at + 12; at < end_;) {
      const std::optional<Chunk> chunk = chunk_at(at);
      if (!chunk) return false;
      if (chunk->kind == four_letters("idx1")) return chunk->end() <= end_;
      at = chunk->next();
    }
    return false;
  }

  AVIOContext& file_;
  std::int64_t end_;
};

}  // namespace

FileEnd find_file_end(AVFormatContext& input) {
  AVIOContext* const file = input.pb;
  if (file == nullptr || (file->seekable & AVIO_SEEKABLE_NORMAL) == 0) return FileEnd::unknown;
  const std::int64_t before = avio_tell(file);
  const std::string_view format = input.iformat->name;
  FileEnd end = FileEnd::unknown;
  if (format == "gif") end = gif_has_an_end(*file) ? FileEnd::reached : FileEnd::missing;
  if (format == "apng" && !png_has_an_end(*file)) end = FileEnd::missing;
  if (format == "avi" && !AviFile(*file).has_its_frames()) end = FileEnd::missing;
  avio_seek(file, before, SEEK_SET);
  return end;
}

}  // namespace warpwise::live::ffmpeg
