#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace warpwise::lab {

/// NVIDIA's run-time compiler. Nothing links it: it is loaded when it is first needed. Move-only.
class Nvrtc {
 public:
  /// Loads the first of `libraries` that has all needed functions. If none does, returns nothing
  /// and gives the reason for each in `why_not`, if that is not null.
  static std::optional<Nvrtc> load(std::span<const std::filesystem::path> libraries,
                                   std::string* why_not = nullptr);
  ~Nvrtc();
  Nvrtc(Nvrtc&&) noexcept;
  Nvrtc& operator=(Nvrtc&&) noexcept;

  /// Returns "NVRTC 13.0 (/usr/local/cuda/lib64/libnvrtc.so.13)".
  const std::string& name() const { return name_; }
  /// Returns the path of the loaded library.
  const std::filesystem::path& library() const { return library_; }
  /// Returns the architectures that NVRTC can build for: 75, 80, …
  const std::vector<int>& architectures() const { return architectures_; }

  struct Output {
    bool compiled = false;
    std::string code;  ///< PTX, or machine code if compile() was asked for it
    std::string log;   ///< errors, warnings, and the output of ptxas
  };
  /// Compiles `text` with the headers of stub_headers(); `name` is the text's name in messages and
  /// line information. \throws Error  NVRTC itself fails
  Output compile(const std::string& text, const std::string& name,
                 const std::vector<std::string>& options, bool machine_code) const;

 private:
  struct Functions;
  explicit Nvrtc(std::unique_ptr<Functions> functions, const std::filesystem::path& library);

  std::unique_ptr<Functions> functions_;
  std::filesystem::path library_;
  std::string name_;
  std::vector<int> architectures_;
};

/// A header that NVRTC gets as a text instead of a file.
struct StubHeader {
  const char* name;
  const char* text;
};
/// Returns stand-ins for headers that kernel files commonly include:
/// - small headers in place of C and C++ headers that are useful in a kernel
/// - empty headers in place of those that only host code needs
/// - headers that include NVIDIA's, if NVIDIA has a version for device code
std::span<const StubHeader> stub_headers();

}  // namespace warpwise::lab
