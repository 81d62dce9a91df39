#include "warpwise/lab/compile/kernel_name.hpp"

#include <cxxabi.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <utility>
#include <vector>

#include "warpwise/base/error.hpp"

namespace warpwise::lab {
namespace {

// Returns "copy" for "warpwise::kernels::copy<int>".
std::string last_part(const std::string& plain) {
  const std::string name = plain.substr(0, plain.find('<'));
  const std::size_t colon = name.rfind(':');
  return colon == std::string::npos ? name : name.substr(colon + 1);
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
  std::string name;        // with its namespaces: "warpwise::kernels::copy<int>"
  std::string parameters;  // "(int*, float)"; empty where the name is not mangled
};

Readable readable(const std::string& mangled) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(mangled.c_str(), nullptr, nullptr, &status), &std::free);
  if (status != 0 || text == nullptr) return {mangled, ""};
  const std::string name = text.get();
  int angles = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (name[i] == '<') ++angles;
    if (name[i] == '>') --angles;
    if (angles == 0 && name[i] == ' ') begin = i + 1;  // after the type of the result
    if (angles == 0 && name[i] == '(') {
      if (name.compare(i, 21, "(anonymous namespace)") == 0) {
        i += 20;
        continue;
      }
      // Leaves ABI tags out: numba's tag is a hash of 70 letters.
      const std::size_t end = std::min(i, name.find("[abi:", begin));
      return {name.substr(begin, end - begin), name.substr(i)};
    }
  }
  return {name, ""};
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

std::string plain_name(const std::string& mangled) { return readable(mangled).name; }

std::vector<std::string> parameter_types(const std::string& mangled) {
  const std::string all = readable(mangled).parameters;
  std::vector<std::string> types;
  int depth = 0;
  std::string type;
  for (const char c : all) {
    if (c == '(' || c == '<') ++depth;
    const bool ends = depth == 1 && (c == ',' || c == ')');
    if (ends && !type.empty()) types.push_back(std::exchange(type, ""));
    if (c == ')' || c == '>') --depth;
    const bool is_text = !ends && depth > 0 && !(depth == 1 && c == '(');
    if (is_text && !(type.empty() && c == ' ')) type += c;
  }
  return types;
}

std::string selecting_name(const std::string& ptx, const std::string& mangled) {
  std::vector<Readable> all;
  for (const std::string& name : kernels_of(ptx)) all.push_back(readable(name));
  return selecting_name(all, readable(mangled));
}

std::string kernel_in(const std::string& ptx, const std::string& wanted) {
  std::vector<Readable> all;
  std::vector<std::string> exact;  // except for the parameters
  std::vector<std::string> found;
  const std::string signature = without_spaces(wanted);
  for (const std::string& name : kernels_of(ptx)) {
    if (name == wanted) return name;
    const Readable& plain = all.emplace_back(readable(name));
    const std::string last = last_part(plain.name);
    const std::string own = without_spaces(plain.name);
    const std::string parameters = without_spaces(plain.parameters);
    if (own == signature || own + parameters == signature) exact.push_back(name);
    if (last == wanted || without_spaces(last) + parameters == signature) found.push_back(name);
  }
  if (exact.size() == 1) return exact[0];
  if (found.size() == 1) return found[0];
  const std::vector<std::string>& alike = exact.empty() ? found : exact;
  if (!alike.empty()) all.clear();
  for (const std::string& name : alike) all.push_back(readable(name));
  throw InvalidArgument("there " + std::string(alike.empty() ? "is no" : "is more than one") +
                        " kernel \"" + wanted + "\"; there are" +
                        (all.empty() ? " none at all" : ": " + list_of(all)));
}

}  // namespace warpwise::lab
