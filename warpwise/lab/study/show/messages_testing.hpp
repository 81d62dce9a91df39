#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/message_of.hpp"

// Helpers for tests of error messages.
namespace warpwise::lab {

inline void expect_words(const std::string& text, const std::vector<std::string>& words) {
  for (const std::string& each : words) {
    EXPECT_NE(text.find(each), std::string::npos) << "\"" << each << "\" is not in: " << text;
  }
}

template <class Thrown, class Call>
std::string message_of(const Call& call) {
  const std::string message = test::message_of<Thrown>(call);
  EXPECT_NE(message, "") << "nothing was thrown";
  return message;
}

}  // namespace warpwise::lab
