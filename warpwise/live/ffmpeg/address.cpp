#include "warpwise/live/ffmpeg/address.hpp"

#include <algorithm>

#include "warpwise/base/error.hpp"

namespace warpwise::live::ffmpeg {
namespace {

// Returns "user:secret@"; empty if the address has no user.
std::string login_of(const std::string& address) {
  const std::size_t scheme = address.find("://");
  if (scheme == std::string::npos) return {};
  const std::size_t host = scheme + 3;
  const std::size_t at = address.substr(0, address.find_first_of("/?", host)).rfind('@');
  return at == std::string::npos || at < host ? "" : address.substr(host, at + 1 - host);
}

}  // namespace

// Checks only udp, rtp and tcp, because the other protocols have a default port.
void require_port(const std::string& address) {
  constexpr std::string_view schemes[] = {"udp://", "rtp://", "tcp://"};
  const auto* const scheme = std::ranges::find_if(
      schemes, [&](std::string_view each) { return address.starts_with(each); });
  if (scheme == std::end(schemes)) return;
  const std::size_t end = address.find_first_of("/?", scheme->size());
  const std::string host = address.substr(0, end);
  const std::string port = host.substr(std::min(host.size(), host.rfind(':') + 1));
  const bool is_number = !port.empty() && port.size() <= 5 &&
                         port.find_first_not_of("0123456789") == std::string::npos;
  if (is_number && std::stoi(port) >= 1 && std::stoi(port) <= 65535) return;
  throw InvalidArgument(name_of_address(host) + " has no port from 1 to 65535; name one: " +
                        std::string(*scheme) + "host:5000");
}

std::string name_of_address(const std::string& address) {
  return without_password(address, address);
}

std::string without_password(std::string message, const std::string& address) {
  const std::string login = login_of(address);
  if (login.empty()) return message;
  for (std::size_t at = message.find(login); at != std::string::npos; at = message.find(login)) {
    message.erase(at, login.size());
  }
  return message;
}

}  // namespace warpwise::live::ffmpeg
