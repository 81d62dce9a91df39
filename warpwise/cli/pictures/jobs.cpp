#include "warpwise/cli/pictures/jobs.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "warpwise/io/output_file.hpp"
#include "warpwise/io/picture_file.hpp"
#include "warpwise/io/picture_folder.hpp"

namespace warpwise::cli {
namespace fs = std::filesystem;

bool is_folder(const std::string& path) {
  std::error_code ignored;
  return fs::is_directory(path, ignored);
}

bool is_video(const std::string& path) {
  static constexpr std::string_view videos[] = {".avi",  ".mp4", ".m4v",  ".mov", ".mkv",
                                                ".webm", ".mpg", ".mpeg", ".ts",  ".mts",
                                                ".m2ts", ".wmv", ".flv",  ".ogv", ".3gp"};
  std::error_code ignored;
  return fs::is_regular_file(path, ignored) &&
         std::find(std::begin(videos), std::end(videos), io::extension_of(path)) !=
             std::end(videos);
}

void refuse_video(const std::string& path) {
  if (!is_video(path)) return;
  throw IoError(path + " is a video: name it as the only input, and a video or a folder " +
                "(frames/) as the output");
}

namespace {

std::string stem_of(const std::string& input) {
  return input == "-" ? "stdin" : fs::path(input).stem().string();
}

void require_distinct_names(const std::vector<std::string>& inputs) {
  std::map<std::string, std::string> seen;
  for (const std::string& input : inputs) {
    const auto [other, is_new] = seen.emplace(stem_of(input), input);
    if (!is_new) {
      throw UsageError(other->second + " and " + input + " would both become '" + stem_of(input) +
                       "' in the output folder; process them separately");
    }
  }
}

void require_no_file(const std::string& path) {
  std::error_code ignored;
  if (is_folder(path)) return;
  if (fs::exists(path, ignored)) {
    throw IoError(path + " is a file; several inputs need an output folder");
  }
  // Refuses a new folder with a file's name. The user has probably forgotten that OUT is a folder.
  const std::string extension = io::extension_of(path);
  if (extension == ".raw" || io::is_readable_extension(extension)) {
    throw UsageError(path + " is the name of a file; several inputs need an output folder");
  }
}

}  // namespace

std::string Job::output_path(std::size_t index, const io::PictureShape& result) const {
  const Target& target = targets[index];
  if (!target.extension_is_open) return target.path;
  const std::string own = io::extension_of(input);
  // The extension as the user spells it, such as ".PNG".
  const std::string spelled = fs::path(input).extension().string();
  std::vector<std::string> extensions = {own};
  // The result of a video has many frames. A .png or .npy file holds only one picture.
  if (!io::takes_many_pictures(own)) extensions.insert(extensions.end(), {".png", ".npy"});
  for (const std::string& extension : extensions) {
    if (io::storage_fidelity(extension, result) != io::StorageFidelity::exact) continue;
    return target.path + (extension == own && !spelled.empty() ? spelled : extension);
  }
  return target.path + ".raw";
}

OutputFolders::OutputFolders(const std::vector<Job>& jobs) {
  try {
    for (const Target& target : jobs.front().targets) {  // all jobs have the same folders
      if (target.extension_is_open) make(fs::path(target.path).parent_path());
    }
  } catch (...) {
    remove_empty();
    throw;
  }
}

OutputFolders::~OutputFolders() { remove_empty(); }

void OutputFolders::make(const fs::path& folder) {
  std::error_code error;
  if (folder.empty() || fs::is_directory(folder, error)) return;
  make(folder.parent_path());
  fs::create_directory(folder, error);
  if (error) throw IoError("cannot make the folder " + folder.string() + ": " + error.message());
  made_.push_back(folder);
}

void OutputFolders::remove_empty() {
  std::error_code not_empty;
  for (auto folder = made_.rbegin(); folder != made_.rend(); ++folder)
    fs::remove(*folder, not_empty);
}

fs::path canonical_path(const std::string& path) {
  if (path == "-") return path;
  std::error_code error;
  fs::path place = fs::weakly_canonical(fs::absolute(io::resolve_links(path), error), error);
  return error ? fs::path(path) : place;
}

namespace {

[[noreturn]] void refuse_one_place(const std::string& output) {
  throw UsageError("two results would be written to one place, " + output +
                   "; name different outputs");
}

[[noreturn]] void refuse_place_of_input(const std::string& output, const std::string& input) {
  throw UsageError(output + " would overwrite the input " + input + "; name another output");
}

}  // namespace

void require_distinct_outputs(const std::vector<std::string>& outputs) {
  std::set<fs::path> places;
  for (const std::string& output : outputs) {
    if (!output.empty() && !places.insert(canonical_path(output)).second) refuse_one_place(output);
  }
}

void require_no_input(const std::vector<std::string>& further_outputs,
                      const std::vector<std::string>& inputs) {
  for (const std::string& output : further_outputs) {
    for (const std::string& input : inputs) {
      std::error_code ignored;
      const bool is_same = is_folder(output)
                               ? fs::equivalent(fs::absolute(input).parent_path(), output, ignored)
                               : fs::equivalent(input, output, ignored);
      if (is_same) refuse_place_of_input(output, input);
    }
  }
}

void require_distinct_results(const std::vector<Job>& jobs, const PossibleResults& possible) {
  std::map<fs::path, std::string> inputs;
  for (const Job& job : jobs) inputs.emplace(canonical_path(job.input), job.input);
  std::set<fs::path> taken;
  for (const Job& job : jobs) {
    for (std::size_t i = 0; i < job.targets.size(); ++i) {
      std::set<std::string> paths;  // possible paths of the result
      for (const io::PictureShape& shape : possible[i]) paths.insert(job.output_path(i, shape));
      std::set<fs::path> own;
      for (const std::string& path : paths) {
        const fs::path place = canonical_path(path);
        if (!own.insert(place).second) continue;
        const auto input = io::written_directly(path) ? inputs.end() : inputs.find(place);
        const bool may_be_replaced = i == 0 && input != inputs.end() && input->second == job.input;
        if (input != inputs.end() && !may_be_replaced) refuse_place_of_input(path, input->second);
        if (!taken.insert(place).second) refuse_one_place(path);
      }
    }
  }
}

std::vector<Job> list_jobs(const SharedOptions& options,
                           const std::vector<std::string>& further_outputs) {
  const std::span sources = std::span(options.paths).first(options.paths.size() - 1);
  const bool several = sources.size() > 1 || std::ranges::any_of(sources, is_folder);
  const std::vector<std::string> inputs = io::expand_folders(sources, options.size.has_value());
  std::vector<std::string> outputs = {options.paths.back()};
  outputs.insert(outputs.end(), further_outputs.begin(), further_outputs.end());

  require_distinct_outputs(outputs);
  require_no_input(further_outputs, inputs);

  std::vector<Job> jobs(inputs.size());
  for (std::size_t i = 0; i < inputs.size(); ++i) jobs[i].input = inputs[i];
  for (const std::string& output : outputs) {
    const bool folder = several || is_folder(output) || output.ends_with('/');
    if (several && io::written_directly(output)) {
      throw UsageError("several inputs need an output folder, not " + output);
    }
    if (folder) {
      require_distinct_names(inputs);
      require_no_file(output);
    }
    for (Job& job : jobs) {
      job.targets.push_back(folder ? Target{(fs::path(output) / stem_of(job.input)).string(), true}
                                   : Target{output, false});
    }
  }
  return jobs;
}

}  // namespace warpwise::cli
