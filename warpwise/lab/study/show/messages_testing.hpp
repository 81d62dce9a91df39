#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

// Helpers for tests of error messages.
namespace warpwise::lab {

inline void expect_words(const std::string& text, const std::vector<std::string>& words) {
  for (const std::string& each : words) {
    EXPECT_NE(text.find(each), std::string::npos) << "\"" << each << "\" is not in: " << text;
  }
}

template <class Thrown, class Call>
std::string message_of(const Call& call) {
  try {
    call();
  } catch (const Thrown& error) {
    return error.what();
  }
  ADD_FAILURE() << "nothing was thrown";
  return "";
}

}  // namespace warpwise::lab
