#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "warpwise/emulator/emulator.hpp"

// Reads declarations in sources and PTX that may come from anyone. std::regex is not used: it calls
// itself for each letter, and a long text would overflow the stack.
namespace warpwise::lab {

/// Returns the block of a kernel that works on tiles: {columns, rows} of its first array of shared
/// memory with two dimensions. Returns zeros if the source declares none with known extents.
/// \param plain  name in the source, which may have a template's arguments
std::array<std::uint64_t, 2> tile_in(const std::string& source, const std::string& plain);

/// Returns the type of the elements that a source fetches from a texture; "f32" if it does not
/// tell.
std::string texels_in(const std::string& source, const std::string& texture);

/// Returns true for a type such as "const float*".
bool points_to_constants(std::string_view type);

/// Returns true if a kernel uses an array of shared memory whose size the launch gives.
/// \param body  kernel's text in the PTX
bool uses_dynamic_shared(std::string_view ptx, std::string_view body);

/// Returns true if a fault is the trap of a kernel that waits for its whole grid (grid.sync()), but
/// was not launched cooperatively.
/// \param body  kernel's text in the PTX
bool lacks_cooperative_launch(std::string_view body, const emulator::Fault& fault);

/// Sentences for a kernel with such a fault.
inline constexpr const char* cooperative_note =
    "grid.sync() waits for all blocks of a cooperative launch, and explain makes none. Run the "
    "kernel's program with warpwise run --explain FILE PROGRAM.";

/// Returns true if a kernel uses a coordinate of its threads or blocks, such as "tid.z" or
/// "ctaid.y". Functions of cooperative groups read all of them. A kernel that has such functions
/// uses only the coordinates that its own text in the source names.
/// \param body   kernel's text in the PTX
/// \param plain  name in the source, which may have a template's arguments
bool uses_coordinate(std::string_view body, const std::string& source, const std::string& plain,
                     std::string_view coordinate);

/// Returns the lines of a source without its comments, also those of several lines, and without the
/// texts between quotes.
std::vector<std::string> code_in(const std::vector<std::string>& lines);

/// Removes a word wherever it stands as a whole word.
std::string without(std::string text, std::string_view word);

}  // namespace warpwise::lab
