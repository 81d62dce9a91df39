#pragma once

#include "warpwise/lab/compile/compiler.hpp"
#include "warpwise/lab/study/table/study_table.hpp"

namespace warpwise::lab {

/// Compiles a rung's source for one architecture, with the constants as macros. BLOCK_X, BLOCK_Y
/// and BLOCK_Z are macros for the block's shape. NVRTC compiles the source if it is installed,
/// otherwise nvcc does.
///
/// Results are cached in $XDG_CACHE_HOME/warpwise/rungs (or ~/.cache). The key is made of the
/// source's text and of all files that it includes by a path, the macros, the architecture and the
/// compiler. The cache may be removed at any time, and need not be writable.
/// \param max_registers  largest number per thread, as in with_register_cap(); 0: no limit
/// \throws  as compile_file()
Compilation compile_rung(const Rung& rung, const std::map<std::string, std::int64_t>& constants,
                         const emulator::Dim3& block, int architecture, int max_registers = 0);

/// Checks that there is a compiler. \throws Unsupported  there is none; says how to get one
void require_compiler();

/// Returns the source of a rung, followed by all files that it includes. A file is included from
/// the including file's folder or from source_root(). \throws IoError  the rung's own file cannot
/// be read
std::string text_with_includes(const std::filesystem::path& file);

/// Returns the source of a rung. Each file that it includes from the ladder's or the
/// primitive's folder follows the line that first includes it. \throws IoError  as
/// text_with_includes()
std::string text_with_own_includes(const StudyTable& table, const Rung& rung);

}  // namespace warpwise::lab
