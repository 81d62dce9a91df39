#pragma once

#include <string>
#include <string_view>
#include <vector>

// Checks of the files that a command writes. They come before the command's work, so that none of
// it is lost.
namespace warpwise::cli {

/// A file, and the option or argument that names it.
struct NamedFile {
  std::string option;  ///< "--html", or what an input is: "FILE"
  std::string path;
};

/// Refuses two outputs that lead to one file, even by different paths. Ignores empty names.
/// \throws UsageError
void require_different(std::string_view option, const std::string& file, std::string_view other,
                       const std::string& other_file);

/// Checks that all outputs can be written. Refuses an output that would replace an input, an output
/// of another option, or the file that standard output is redirected to.
/// \throws UsageError  two names lead to one file
/// \throws IoError     a file cannot be written
void require_outputs(const std::vector<NamedFile>& outputs,
                     const std::vector<NamedFile>& inputs = {});

}  // namespace warpwise::cli
