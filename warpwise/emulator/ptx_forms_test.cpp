// Each form of each PTX instruction in tests/emulator/ptx_forms.txt: the emulator runs it or
// refuses it with the listed reason, and ptxas accepts it.

#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "emulator/emulated.hpp"
#include "warpwise/base/error.hpp"

namespace warpwise::emulator {
namespace {

struct Form {
  std::string text;
  std::string refusal;  ///< the reason; empty: the emulator runs it
};

/// A target and a version of PTX, {"sm_90", "7.8"}, under which the file lists forms.
using Section = std::array<std::string, 2>;
using Forms = std::map<Section, std::vector<Form>>;

/// Replaces each `<a,b>` by its alternatives.
void expand(const std::string& text, const std::string& refusal, std::vector<Form>& into) {
  const std::size_t begin = text.find('<');
  if (begin == std::string::npos) return into.push_back({text, refusal});
  const std::size_t end = text.find('>', begin);
  std::istringstream alternatives(text.substr(begin + 1, end - begin - 1) + ",");
  for (std::string each; std::getline(alternatives, each, ',');)
    expand(text.substr(0, begin) + each + text.substr(end + 1), refusal, into);
}

Forms read_forms() {
  Forms forms;
  std::ifstream file(WARPWISE_PTX_FORMS);
  EXPECT_TRUE(file.is_open()) << WARPWISE_PTX_FORMS;
  std::vector<Form>* section = nullptr;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#') continue;
    if (line[0] == '[') {
      const std::size_t space = line.find(' ');
      section =
          &forms[{line.substr(1, space - 1), line.substr(space + 1, line.size() - space - 2)}];
      continue;
    }
    const std::size_t mark = line.find(" -- ");
    expand(line.substr(0, mark), mark == std::string::npos ? "" : line.substr(mark + 4), *section);
  }
  return forms;
}

/// A kernel of one form. The global array g is at %l0, the shared array s at %r0 and, as a generic
/// address, at %l1; %p7 is false.
std::string kernel(std::size_t index, const Form& form) {
  const auto declared = [&](const char* name, const char* declaration) {
    return form.text.find(name) == std::string::npos ? "" : declaration;
  };
  return ".visible .entry form" + std::to_string(index) +
         "(.param .b32 p) { .reg .pred %p<8>; .reg .b16 %h<16>; .reg .b32 %r<80>; .reg .b64 "
         "%l<40>; " +
         declared("%q", ".reg .b128 %q<8>; ") + declared("%b", ".reg .b8 %b<9>; ") +
         declared("%v", ".reg .v4 .b32 %v; ") +
         ".shared .align 128 .b8 s[4096]; .local .align 16 .b8 stack[64]; mov.u64 %l0, g; mov.u32 "
         "%r0, s; cvt.u64.u32 %l1, %r0; cvta.shared.u64 %l1, %l1; setp.ne.u32 %p7, %r0, %r0; " +
         form.text + "; ret; }\n";
}

std::string head(const Section& section) {
  return ".version " + section[1] + "\n.target " + section[0] +
         "\n.address_size 64\n.global .align 128 .b8 g[4096]; .const .b32 c[64];\n";
}

/// Returns the reason for which the emulator does not run a form, or an empty text.
std::string refusal_of(Device& device, const Section& section, const Form& form) {
  LaunchOptions options;
  options.count = false;
  options.threads = 1;
  constexpr std::array<std::byte, 4> parameters{};
  try {
    const LaunchResult result =
        Program(head(section) + kernel(0, form))
            .launch(device, "form0", {}, {128, 1, 1}, 0, parameters, options);
    return result.faults.empty() ? "" : "fault: " + result.faults.front().message;
  } catch (const Unsupported& error) {
    // PTX line 5: the emulator does not run 'name': reason
    const std::string message = error.what();
    const std::size_t at = message.rfind("': ");
    return at == std::string::npos ? message : message.substr(at + 3);
  } catch (const Error& error) {
    return std::string("error: ") + error.what();
  }
}

TEST(PtxForms, RunOrAreRefusedForTheListedReason) {
  Device device(std::uint64_t{1} << 24);
  for (const auto& [section, forms] : read_forms()) {
    for (const Form& form : forms)
      EXPECT_EQ(refusal_of(device, section, form), form.refusal) << section[0] << ": " << form.text;
  }
}

/// Returns ptxas's messages about a PTX file; empty if ptxas accepts the file.
std::string objections(const std::string& target, const std::string& path) {
  const std::string command =
      WARPWISE_PTXAS " -O0 -arch=" + target + " -o /dev/null " + path + " 2>&1";
  std::FILE* output = popen(command.c_str(), "r");
  std::string said;
  for (int c = std::fgetc(output); c != EOF; c = std::fgetc(output)) said += static_cast<char>(c);
  return pclose(output) == 0 ? "" : said;
}

TEST(PtxForms, AreAcceptedByPtxas) {
  if (std::system("command -v " WARPWISE_PTXAS " > /dev/null") != 0)
    GTEST_SKIP() << "there is no ptxas here";
  const std::string path = ::testing::TempDir() + "ptx_forms.ptx";
  for (const auto& [section, forms] : read_forms()) {
    std::ofstream file(path);
    file << head(section);
    for (std::size_t i = 0; i < forms.size(); ++i) file << kernel(i, forms[i]);
    file.close();
    const std::string said = objections(section[0], path);
    // An older toolkit knows fewer targets and versions.
    const bool is_newer = said.find("gpu-name") != std::string::npos ||
                          said.find("Unsupported .version") != std::string::npos;
    EXPECT_EQ(is_newer ? "" : said.substr(0, 2000), "") << section[0];
  }
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace warpwise::emulator
