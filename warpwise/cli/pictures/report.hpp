#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "warpwise/cli/pictures/operation.hpp"
#include "warpwise/cli/pictures/worker.hpp"
#include "warpwise/cli/terminal.hpp"
#include "warpwise/io/picture_folder.hpp"

namespace warpwise::cli {

/// Report on one input.
struct FileReport {
  std::string input;
  std::vector<std::string> outputs;
  io::PictureShape source;
  std::vector<io::PictureShape> results;
  std::int64_t picture = 1;   ///< number of the picture in the input, counted from 1
  std::int64_t pictures = 1;  ///< number of pictures in the input
  std::int64_t frames = 0;
  std::int64_t bytes_per_frame = 0;  ///< bytes that the operation reads and writes
  Times times;
};

/// An input without a result, and the reason why.
struct FailedInput {
  std::string input;
  std::string reason;
};

/// Report on all inputs, in the order of the inputs.
struct BatchReport {
  std::vector<FileReport> files;
  std::vector<FailedInput> failures;
  io::Skipped skipped;   ///< files in input folders that were skipped
  std::size_t jobs = 1;  ///< number of files in flight
  double milliseconds = 0;
};

/// Describes a file: "out.png: 640x480 gray8 from in.png, sobel on cpu (2 threads) in 0.310 ms: 991
/// MPix/s, 3.96 GB/s". GB/s counts each byte of source and results once.
std::string line_of(const FileReport& file, const Operation& operation, const Worker& worker);

/// Returns " (picture 1 of 3)", or an empty text if the file has only one picture.
std::string place_text(std::int64_t picture, std::int64_t pictures);

/// Adds "picture" and "pictures" to the JSON object of an input if its file has several pictures.
void add_place(nlohmann::ordered_json& input, std::int64_t picture, std::int64_t pictures);

/// Adds "skipped" to a report: the files in input folders that are no inputs, with the reasons.
void add_skipped(nlohmann::ordered_json& report, const io::Skipped& skipped);

/// Describes the skipped files: "skipped: 1 folder (old)".
std::string skipped_line(const io::Skipped& skipped);

/// Returns the object that --json prints.
nlohmann::ordered_json json_of(const BatchReport& batch, const Operation& operation,
                               const Worker& worker);

}  // namespace warpwise::cli
