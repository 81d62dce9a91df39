#pragma once

#include "warpwise/lab/compile/compiler.hpp"
#include "warpwise/lab/study/table/study_table.hpp"

namespace warpwise::lab {

/// Compiles a rung's source for one architecture with these macros, including BLOCK_X, BLOCK_Y and
/// BLOCK_Z for the block's shape. NVRTC compiles it if there is one, else nvcc.
///
/// Earlier results come from the cache, $XDG_CACHE_HOME/warpwise/rungs (or ~/.cache). Its key is
/// the text of the source and of everything that it includes by a path, the macros, the
/// architecture and the compiler. The cache may be removed at any time, and need not be writable.
/// \param max_registers  per thread, as in with_register_cap(); 0: the compiler chooses
/// \throws  as compile_file()
Compilation compile_rung(const Rung& rung, const std::map<std::string, std::int64_t>& constants,
                         const emulator::Dim3& block, int architecture, int max_registers = 0);

/// Checks that there is a compiler. \throws Unsupported  there is none; says how to get one
void require_compiler();

/// Returns the source of a rung, followed by everything that it includes from the including file's
/// folder or from source_root(). \throws IoError  the rung's own file cannot be read
std::string text_with_includes(const std::filesystem::path& file);

/// Returns the source of a rung with its includes from the ladder's and the primitive's folders
/// expanded. An included file follows the line that includes it first. \throws IoError  as
/// text_with_includes()
std::string text_with_own_includes(const StudyTable& table, const Rung& rung);

}  // namespace warpwise::lab
