#include "warpwise/live/ffmpeg/address.hpp"

namespace warpwise::live::ffmpeg {
namespace {

// Returns "user:secret@"; empty if the address has none.
std::string login_of(const std::string& address) {
  const std::size_t scheme = address.find("://");
  if (scheme == std::string::npos) return {};
  const std::size_t host = scheme + 3;
  const std::size_t at = address.substr(0, address.find_first_of("/?", host)).rfind('@');
  return at == std::string::npos || at < host ? "" : address.substr(host, at + 1 - host);
}

}  // namespace

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
