#pragma once

#include <string>

namespace warpwise::lab {

/// "transpose<32>" of "_Z9transposeILi32EEvPfPKf", with its namespaces and without its parameters.
std::string plain_name(const std::string& mangled);

/// The mangled name of the kernel of `ptx` that `wanted` means: its mangled or plain name, or the
/// last part of the plain one, without namespaces and template arguments; both with the parameters
/// behind them too, "scale(float*, int)", which tell kernels of one name apart.
/// \throws InvalidArgument  there is none, or more than one (lists all)
std::string kernel_in(const std::string& ptx, const std::string& wanted);

}  // namespace warpwise::lab
