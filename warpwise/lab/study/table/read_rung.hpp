#pragma once

#include "warpwise/lab/study/table/table_fields.hpp"

// Reads the entries of a table that describe kernels.
namespace warpwise::lab {

/// The parts of a table that are needed to read an entry.
struct RungSurroundings {
  const nlohmann::json& defaults;  ///< fields for entries that do not set them
  std::string study;               ///< name of the study; default for an entry's field "kernel",
                                   ///< the name of the __global__ function
  std::filesystem::path folder;
  bool is_ladder = true;
  const StudyTable* ladder = nullptr;  ///< ladder whose rungs may be the study's kernels
};

/// Reads one entry. A field of the entry replaces the table's default field, but "needs" is added
/// to the default "needs". Leaves the member `after` empty, because it depends on the entries
/// above.
/// \param place  place of the entry in the table, without the entry's name
Rung read_rung(const nlohmann::json& object, const RungSurroundings& around,
               const std::string& place);

/// Reads the object "reference" of a study's problem.
Rung read_reference(const Fields& fields, const RungSurroundings& around);

}  // namespace warpwise::lab
