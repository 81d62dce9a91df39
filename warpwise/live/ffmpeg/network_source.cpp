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

// Removes the user and the password: "rtsp://user:secret@host/1" becomes "rtsp://host/1".
std::string name_of_address(const std::string& address) {
  const std::size_t host = address.find("://") + 3;
  const std::size_t at = address.substr(0, address.find_first_of("/?", host)).rfind('@');
  return at == std::string::npos || at < host ? address
                                              : address.substr(0, host) + address.substr(at + 1);
}

}  // namespace

std::unique_ptr<Source> open_address(const std::string& address, const SourceOptions& options) {
  forget_messages();
  constexpr const char* network = "http,https,httpproxy,tls,tcp,udp,rtp,rtsp,crypto";
  const std::string name = name_of_address(address);
  OpenInput input =
      open_url(address, name, network, std::make_unique<Deadline>(options.timeout_seconds));
  if (address.starts_with("http") || address.starts_with("tcp")) {
    return std::make_unique<FileSource>(
        std::make_unique<Decoder>(std::move(input), name, Damage::is_an_error, options), options);
  }
  return std::make_unique<LiveSource>(
      std::make_unique<Decoder>(std::move(input), name, Damage::is_passed_over, options), options);
}

}  // namespace warpwise::live::ffmpeg
