#pragma once

namespace warpwise::lab {

/// A ladder's table for tests, with most kinds of fields.
inline constexpr const char* small_table = R"json({
 "ladder": "threshold",
 "about": "a table for a test",
 "size": [640, 480],
 "emulator_size": [64, 48],
 "verify": [[1, 1], [33, 5]],
 "verify_parameters": [{}, {"window": 3}],
 "document": {"device": "a GPU of then", "cpu": {"threads": 16, "gpu_speedup": 23, "rows": ["C1"]}},
 "defaults": {"rows": ["C1"], "blocks": [[32, 4], [64]], "grid": ["ceil_div(width, block_x)", "height"]},
 "rungs": [
  {"name": "first", "idea": "the first idea", "file": "01.cu", "document": {"time_us": 800.5}},
  {"name": "second", "idea": "the next", "rows": ["C2"], "file": "02.cu", "constants": {"A": 3, "B": "A_B * 2"}, "parameters": {"offset": -5}, "shared": "4 * block_x", "scratch": 16, "textures": {"src": "2d"}, "needs": {"width < 9": "narrow"}, "document": {"speedup": 2}},
  {"name": "third", "idea": "two kernels", "after": "first", "file": "03.cu", "blocks": [[8, 8, 8]], "launches": [{"kernel": "a", "grid": ["1"]}, {"grid": [2, 3, 4], "block": [256], "shared": 64}]},
  {"name": "shipped", "idea": "the library's", "after": "", "file": "shipped.cu", "shipped": true}
 ],
 "experiments": [
  {"name": "all", "title": "All of it", "rows": ["C1"], "rungs": ["*"], "axes": {"sizes": [[10, 20]], "window": [3, 5], "B": [1, 2], "blocks": "all"}, "cpu": true},
  {"name": "some", "title": "Two", "rungs": ["third", "first"], "axes": {"sizes": [[1, 2], [3, 4]], "blocks": [[32], [8, 8]]}}
 ]
})json";

}  // namespace warpwise::lab
