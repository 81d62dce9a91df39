#include "warpwise/live/ffmpeg/address.hpp"
#include "warpwise/live/ffmpeg/file_source.hpp"
#include "warpwise/live/ffmpeg/sources.hpp"

namespace warpwise::live::ffmpeg {
namespace {

// Frames of a network peer that does not wait for its reader.
class LiveSource final : public DecodedSource {
 public:
  using DecodedSource::DecodedSource;

  bool is_live() const override { return true; }
};

}  // namespace

std::unique_ptr<Source> open_address(const std::string& address, const SourceOptions& options) {
  forget_messages();
  const std::string name = name_of_address(address);
  OpenInput input = open_url(address, name, network_protocols,
                             std::make_unique<Deadline>(options.timeout_seconds));
  if (address.starts_with("http") || address.starts_with("tcp")) {
    return std::make_unique<FileSource>(
        std::make_unique<Decoder>(std::move(input), name, Damage::is_an_error, options), options);
  }
  return std::make_unique<LiveSource>(
      std::make_unique<Decoder>(std::move(input), name, Damage::is_passed_over, options), options);
}

}  // namespace warpwise::live::ffmpeg
