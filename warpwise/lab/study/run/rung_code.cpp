#include "warpwise/lab/study/run/rung_code.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "warpwise/lab/compile/nvrtc.hpp"
#include "warpwise/lab/compile/sources.hpp"

namespace warpwise::lab {
namespace {

namespace fs = std::filesystem;

// Continues the hash FNV-1a of 64 bits from `start`.
std::uint64_t hash_of(const std::string& text, std::uint64_t start) {
  std::uint64_t hash = start;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211U;
  return hash;
}

fs::path cache_folder() {
  const char* cache = std::getenv("XDG_CACHE_HOME");
  if (cache != nullptr && *cache != 0) return fs::path(cache) / "warpwise/rungs";
  const char* home = std::getenv("HOME");
  return home != nullptr && *home != 0 ? fs::path(home) / ".cache/warpwise/rungs" : fs::path{};
}

// Returns a compiler's path and date, which identify it for the cache. A compiler with the same
// path and date compiles a source to the same code.
std::string identity_of(const fs::path& compiler) {
  std::error_code error;
  const auto time = fs::last_write_time(compiler, error).time_since_epoch().count();
  return fmt::format("{} {}", compiler.string(), error ? 0 : time);
}

// Returns "problem.hpp" for the line "# include <problem.hpp>", with any spacing. Returns an empty
// text for a line without an include.
std::string included_by(std::string_view line) {
  const auto skip_blanks = [&] {
    line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
  };
  for (const std::string_view word : {"#", "include"}) {
    skip_blanks();
    if (!line.starts_with(word)) return {};
    line.remove_prefix(word.size());
  }
  skip_blanks();
  if (!line.starts_with('"') && !line.starts_with('<')) return {};
  const std::size_t end = line.find_first_of("\">", 1);
  return end == std::string_view::npos ? "" : std::string(line.substr(1, end - 1));
}

void append(const fs::path& file, std::set<fs::path>& done, std::string& text) {
  if (!done.insert(file.lexically_normal()).second) return;
  const std::optional<std::string> content = read_text(file);
  if (!content) return;  // the compiler will report the missing file
  text += *content;
  std::istringstream lines(*content);
  for (std::string line; std::getline(lines, line);) {
    const std::string name = included_by(line);
    if (name.empty()) continue;
    std::error_code ignored;
    const fs::path beside = file.parent_path() / name;
    append(fs::is_regular_file(beside, ignored) ? beside : source_root() / name, done, text);
  }
}

bool is_below(const fs::path& file, const fs::path& folder) {
  const fs::path relative = file.lexically_relative(folder);
  return !relative.empty() && *relative.begin() != "..";
}

// Appends a file's lines to the text. After the line of an include follows the included file, if it
// lies in `folders`.
void append_with_includes(const fs::path& file, const std::vector<fs::path>& folders,
                          std::set<fs::path>& done, std::string& text) {
  std::istringstream lines(read_text(file).value_or(""));
  for (std::string line; std::getline(lines, line);) {
    text += line + "\n";
    const std::string name = included_by(line);
    if (name.empty()) continue;
    std::error_code ignored;
    fs::path from = file.parent_path() / name;
    if (!fs::is_regular_file(from, ignored)) from = source_root() / name;
    from = from.lexically_normal();
    const bool is_own = std::any_of(folders.begin(), folders.end(), [&](const fs::path& folder) {
      return is_below(from, folder.lexically_normal());
    });
    if (is_own && done.insert(from).second) append_with_includes(from, folders, done, text);
  }
}

std::optional<Compilation> from_cache(const fs::path& path) {
  const std::optional<std::string> text = read_text(path);
  if (!text) return std::nullopt;
  // A damaged cache file counts as missing.
  const auto json = nlohmann::json::parse(*text, nullptr, false);
  if (!json.is_object() || !json.contains("ptx") || !json.contains("compiler") ||
      !json["ptx"].is_string() || !json["compiler"].is_string()) {
    return std::nullopt;
  }
  Compilation result;
  result.ptx = json["ptx"].get<std::string>();
  result.compiler = json["compiler"].get<std::string>();
  return result;
}

void to_cache(const fs::path& path, const Compilation& compilation) {
  // The PTX contains the name of its folder. If that name is not UTF-8, the PTX cannot be stored as
  // JSON, and the cache keeps nothing.
  constexpr auto replace = nlohmann::json::error_handler_t::replace;
  const nlohmann::json json = {{"compiler", compilation.compiler}, {"ptx", compilation.ptx}};
  const std::string text = json.dump(-1, ' ', false, replace);
  if (nlohmann::json::parse(text) != json) return;
  std::error_code ignored;
  fs::create_directories(path.parent_path(), ignored);
  // The file is written under a temporary name and then renamed. Other programs then never read a
  // half-written file.
  const fs::path unfinished = path.string() + "." + std::to_string(::getpid());
  std::ofstream file(unfinished, std::ios::binary);
  file << text;
  file.close();
  if (file)
    fs::rename(unfinished, path, ignored);
  else
    fs::remove(unfinished, ignored);
}

}  // namespace

void require_compiler() {
  const Toolchain toolchain = find_toolchain();
  if (!toolchain.nvcc.empty() || Nvrtc::load(toolchain.nvrtc_libraries)) return;
  throw Unsupported(
      "rungs are compiled when they run, but there is no CUDA compiler here: run "
      "scripts/get-nvrtc.sh to download NVIDIA's run-time compiler");
}

std::string text_with_includes(const fs::path& file) {
  if (!read_text(file)) throw IoError(file.string() + " is no file that can be read");
  std::string text;
  std::set<fs::path> done;
  append(file, done, text);
  return text;
}

std::string text_with_own_includes(const StudyTable& table, const Rung& rung) {
  if (!read_text(rung.file)) throw IoError(rung.file.string() + " cannot be read");
  std::string text;
  std::set<fs::path> done;
  std::vector<fs::path> folders = {table.folder};
  if (table.ladder != nullptr) {
    folders.push_back(source_root() / "warpwise/primitives" / table.ladder->name());
  }
  append_with_includes(rung.file, folders, done, text);
  return text;
}

namespace {

// Returns a rung's PTX without a limit on registers, from the cache or from the compiler. The limit
// is a directive that compile_rung() adds later, so one cached PTX serves all limits.
Compilation compile_uncapped(const Rung& rung, const std::map<std::string, std::int64_t>& constants,
                             const emulator::Dim3& block, int architecture) {
  CompileOptions options;
  options.architecture = architecture;
  options.host_code = false;  // NVRTC must leave no code out as host code
  options.include_folders = {source_root()};
  for (const auto& [name, value] : constants)
    options.defines.push_back(fmt::format("{}={}", name, value));
  options.defines.push_back(fmt::format("BLOCK_X={}", block.x));
  options.defines.push_back(fmt::format("BLOCK_Y={}", block.y));
  options.defines.push_back(fmt::format("BLOCK_Z={}", block.z));

  const Toolchain toolchain = find_toolchain();
  const auto nvrtc = Nvrtc::load(toolchain.nvrtc_libraries);
  // A version number in the cache's key. Increase it with every change of the compile options, so
  // that PTX from older options is not used.
  constexpr std::string_view key_version = "3 ";
  std::string key = std::string(key_version) + text_with_includes(rung.file) +
                    identity_of(nvrtc ? nvrtc->library() : toolchain.nvcc) + rung.file.string() +
                    std::to_string(architecture);
  for (const std::string& define : options.defines) key += " " + define;
  const fs::path folder = cache_folder();
  const fs::path cached =
      folder / fmt::format("{:016x}{:016x}.json", hash_of(key, 14695981039346656037U),
                           hash_of(key, 1099511628211U));
  if (!folder.empty()) {
    if (std::optional<Compilation> found = from_cache(cached)) {
      found->name = rung.file.string();
      found->options = options;
      found->source = read_text(rung.file).value_or("");
      return *std::move(found);
    }
  }
  // NVRTC compiles in this process. nvcc is slower: it starts several processes for each file.
  if (nvrtc) options.compiler = CompilerChoice::nvrtc;
  Compilation result = compile_file(rung.file, options, toolchain);
  if (!folder.empty()) to_cache(cached, result);
  return result;
}

}  // namespace

Compilation compile_rung(const Rung& rung, const std::map<std::string, std::int64_t>& constants,
                         const emulator::Dim3& block, int architecture, int max_registers) {
  Compilation result = compile_uncapped(rung, constants, block, architecture);
  if (max_registers == 0) return result;
  result.options.max_registers = max_registers;
  result.ptx = with_register_cap(result.ptx, max_registers);
  return result;
}

}  // namespace warpwise::lab
