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

/// Checks an output before anything is read. Refuses a path whose type is not in `extensions`
/// ({".flo", ".csv"}), or that cannot be written. \throws UsageError, IoError
void require_output(const std::string& path, std::span<const std::string_view> extensions);

/// Work on several inputs that belong together: reads, computes, writes, and reports once at the
/// end. run_on_files() processes inputs one by one instead.
class Task {
 public:
  /// `name` and `option_values` are reported by --json.
  /// \throws UsageError, NoCudaDevice, InvalidArgument  as Worker and InputOptions::validate()
  Task(std::string name, const InputOptions& options, const std::vector<std::string>& inputs,
       nlohmann::ordered_json option_values);

  /// Reads an image, an .npy file or one frame as 8-bit grey; 16 bits are rounded. Colours are
  /// converted like cv::cvtColor(COLOR_RGB2GRAY); a video's luma is unchanged.
  /// \throws IoError  the input cannot be read, has other pixels, or has several frames.
  io::Picture read_grey(const std::string& path);
  /// Calls `use(index, picture)` for each picture in the inputs, converted as by read_grey().
  /// Headerless inputs and videos contribute every frame.
  void for_each_grey(const std::vector<std::string>& paths,
                     const std::function<void(std::size_t, io::Picture)>& use);
  /// Reads an .npy file: a matrix, or a vector as a picture of one row. \throws IoError
  io::Picture read_matrix(const std::string& path);
  io::Picture read_vector(const std::string& path);

  /// Allocates and touches a result's memory. The system provides memory on first touch, and a
  /// computation's time must not include that.
  static io::Picture result(const io::PictureShape& shape);

  void compute(const Computation& computation, std::span<const io::Picture> sources,
               std::span<io::Picture> results);

  /// Writes `content` or a picture, whole or not at all. \throws IoError
  void write(const std::string& path, std::span<const std::span<const std::byte>> content);
  void write(const std::string& path, const io::Picture& picture);

  /// Stores the files that were skipped in the folders among the inputs, for the report.
  void take_skipped(io::Skipped skipped) { skipped_ = std::move(skipped); }

  /// Prints "TEXT, NAME on cpu (2 threads) in 0.310 ms", or with --json the object with `values`.
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
  std::string places_;  // pictures from files with several: ", a.tif (picture 1 of 3)"
  nlohmann::ordered_json inputs_ = nlohmann::ordered_json::array();
  io::Skipped skipped_;
  std::vector<std::string> outputs_;
};

/// Requires two pictures of equal size. \throws IoError  their sizes differ.
void require_same_size(const std::string& a_path, const io::PictureShape& a,
                       const std::string& b_path, const io::PictureShape& b);

}  // namespace warpwise::cli
