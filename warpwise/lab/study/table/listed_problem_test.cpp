// Tests a study whose table lists its problem: the kernel's arguments and a reference kernel.
#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "warpwise/base/error.hpp"
#include "warpwise/lab/compile/kernel_name.hpp"
#include "warpwise/lab/measure/emulator_executor.hpp"
#include "warpwise/lab/study/run/rungs_testing.hpp"
#include "warpwise/lab/study/run/study_run.hpp"
#include "warpwise/lab/study/run/verify.hpp"
#include "warpwise/lab/study/show/csv_testing.hpp"
#include "warpwise/lab/study/show/messages_testing.hpp"
#include "warpwise/lab/study/show/study_report.hpp"
#include "warpwise/lab/study/table/study_table.hpp"

namespace warpwise::lab {
namespace {

using ladders::Variables;

constexpr const char* doubling_table = R"json({
 "study": "doubling",
 "about": "a study for a test",
 "size": [64, 1],
 "emulator_size": [64, 1],
 "verify": [[1, 1], [33, 1]],
 "problem": {
  "parameters": {"added": 1},
  "arguments": [
   {"input": "in", "type": "u32", "elements": "width"},
   {"output": "out", "type": "u32", "elements": "width"},
   {"scalar": "count", "type": "u32", "value": "width"},
   {"scalar": "added", "type": "u32", "value": "added"}
  ],
  "reference": {"file": "reference.cu", "grid": [1]}
 },
 "kernels": [{"name": "factor", "idea": "a multiplication", "file": "factor.cu", "constants": {"FACTOR": 2},
   "blocks": [[32], [64]], "grid": ["ceil_div(width, block_x)"]}],
 "axes": {"FACTOR": [2, 3], "added": [1, 5]},
 "report": ["warp_instructions"]
})json";

class Doubling : public Rungs {
 protected:
  void SetUp() override {
    Rungs::SetUp();
    if (IsSkipped()) return;
    write(folder_ / "study.json", doubling_table);
    write(folder_ / "reference.cu",
          "extern \"C\" __global__ void reference(unsigned* in, unsigned* out, unsigned count, "
          "unsigned added) {\n  if (threadIdx.x == 0) for (unsigned i = 0; i < count; ++i) out[i] "
          "= FACTOR * in[i] + added;\n}\n");
    write_kernel("if (i < count) out[i] = FACTOR * in[i] + added;");
  }
  void write_kernel(const std::string& body, const std::string& last = "unsigned added") {
    write(folder_ / "factor.cu",
          "extern \"C\" __global__ void doubling(unsigned* in, unsigned* out, unsigned count, " +
              last + ") {\n  unsigned i = blockIdx.x * BLOCK_X + threadIdx.x;\n" + body + "\n}\n");
  }
  VerifiedRung verified() {
    const StudyTable table = read_study(folder_);
    EmulatorExecutor executor({{9, 0}}, false);
    VerifiedRung result;
    verify(executor, table, {"factor"}, false, [&](const VerifiedRung& rung) { result = rung; });
    return result;
  }
  StudyRun run() {
    StudyRequest request;
    request.rungs = {"factor"};
    request.compute_capabilities = {{9, 0}};
    return run_study(read_study(folder_), request, [](const StudyRun&, const RungRow&) {});
  }
};

TEST_F(Doubling, IsVerifiedAtEveryPoint) {
  const VerifiedRung right = verified();
  EXPECT_TRUE(right.right()) << right.failure;
  EXPECT_EQ(right.passed, 2 * 2 * 2 * 2 * 2) << "factors, added, sizes, layouts, blocks";
  // The kernel's result is wrong at one point of the axes only.
  write_kernel("if (i < count) out[i] = FACTOR * in[i] + added + (FACTOR == 3 && added == 5);");
  const VerifiedRung wrong = verified();
  EXPECT_FALSE(wrong.right());
  expect_words(wrong.failure, {"out at (0, 0)", "added 5", "FACTOR 3"});
  // The kernel writes one element beyond the end of its buffer.
  write_kernel("if (i <= count) out[i] = FACTOR * in[i < count ? i : 0] + added;");
  expect_words(verified().failure, {"out_of_bounds"});
}

TEST_F(Doubling, EachPointIsARow) {
  const StudyRun done = run();
  ASSERT_EQ(done.rows.size(), 4U);
  EXPECT_FALSE(done.any_wrong());
  EXPECT_EQ(done.rows[0].parameters, (Variables{{"added", 1}}));
  EXPECT_EQ(done.rows[1].axis_constants, (Variables{{"FACTOR", 3}}));
  const auto json = json_of(done);
  EXPECT_EQ(json["study"], "doubling");
  EXPECT_EQ(json["results"][3]["axes"]["FACTOR"], 3);
  EXPECT_EQ(json["results"][0]["counts"][0]["global_load"]["requests"], 2);
  const auto lines = csv_fields(csv_of(done));
  EXPECT_EQ(lines[0][0], "study");
  EXPECT_EQ(lines[0].back(), "FACTOR");
  EXPECT_EQ(lines[4].back(), "3");
  for (const auto& line : lines) EXPECT_EQ(line.size(), lines[0].size());
  EXPECT_NE(columns_of(done, done.rows[0]).find("warp_instructions"), std::string::npos);
  EXPECT_NE(line_of(done, done.rows[3]).find("factor (32) added 5 FACTOR 3"), std::string::npos);
  EXPECT_FALSE(begins_table(done, &done.rows[0], done.rows[3]));
}

TEST_F(Doubling, ArgumentsHaveToFitTheKernel) {
  write_kernel("if (i < count) out[i] = in[i] + added;", "unsigned long long added");
  expect_words(message_of<InvalidArgument>([&] { run(); }),
               {"4 parameters of 8, 8, 4, 8 bytes", "4 arguments of 8, 8, 4, 4 bytes"});
}

}  // namespace
}  // namespace warpwise::lab
