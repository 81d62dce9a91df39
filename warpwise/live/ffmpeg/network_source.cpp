#include "warpwise/live/ffmpeg/address.hpp"
#include "warpwise/live/ffmpeg/file_source.hpp"
#include "warpwise/live/ffmpeg/sources.hpp"

namespace warpwise::live::ffmpeg {
namespace {

// The source of a network peer's frames.
class PeerSource final : public DecodedSource {
 public:
  /// `waits` is true if the peer sends no faster than its frames are read.
  PeerSource(bool waits, std::unique_ptr<Decoder> decoder, const SourceOptions& options,
             Reopen reopen)
      : DecodedSource(std::move(decoder), options, std::move(reopen)), waits_(waits) {}

  bool is_live() const override { return !waits_; }

 private:
  bool waits_;
};

// Opens a network source. If an http server's answer of known length breaks off, FFmpeg itself
// requests the rest. `option` is the command's option that sets the deadline.
OpenInput connect(const std::string& address, const SourceOptions& options, const char* option) {
  const bool resumes = options.reconnect_seconds > 0 && address.starts_with("http");
  const bool waits_longer = resumes && options.reconnect_seconds > options.timeout_seconds;
  auto deadline = waits_longer
                      ? std::make_unique<Deadline>(options.reconnect_seconds, "--reconnect")
                      : std::make_unique<Deadline>(options.timeout_seconds, option);
  return open_url(address, name_of_address(address), network_protocols, std::move(deadline),
                  resumes ? options.timeout_seconds : 0);
}

bool has_known_length(const AVFormatContext& input) {
  return input.pb != nullptr && avio_size(input.pb) >= 0;
}

}  // namespace

std::unique_ptr<Source> open_address(const std::string& address, const SourceOptions& options) {
  forget_messages();
  const std::string name = name_of_address(address);
  const bool waits = address.starts_with("http") || address.starts_with("tcp");
  require_port(address);
  OpenInput input = connect(address, options, "--timeout");
  const bool comes_again = options.reconnect_seconds > 0 && !has_known_length(*input.input);
  if (waits && !comes_again) {
    return std::make_unique<FileSource>(
        std::make_unique<Decoder>(std::move(input), name, Damage::fail, options), options);
  }
  const auto decode = [name, options](OpenInput opened) {
    return std::make_unique<Decoder>(std::move(opened), name, Damage::skip, options);
  };
  DecodedSource::Reopen reopen;
  if (comes_again) {
    reopen = [=] { return decode(connect(address, options, nullptr)); };
    input.deadline->forget_option();
  }
  return std::make_unique<PeerSource>(waits, decode(std::move(input)), options, std::move(reopen));
}

}  // namespace warpwise::live::ffmpeg
