#pragma once

#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

// Internal: writes JUnit XML, for the report of a process or of `warpwise run`, and for the marks
// of students. All texts are UTF-8.
namespace warpwise::emulator::junit {

struct Case {
  std::string name;
  std::string group;  ///< name of the test's class
  double seconds = 0;
  std::string file;  ///< may be empty
  std::uint64_t line = 0;
  std::string outcome;  ///< "failure", "error" or "skipped"; empty if it passed
  std::string type;     ///< type of the outcome; may be empty, like `message` and `text`
  std::string message;
  std::string text;
};

struct Suite {
  std::string name;
  std::vector<Case> cases;
};

struct Counts {
  std::uint64_t tests = 0, failures = 0, errors = 0, skipped = 0;
  double seconds = 0;

  Counts& operator+=(const Counts& other) {
    tests += other.tests;
    failures += other.failures;
    errors += other.errors;
    skipped += other.skipped;
    seconds += other.seconds;
    return *this;
  }
};

inline Counts counts_of(const Suite& suite) {
  Counts counts;
  for (const Case& each : suite.cases) {
    counts += {1, each.outcome == "failure" ? 1U : 0U, each.outcome == "error" ? 1U : 0U,
               each.outcome == "skipped" ? 1U : 0U, each.seconds};
  }
  return counts;
}

/// Escapes a text for XML content and attributes. Characters that XML does not allow become U+FFFD:
/// control characters, U+FFFE and U+FFFF.
inline std::string escaped(const std::string& text) {
  std::string result;
  for (const char c : text) {
    const bool is_third = result.ends_with("\xEF\xBF");
    switch (c) {
      case '&': result += "&amp;"; break;
      case '<': result += "&lt;"; break;
      case '>': result += "&gt;"; break;
      case '"': result += "&quot;"; break;
      case '\t': result += "&#9;"; break;
      case '\n': result += "&#10;"; break;
      case '\r': result += "&#13;"; break;
      default:
        if (static_cast<unsigned char>(c) < 0x20)
          result += "\xEF\xBF\xBD";
        else
          result += is_third && (c == '\xBE' || c == '\xBF') ? '\xBD' : c;
    }
  }
  return result;
}

inline std::string attribute(std::string_view name, const std::string& value) {
  return " " + std::string(name) + "=\"" + escaped(value) + "\"";
}

inline std::string attributes_of(const Counts& counts) {
  char seconds[32];
  std::snprintf(seconds, sizeof(seconds), "%.6f", counts.seconds);
  return attribute("tests", std::to_string(counts.tests)) +
         attribute("failures", std::to_string(counts.failures)) +
         attribute("errors", std::to_string(counts.errors)) +
         attribute("skipped", std::to_string(counts.skipped)) + attribute("time", seconds);
}

inline std::string element_of(const Case& one) {
  char seconds[32];
  std::snprintf(seconds, sizeof(seconds), "%.6f", one.seconds);
  std::string open = "    <testcase" + attribute("name", one.name) +
                     attribute("classname", one.group) + attribute("time", seconds);
  if (!one.file.empty())
    open += attribute("file", one.file) + attribute("line", std::to_string(one.line));
  if (one.outcome.empty()) return open + "/>\n";
  std::string outcome = "      <" + one.outcome;
  if (!one.type.empty()) outcome += attribute("type", one.type);
  if (!one.message.empty()) outcome += attribute("message", one.message);
  outcome += one.text.empty() ? "/>\n" : ">" + escaped(one.text) + "</" + one.outcome + ">\n";
  return open + ">\n" + outcome + "    </testcase>\n";
}

inline std::string element_of(const Suite& suite) {
  std::string text =
      "  <testsuite" + attribute("name", suite.name) + attributes_of(counts_of(suite)) + ">\n";
  for (const Case& each : suite.cases) text += element_of(each);
  return text + "  </testsuite>\n";
}

/// Returns a file's whole text. \param suites  the XML elements of its suites, one after another
inline std::string file_of(const Counts& counts, const std::string& suites) {
  return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites" + attributes_of(counts) + ">\n" +
         suites + "</testsuites>\n";
}

}  // namespace warpwise::emulator::junit
