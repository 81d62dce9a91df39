#pragma once

#include <string>
#include <vector>

namespace warpwise::lab {

/// Returns "transpose<32>" for "_Z9transposeILi32EEvPfPKf", with namespaces and without parameters.
std::string plain_name(const std::string& mangled);

/// Returns the types of a kernel's parameters, "float*" and "int", in the form that C++ demanglers
/// write. Empty for a name that is not mangled.
std::vector<std::string> parameter_types(const std::string& mangled);

/// Returns a name by which kernel_in() finds this kernel of `ptx` alone: the plain name, with
/// parameters if another kernel has the same plain name.
std::string selecting_name(const std::string& ptx, const std::string& mangled);

/// Returns the mangled name of the kernel of `ptx` that `wanted` means. `wanted` is one of
/// - its mangled or plain name
/// - the last part of the plain name, without namespaces and template arguments
/// - either plain form with parameters, "scale(float*, int)", which distinguish kernels of one name
///
/// \throws InvalidArgument  no kernel matches, or several do; the message lists the kernels
std::string kernel_in(const std::string& ptx, const std::string& wanted);

}  // namespace warpwise::lab
