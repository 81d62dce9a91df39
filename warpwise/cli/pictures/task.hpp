#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "warpwise/cli/arguments.hpp"
#include "warpwise/cli/pictures/worker.hpp"
#include "warpwise/io/frames.hpp"
#include "warpwise/io/input_file.hpp"
#include "warpwise/io/output_file.hpp"
#include "warpwise/io/picture.hpp"
#include "warpwise/io/picture_folder.hpp"

namespace warpwise::cli {

/// Checks an output before any input is read. Refuses a path that cannot be written, or whose type
/// is not in `extensions` ({".flo", ".csv"}). \throws UsageError, IoError
void require_output(const std::string& path, std::span<const std::string_view> extensions);

/// Work on several inputs that belong together. It reads all, computes, writes, and reports once at
/// the end. Inputs that are independent are for run_on_files() instead.
class Task {
 public:
  /// \param name, option_values  the subcommand's name and options, which --json reports
  /// \throws UsageError, NoCudaDevice, InvalidArgument  as Worker and InputOptions::validate()
  Task(std::string name, const InputOptions& options, const std::vector<std::string>& inputs,
       nlohmann::ordered_json option_values);

  /// Reads an image, an .npy file or a frame, and returns it as 8-bit grey. Values of 16 bits are
  /// rounded. Colours are converted as by cv::cvtColor(COLOR_RGB2GRAY); the luma of a video is
  /// unchanged.
  /// \throws IoError  the input cannot be read, has pixels of another type, or has several frames.
  io::Picture read_grey(const std::string& path);
  /// Calls `use(index, picture)` for each picture of the inputs, converted as by read_grey(). All
  /// frames of headerless inputs and videos are pictures.
  void for_each_grey(const std::vector<std::string>& paths,
                     const std::function<void(std::size_t, io::Picture)>& use);
  /// Reads an .npy file with a matrix. read_vector() reads one with a vector, as a picture of one
  /// row. \throws IoError
  io::Picture read_matrix(const std::string& path);
  io::Picture read_vector(const std::string& path);

  /// Allocates a result's memory, and writes to each page. The system provides a page at the first
  /// write, which must not count towards the computation's time.
  static io::Picture result(const io::PictureShape& shape);

  void compute(const Computation& computation, std::span<const io::Picture> sources,
               std::span<io::Picture> results);

  /// Writes `content` or a picture to a file. A failure leaves no partial file. \throws IoError
  void write(const std::string& path, std::span<const std::span<const std::byte>> content);
  void write(const std::string& path, const io::Picture& picture);

  /// Stores which files in the input folders were skipped, for the report.
  void take_skipped(io::Skipped skipped) { skipped_ = std::move(skipped); }

  /// Prints "TEXT, NAME on cpu (2 threads) in 0.310 ms", or an object with `values` for --json.
  void report(const std::string& text, const nlohmann::ordered_json& values);

  const Worker& worker() const { return worker_; }
  Times& times() { return times_; }

 private:
  io::Picture read_npy(const std::string& path,
                       io::Picture (*decode)(std::span<const std::byte>, const std::string&));
  void take_input(const std::string& path, const io::PictureShape& shape, std::int64_t picture = 1,
                  std::int64_t pictures = 1);
  void read_frames(io::Frames& frames, const std::string& path, bool may_be_endless,
                   const std::function<void(io::Picture)>& use);
  io::Picture grey(const std::string& path, io::Picture picture) const;

  std::string name_;
  InputOptions options_;
  nlohmann::ordered_json option_values_;
  Stopwatch total_;
  Worker worker_;
  Times times_;
  std::string places_;  // places of pictures in files with several: ", a.tif (picture 1 of 3)"
  nlohmann::ordered_json inputs_ = nlohmann::ordered_json::array();
  io::Skipped skipped_;
  std::vector<std::string> outputs_;
};

/// Requires two pictures of equal size. \throws IoError  their sizes differ.
void require_same_size(const std::string& a_path, const io::PictureShape& a,
                       const std::string& b_path, const io::PictureShape& b);

}  // namespace warpwise::cli
