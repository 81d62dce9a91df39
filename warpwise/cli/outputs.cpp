#include "warpwise/cli/outputs.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "warpwise/cli/arguments.hpp"
#include "warpwise/cli/pictures/jobs.hpp"
#include "warpwise/io/output_file.hpp"

namespace warpwise::cli {
namespace {

// Returns true if standard output is a regular file, and `path` leads to it. Such a file is
// replaced while its old contents still get the command's text, which is then lost.
bool is_redirected_output(const std::string& path) {
  struct stat output{};
  struct stat file{};
  return !io::written_directly(path) && ::fstat(STDOUT_FILENO, &output) == 0 &&
         S_ISREG(output.st_mode) && ::stat(path.c_str(), &file) == 0 &&
         file.st_dev == output.st_dev && file.st_ino == output.st_ino;
}

bool is_same_file(const std::string& one, const std::string& other) {
  std::error_code ignored;
  return canonical_path(one) == canonical_path(other) ||
         (!io::written_directly(one) && std::filesystem::equivalent(one, other, ignored));
}

}  // namespace

void require_different(std::string_view option, const std::string& file, std::string_view other,
                       const std::string& other_file) {
  if (file.empty() || other_file.empty() || !is_same_file(file, other_file)) return;
  throw UsageError(fmt::format("{} and {} name the same file", option, other));
}

void require_outputs(const std::vector<NamedFile>& outputs, const std::vector<NamedFile>& inputs) {
  for (auto output = outputs.begin(); output != outputs.end(); ++output) {
    for (const NamedFile& input : inputs) {
      if (is_same_file(output->path, input.path))
        throw UsageError(fmt::format("{} would replace {}, which is {}; name another file",
                                     output->option, output->path, input.option));
    }
    for (auto other = outputs.begin(); other != output; ++other) {
      if (other->option != output->option)
        require_different(other->option, other->path, output->option, output->path);
    }
    if (is_redirected_output(output->path))
      throw UsageError(
          fmt::format("{} would replace {}, which is standard output too; name another file",
                      output->option, output->path));
    if (!io::written_directly(output->path)) const io::OutputFile tried(output->path);
  }
}

}  // namespace warpwise::cli
