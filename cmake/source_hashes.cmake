# Writes source_hashes.hpp: a hash of each primitive's kernels and launches. By it a user's tuning file is known to belong
# to this version of them.
#
#   cmake -DROOT=… -DPRIMITIVES=copy,sobel -DCOMPILER=… -DOUTPUT=… -P source_hashes.cmake
string(REPLACE "," ";" PRIMITIVES "${PRIMITIVES}")
set(rows)
foreach(name IN LISTS PRIMITIVES)
  set(folder ${ROOT}/warpwise/primitives/${name})
  file(GLOB files RELATIVE ${ROOT} ${folder}/*.cuh ${folder}/*.cu ${folder}/arguments.hpp ${folder}/launch.*
    ${folder}/order.hpp ${folder}/plan.* ${folder}/tunables.hpp ${ROOT}/warpwise/primitives/shared/*.cuh)
  list(SORT files)
  set(text "${COMPILER}")
  foreach(file IN LISTS files)
    file(SHA256 ${ROOT}/${file} hash)
    string(APPEND text "\n${file} ${hash}")
  endforeach()
  string(SHA256 hash "${text}")
  string(SUBSTRING ${hash} 0 16 hash)
  string(APPEND rows "    {\"${name}\", \"${hash}\"},\n")
endforeach()
file(WRITE ${OUTPUT} "// Made by cmake/source_hashes.cmake.
#pragma once

#include <string_view>
#include <utility>

namespace warpwise::tuning {

inline constexpr std::pair<std::string_view, std::string_view> source_hashes[] = {
${rows}};

}  // namespace warpwise::tuning
")
