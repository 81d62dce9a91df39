#include "warpwise/lab/compile/kernel_name.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "warpwise/base/error.hpp"
#include "warpwise/emulator/readable.hpp"

namespace warpwise::lab {
namespace {

// Returns "copy" for "warpwise::kernels::copy<int>", and "copy" for "module.make.<locals>.copy".
std::string last_part(const std::string& plain) {
  int angles = 0;
  std::size_t begin = plain.size();
  for (; begin > 0; --begin) {
    const char c = plain[begin - 1];
    if (c == '>') ++angles;
    if (c == '<') --angles;
    if (angles == 0 && (c == ':' || c == '.')) break;
  }
  const std::string part = plain.substr(begin);
  return part.substr(0, part.find('<', 1));  // keeps "<lambda>" whole
}

std::vector<std::string> kernels_of(const std::string& ptx) {
  constexpr std::string_view directive = ".entry ";
  std::vector<std::string> names;
  for (std::size_t at = ptx.find(directive); at != std::string::npos;
       at = ptx.find(directive, at)) {
    at += directive.size();
    names.push_back(ptx.substr(at, ptx.find_first_of("( \n", at) - at));
  }
  return names;
}

struct Readable {
  std::string name;        // name with namespaces: "warpwise::kernels::copy<int>"
  std::string parameters;  // "(int*, float)"; empty where the name is not mangled
};

Readable parts_of(const std::string& mangled) {
  const std::string text = emulator::readable(mangled);
  if (text == mangled) return {mangled, ""};
  int angles = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '<') ++angles;
    if (text[i] == '>') --angles;
    if (angles == 0 && text[i] == ' ') begin = i + 1;  // the name follows the result's type
    if (angles == 0 && text[i] == '(') {
      if (text.compare(i, 21, "(anonymous namespace)") == 0) {
        i += 20;
        continue;
      }
      return {text.substr(begin, i - begin), text.substr(i)};
    }
  }
  return {text, ""};
}

std::string without_spaces(std::string text) {
  std::erase(text, ' ');
  return text;
}

// Returns a kernel's name, with parameters if several kernels have that name.
std::string selecting_name(const std::vector<Readable>& kernels, const Readable& kernel) {
  const auto has_its_name = [&](const Readable& other) { return other.name == kernel.name; };
  return kernel.name + (std::ranges::count_if(kernels, has_its_name) == 1 ? "" : kernel.parameters);
}

std::string list_of(const std::vector<Readable>& kernels) {
  std::string list;
  for (const Readable& each : kernels)
    list += (list.empty() ? "" : ", ") + selecting_name(kernels, each);
  return list;
}

}  // namespace

std::string plain_name(const std::string& mangled) { return parts_of(mangled).name; }

std::vector<std::string> parameter_types(const std::string& mangled) {
  const std::string all = parts_of(mangled).parameters;
  std::vector<std::string> types;
  int depth = 0;
  std::string type;
  for (const char c : all) {
    if (c == '(' || c == '<' || c == '[') ++depth;
    const bool ends = depth == 1 && (c == ',' || c == ')');
    if (ends && !type.empty()) types.push_back(std::exchange(type, ""));
    if (c == ')' || c == '>' || c == ']') --depth;
    const bool is_text = !ends && depth > 0 && !(depth == 1 && c == '(');
    if (is_text && !(type.empty() && c == ' ')) type += c;
  }
  return types;
}

std::string selecting_name(const std::string& ptx, const std::string& mangled) {
  std::vector<Readable> all;
  for (const std::string& name : kernels_of(ptx)) all.push_back(parts_of(name));
  return selecting_name(all, parts_of(mangled));
}

std::string kernel_in(const std::string& ptx, const std::string& wanted) {
  std::vector<Readable> all;
  std::vector<std::string> exact;  // kernels whose whole plain name is the wanted one
  std::vector<std::string> found;
  const std::string signature = without_spaces(wanted);
  for (const std::string& name : kernels_of(ptx)) {
    if (name == wanted) return name;
    const Readable& plain = all.emplace_back(parts_of(name));
    const std::string last = last_part(plain.name);
    const std::string own = without_spaces(plain.name);
    const std::string parameters = without_spaces(plain.parameters);
    if (own == signature || own + parameters == signature) exact.push_back(name);
    if (last == wanted || without_spaces(last) + parameters == signature) found.push_back(name);
  }
  if (exact.size() == 1) return exact[0];
  if (found.size() == 1) return found[0];
  const std::vector<std::string>& alike = found.empty() ? exact : found;
  if (!alike.empty()) all.clear();
  for (const std::string& name : alike) all.push_back(parts_of(name));
  throw InvalidArgument("there " + std::string(alike.empty() ? "is no" : "is more than one") +
                        " kernel \"" + wanted + "\"; there are" +
                        (all.empty() ? " none at all" : ": " + list_of(all)));
}

}  // namespace warpwise::lab
