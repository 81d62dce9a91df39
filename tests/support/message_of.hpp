#pragma once

#include <string>

namespace warpwise::test {

/// Returns the message of the `Thrown` that `call` throws; "" if `call` throws nothing.
template <class Thrown, class Call>
std::string message_of(const Call& call) {
  try {
    call();
  } catch (const Thrown& error) {
    return error.what();
  }
  return {};
}

}  // namespace warpwise::test
