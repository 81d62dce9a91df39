#pragma once

#include "warpwise/lab/compile/compiler.hpp"
#include "warpwise/lab/study/study_table.hpp"

namespace warpwise::lab {

/// A rung's source, compiled for one architecture with these macros (BLOCK_X, BLOCK_Y, BLOCK_Z of
/// the block's shape among them). NVRTC compiles it where there is one, else nvcc. What was
/// compiled before comes from $XDG_CACHE_HOME/warpwise/rungs (or ~/.cache): the key is the text of
/// the source and of all that it includes by a path, the macros, the architecture and the compiler.
/// The cache may be removed at any time, and does without when it cannot be written.
/// \param max_registers  of a thread, as with_register_cap(); 0: as many as the compiler takes
/// \throws CompileError, Unsupported, IoError  as compile_file()
Compilation compile_rung(const Rung& rung, const std::map<std::string, std::int64_t>& constants,
                         const emulator::Dim3& block, int architecture, int max_registers = 0);

/// \throws Unsupported  there is no compiler here; says how to get one
void require_compiler();

/// The source of a rung and, behind it, of all that it includes by a path below the ladder's own
/// folder or source_root(). \throws IoError  the rung's own file cannot be read
std::string text_with_includes(const std::filesystem::path& file);

/// The source of a rung with what it includes of its ladder's folder and of its primitive's put in
/// where it is included first, behind the line that includes it. \throws IoError  as
/// text_with_includes()
std::string text_with_own_includes(const StudyTable& table, const Rung& rung);

}  // namespace warpwise::lab
