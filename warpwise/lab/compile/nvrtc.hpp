#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace warpwise::lab {

/// NVIDIA's run-time compiler, loaded when it is first needed: nothing links it. Move-only.
class Nvrtc {
 public:
  /// The first of `libraries` that loads and has all that is needed; nothing if none does, and then
  /// `why_not`, if given, says why for each.
  static std::optional<Nvrtc> load(std::span<const std::filesystem::path> libraries,
                                   std::string* why_not = nullptr);
  ~Nvrtc();
  Nvrtc(Nvrtc&&) noexcept;
  Nvrtc& operator=(Nvrtc&&) noexcept;

  /// "NVRTC 13.0 (/usr/local/cuda/lib64/libnvrtc.so.13)".
  const std::string& name() const { return name_; }
  /// 75, 80, … that it can build for.
  const std::vector<int>& architectures() const { return architectures_; }

  struct Output {
    bool compiled = false;
    std::string code;  ///< PTX, or machine code where the options ask for a real architecture
    std::string log;   ///< errors, warnings, and what ptxas printed
  };
  /// Compiles `text`, called `name` in messages and line information, with the stub headers of
  /// stub_headers(). \throws Error  NVRTC itself fails
  Output compile(const std::string& text, const std::string& name,
                 const std::vector<std::string>& options, bool machine_code) const;

 private:
  struct Functions;
  explicit Nvrtc(std::unique_ptr<Functions> functions, const std::filesystem::path& library);

  std::unique_ptr<Functions> functions_;
  std::string name_;
  std::vector<int> architectures_;
};

/// A header that NVRTC has no file for.
struct StubHeader {
  const char* name;
  const char* text;
};
/// What kernel files commonly include: the C and C++ headers that mean something in a kernel,
/// small; those that only host code needs, empty; those that NVIDIA's headers have for device code,
/// forwarded to there.
std::span<const StubHeader> stub_headers();

}  // namespace warpwise::lab
