#pragma once

#include "warpwise/lab/study/table/table_fields.hpp"

// Reads the entries of a table that describe kernels.
namespace warpwise::lab {

/// Context in which an entry is read.
struct RungSurroundings {
  const nlohmann::json& defaults;  ///< fields of entries that do not set them
  std::string study;               ///< name of the study, and of its kernels unless an entry gives
                                   ///< another name
  std::filesystem::path folder;
  bool is_ladder = true;
  const StudyTable* ladder = nullptr;  ///< ladder whose rungs may be the study's kernels
};

/// Reads one entry with the table's defaults. A field of the entry replaces the default, but
/// "needs" extends the default's "needs". Leaves `after` empty, which depends on the entries above.
/// \param place  place of the entry, without its name
Rung read_rung(const nlohmann::json& object, const RungSurroundings& around,
               const std::string& place);

/// Reads the object "reference" of a study's problem.
Rung read_reference(const Fields& fields, const RungSurroundings& around);

}  // namespace warpwise::lab
