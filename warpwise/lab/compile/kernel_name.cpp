#include "warpwise/lab/compile/kernel_name.hpp"

#include <cxxabi.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <vector>

#include "warpwise/base/error.hpp"

namespace warpwise::lab {
namespace {

// "copy" of "warpwise::kernels::copy<int>".
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

}  // namespace

std::string plain_name(const std::string& mangled) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(mangled.c_str(), nullptr, nullptr, &status), &std::free);
  if (status != 0 || text == nullptr) return mangled;
  std::string name = text.get();
  int angles = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (name[i] == '<') ++angles;
    if (name[i] == '>') --angles;
    if (angles == 0 && name[i] == ' ') begin = i + 1;  // behind the type of the result
    if (angles == 0 && name[i] == '(') {
      if (name.compare(i, 21, "(anonymous namespace)") == 0) {
        i += 20;
        continue;
      }
      return name.substr(begin, i - begin);
    }
  }
  return name;
}

std::string kernel_in(const std::string& ptx, const std::string& wanted) {
  const std::vector<std::string> names = kernels_of(ptx);
  std::vector<std::string> exact;  // but for the parameters
  std::vector<std::string> found;
  std::string list;
  for (const std::string& name : names) {
    const std::string plain = plain_name(name);
    if (name == wanted) return name;
    if (plain == wanted) exact.push_back(name);
    if (last_part(plain) == wanted) found.push_back(name);
    list += (list.empty() ? "" : ", ") + plain;
  }
  if (exact.size() == 1) return exact[0];
  if (found.size() == 1) return found[0];
  throw InvalidArgument("there " + std::string(found.empty() ? "is no" : "is more than one") +
                        " kernel \"" + wanted + "\"; there are: " + list);
}

}  // namespace warpwise::lab
