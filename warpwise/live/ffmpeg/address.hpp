#pragma once

#include <string>

namespace warpwise::live::ffmpeg {

/// The protocols that FFmpeg may use for an address. Without this limit, a playlist at the address
/// could make FFmpeg use any protocol.
inline constexpr const char* network_protocols = "http,https,httpproxy,tls,tcp,udp,rtp,rtsp,crypto";

/// \throws InvalidArgument  an address of udp, rtp or tcp has no port.
void require_port(const std::string& address);

/// Returns an address without user and password: "rtsp://host/1" for "rtsp://user:secret@host/1".
std::string name_of_address(const std::string& address);

/// Removes an address's user and password from a message that quotes the address.
std::string without_password(std::string message, const std::string& address);

}  // namespace warpwise::live::ffmpeg
