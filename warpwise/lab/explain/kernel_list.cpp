#include "warpwise/lab/explain/kernel_list.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <optional>

#include "warpwise/base/error.hpp"
#include "warpwise/lab/compile/kernel_name.hpp"

namespace warpwise::lab {
namespace {

struct Shape {
  std::uint64_t threads_x = 0;
  std::uint64_t threads = 0;
  std::string grid;
  std::string block;
};

// Returns the PTX of a kernel, up to the next function.
std::string_view body_of(std::string_view ptx, const std::string& mangled) {
  const std::size_t begin = ptx.find(".entry " + mangled + "(");
  if (begin == std::string_view::npos) return {};
  const std::size_t next = std::min(ptx.find(".entry ", begin + 1), ptx.find(".func ", begin + 1));
  return ptx.substr(begin, next == std::string_view::npos ? next : next - begin);
}

Shape shape_of(const emulator::KernelInfo& kernel, std::string_view ptx) {
  const std::string_view body = body_of(ptx, kernel.name);
  const auto uses = [&](const char* name) { return body.find(name) != std::string_view::npos; };
  if (kernel.required_threads.size() == 3) {
    const std::vector<int>& block = kernel.required_threads;
    constexpr std::uint64_t blocks = 256;
    const auto x = static_cast<std::uint64_t>(block[0]);
    return {x * blocks, x * blocks * static_cast<std::uint64_t>(block[1] * block[2]),
            std::to_string(blocks), fmt::format("{},{},{}", block[0], block[1], block[2])};
  }
  constexpr std::uint64_t side = 16;
  const auto most = static_cast<std::uint64_t>(kernel.most_threads);
  if ((uses("%tid.y") || uses("%ctaid.y")) && most >= side * side)
    return {side * side, side * side * side * side, "16,16", "16,16"};
  const std::uint64_t threads = std::min<std::uint64_t>(256, most);
  return {256 * threads, 256 * threads, "256", std::to_string(threads)};
}

// Removes a word wherever it stands alone.
std::string without(std::string text, const std::string& word) {
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at)) {
    const std::size_t end = at + word.size();
    const auto is_part = [](char c) {
      return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
    };
    if ((at > 0 && is_part(text[at - 1])) || (end < text.size() && is_part(text[end]))) {
      at = end;
    } else {
      text.erase(at, word.size());
    }
  }
  return text;
}

struct Element {
  std::string type;  // "f32"
  int count = 1;     // 4 for float4
};

// Returns the element that a C++ type, without blanks and qualifiers, is made of.
std::optional<Element> element_of(const std::string& type) {
  static const std::map<std::string, std::string> types = {
      {"float", "f32"},        {"double", "f64"},
      {"int", "i32"},          {"unsignedint", "u32"},
      {"char", "i8"},          {"signedchar", "i8"},
      {"unsignedchar", "u8"},  {"bool", "u8"},
      {"short", "i16"},        {"unsignedshort", "u16"},
      {"long", "i64"},         {"longlong", "i64"},
      {"unsignedlong", "u64"}, {"unsignedlonglong", "u64"},
      {"__half", "f16"},       {"uchar", "u8"},
      {"ushort", "u16"},       {"uint", "u32"}};
  const auto found = types.find(type);
  if (found != types.end()) return Element{found->second};
  if (type.empty() || type.back() < '1' || type.back() > '4') return std::nullopt;
  const auto vector = types.find(type.substr(0, type.size() - 1));
  if (vector == types.end()) return std::nullopt;
  return Element{vector->second, type.back() - '0'};
}

std::string structure_text(std::uint64_t bytes) {
  std::string text;
  for (std::uint64_t done = 0; done < bytes; done += bytes % 4 == 0 ? 4 : 1)
    text += (done == 0 ? "{" : ", ") + std::string(bytes % 4 == 0 ? "i32:0" : "i8:0");
  return text + "}";
}

// Writes a value for a parameter. `type` is its C++ type, and empty if that is not known.
std::string argument_text(const emulator::KernelInfo& kernel, std::size_t i,
                          const std::string& type, const Shape& shape) {
  const std::string& ptx = kernel.parameter_types[i];
  const std::uint64_t bytes = kernel.parameter_bytes[i];
  std::string plain = type;
  for (const char* word : {"const", "volatile", "__restrict__"}) plain = without(plain, word);
  std::erase(plain, ' ');
  const bool is_pointer = plain.ends_with('*');
  if (is_pointer || (plain.empty() && bytes == 8 && ptx.front() != 'f')) {
    if (is_pointer) plain.pop_back();
    const Element element =
        plain.empty() ? Element{"f32"} : element_of(plain).value_or(Element{"u64"});
    return fmt::format("{}[{}]", element.type,
                       shape.threads * static_cast<std::uint64_t>(element.count));
  }
  if (ptx == "b8") return structure_text(bytes);
  const auto element = element_of(plain);
  const bool is_real = element ? element->type.front() == 'f' : ptx.front() == 'f';
  const std::string name =
      element ? element->type : fmt::format("{}{}", is_real ? 'f' : 'i', 8 * bytes);
  return is_real || bytes < 4 ? name + ":1" : fmt::format("{}:{}", name, shape.threads_x);
}

}  // namespace

std::vector<ListedKernel> listed_kernels(const ExplainRequest& request) {
  const Compilation compilation = compile_file(request.file, request.compile);
  emulator::Program program(compilation.ptx);
  std::vector<std::string> names = program.kernel_names();
  if (!request.kernel.empty()) names = {kernel_in(compilation.ptx, request.kernel)};
  if (names.empty()) {
    throw InvalidArgument(request.file +
                          " has no kernel (a template must be instantiated to become one)");
  }
  std::vector<ListedKernel> kernels;
  for (const std::string& mangled : names) {
    const emulator::KernelInfo& info = program.kernel(mangled);
    const Shape shape = shape_of(info, compilation.ptx);
    const std::vector<std::string> types = parameter_types(mangled);
    ListedKernel& kernel = kernels.emplace_back();
    kernel.name = selecting_name(compilation.ptx, mangled);
    kernel.arguments = {"--kernel", kernel.name, "--grid", shape.grid, "--block", shape.block};
    for (std::size_t i = 0; i < info.parameter_types.size(); ++i) {
      kernel.arguments.insert(
          kernel.arguments.end(),
          {"--arg", argument_text(info, i, i < types.size() ? types[i] : "", shape)});
    }
  }
  return kernels;
}

}  // namespace warpwise::lab
