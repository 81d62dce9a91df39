#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "warpwise/cli/arguments.hpp"
#include "warpwise/cli/worker.hpp"
#include "warpwise/io/frames.hpp"
#include "warpwise/io/input_file.hpp"
#include "warpwise/io/output_file.hpp"
#include "warpwise/io/picture.hpp"

namespace warpwise::cli {

/// Refuses an output before anything is read: a path whose type is none of `extensions` ({".flo",
/// ".csv"}), or that cannot be written. \throws UsageError, IoError
void require_output(const std::string& path, std::span<const std::string_view> extensions);

/// One piece of work on several inputs that belong together, where run_on_files() takes inputs one
/// by one: reads, computes, writes, and reports once at the end.
class Task {
 public:
  /// `name` and `option_values` are what --json reports.
  /// \throws UsageError, NoCudaDevice, InvalidArgument  as Worker and InputOptions::validate()
  Task(std::string name, const InputOptions& options, const std::vector<std::string>& inputs,
       nlohmann::ordered_json option_values);

  /// An image, an .npy file or one frame as 8-bit grey: colours as cv::cvtColor(COLOR_RGB2GRAY)
  /// makes it of them, of a video the luma as it is.
  /// \throws IoError  it cannot be read, is not of 8 bits, or has several frames.
  io::Picture read_grey(const std::string& path);
  /// Calls `use(index, picture)` for each picture in the inputs, as read_grey() gives it; of
  /// headerless input and of videos for each frame.
  void for_each_grey(const std::vector<std::string>& paths,
                     const std::function<void(std::size_t, io::Picture)>& use);
  /// An .npy file: a matrix, or a vector as a picture of one row. \throws IoError
  io::Picture read_matrix(const std::string& path);
  io::Picture read_vector(const std::string& path);

  /// Memory for a result, touched: the system gives memory when it is first touched, and that is no
  /// part of a computation's time.
  static io::Picture result(const io::PictureShape& shape);

  void compute(const Computation& computation, std::span<const io::Picture> sources,
               std::span<io::Picture> results);

  /// Writes `content` or a picture, whole or not at all. \throws IoError
  void write(const std::string& path, std::span<const std::span<const std::byte>> content);
  void write(const std::string& path, const io::Picture& picture);

  /// Prints "TEXT, NAME on cpu (2 threads) in 0.31 ms", or with --json the object with `values`.
  void report(const std::string& text, const nlohmann::ordered_json& values);

  const Worker& worker() const { return worker_; }
  Times& times() { return times_; }

 private:
  void take_input(const std::string& path, const io::PictureShape& shape);
  void read_frames(io::Frames& frames, const std::string& path, bool may_be_endless,
                   const std::function<void(io::Picture)>& use);
  io::Picture grey(const std::string& path, io::Picture picture) const;

  std::string name_;
  InputOptions options_;
  nlohmann::ordered_json option_values_;
  Stopwatch total_;
  Worker worker_;
  Times times_;
  nlohmann::ordered_json inputs_ = nlohmann::ordered_json::array();
  std::vector<std::string> outputs_;
};

/// The formats of headerless frames that Task::read_grey() takes.
std::vector<RawFormat> grey_formats();

/// \throws IoError  the pictures' sizes differ.
void require_same_size(const std::string& a_path, const io::PictureShape& a,
                       const std::string& b_path, const io::PictureShape& b);

}  // namespace warpwise::cli
