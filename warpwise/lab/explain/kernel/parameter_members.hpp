#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "warpwise/emulator/emulator.hpp"
#include "warpwise/lab/explain/launch/argument_spec.hpp"

// Finds the members of structures that a kernel reads, in the kernel's PTX.
namespace warpwise::lab {

/// Returns the PTX of a kernel, up to the next function; empty without that kernel.
std::string_view body_of(std::string_view ptx, const std::string& mangled);

/// Returns the names of a kernel's parameters in its PTX: "_Z5scalePfi_param_0".
std::vector<std::string> parameter_names(std::string_view body);

/// Returns the parts of a list, split at its commas outside of brackets.
std::vector<std::string> split(std::string_view list);

/// Returns the last identifier of a text: "n" for " const int n ".
std::string last_word(const std::string& text);

/// Returns the members of a structure that the kernel reads, by their offsets: "f32", or "*" for an
/// address.
/// \param name  the parameter's name in the PTX
std::map<std::uint64_t, std::string> members_of(std::string_view body, const std::string& name);

/// Refuses a structure if the kernel reads bytes of it that no given member covers.
/// \throws InvalidArgument
void require_members(const emulator::KernelInfo& kernel, std::string_view ptx,
                     const std::vector<ArgumentSpec>& specs);

}  // namespace warpwise::lab
