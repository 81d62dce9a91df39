// Rungs compiled, kept, run and compared, and what becomes of the rows. Where there is no compiler
// the tests that need one are skipped with the reason.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <sstream>

#include "warpwise/base/error.hpp"
#include "warpwise/lab/compile/kernel_name.hpp"
#include "warpwise/lab/measure/emulator_executor.hpp"
#include "warpwise/lab/study/messages_testing.hpp"
#include "warpwise/lab/study/rung_code.hpp"
#include "warpwise/lab/study/rung_run.hpp"
#include "warpwise/lab/study/study_report.hpp"
#include "warpwise/lab/study/study_run.hpp"
#include "warpwise/lab/study/study_table.hpp"
#include "warpwise/lab/study/table_fields.hpp"
#include "warpwise/lab/study/verify.hpp"

namespace warpwise::lab {
namespace {

namespace fs = std::filesystem;
using ladders::Layout;
using ladders::Problem;
using ladders::Variables;

constexpr std::int64_t greatest = std::numeric_limits<std::int64_t>::max();

// ---- Rungs: a copy of a ladder's folder that may be edited, and a cache of its own

class Rungs : public testing::Test {
 protected:
  void SetUp() override {
    try {
      require_compiler();
    } catch (const Unsupported& reason) {
      GTEST_SKIP() << reason.what();
    }
    const fs::path nvrtc = nvrtc_cache();
    std::string name = (fs::temp_directory_path() / "warpwise-ladder-XXXXXX").string();
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    folder_ = name;
    // A compiler that is in the cache is still wanted.
    fs::create_directories(folder_ / "cache/warpwise");
    if (fs::exists(nvrtc)) fs::create_directory_symlink(nvrtc, folder_ / "cache/warpwise/nvrtc");
    ::setenv("XDG_CACHE_HOME", (folder_ / "cache").c_str(), 1);
  }
  void TearDown() override {
    if (!folder_.empty()) fs::remove_all(folder_);
  }

  StudyTable edited(const std::string& ladder) {
    const StudyTable installed = find_study(ladder);
    fs::copy(installed.folder, folder_ / ladder);
    return read_study(folder_ / ladder);
  }

  static std::string text_of(const fs::path& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  static void write(const fs::path& path, const std::string& text) { std::ofstream(path) << text; }

  std::vector<fs::path> cached() const {
    std::vector<fs::path> result;
    const fs::path rungs = folder_ / "cache/warpwise/rungs";
    if (!fs::exists(rungs)) return result;
    for (const auto& each : fs::directory_iterator(rungs)) result.push_back(each.path());
    return result;
  }

  fs::path folder_;
};

TEST_F(Rungs, ComeFromTheCacheUntilAnythingChanges) {
  const StudyTable table = edited("copy");
  const Rung& rung = table.rung("scalar");
  const auto compiled = [&](std::map<std::string, std::int64_t> constants = {}, int width = 256,
                            int architecture = 75) {
    return compile_rung(rung, constants, {static_cast<std::uint32_t>(width), 1, 1}, architecture)
        .ptx;
  };
  const std::string ptx = compiled();
  ASSERT_NE(ptx.find(".entry copy"), std::string::npos);
  ASSERT_EQ(cached().size(), 1U);
  const fs::path kept = cached()[0];

  // What lies there is taken, so it is not compiled again.
  const std::string content = text_of(kept);
  write(kept, R"({"compiler": "none", "ptx": "of the cache"})");
  EXPECT_EQ(compiled(), "of the cache");

  // Spoilt: compiled anew, and put right.
  for (const std::string& spoilt :
       {std::string(), content.substr(0, content.size() / 2), std::string("[1, 2]"),
        std::string(R"({"ptx": 5, "compiler": "x"})"), std::string(R"({"ptx": "x"})"),
        std::string("\xff\xfe\0", 3)}) {
    write(kept, spoilt);
    EXPECT_EQ(compiled(), ptx);
    EXPECT_EQ(text_of(kept), content);
  }

  // Another constant, block, architecture: another file each.
  write(kept, R"({"compiler": "none", "ptx": "of the cache"})");
  EXPECT_EQ(compiled({{"UNUSED", 1}}), ptx);
  EXPECT_NE(compiled({}, 128), "of the cache");
  EXPECT_NE(compiled({}, 256, 90), "of the cache");
  EXPECT_EQ(cached().size(), 4U);
  EXPECT_EQ(compiled(), "of the cache");

  // The file itself.
  const std::string source = text_of(rung.file);
  write(rung.file, source + "\n");
  EXPECT_EQ(compiled(), ptx);
  write(rung.file, source);
  EXPECT_EQ(compiled(), "of the cache");
}

// What the compiler writes names the file: it must not be another's of the same text, which is
// called the same from where its user stands.
TEST_F(Rungs, OfTwoFoldersThatAreCalledAlike) {
  const fs::path before = fs::current_path();
  for (const char* place : {"one", "other"}) {
    const fs::path own = fs::canonical(folder_) / place;
    fs::create_directories(own);
    fs::copy(find_study("copy").folder, own / "mine");
    fs::current_path(own);
    const StudyTable table = read_study("mine");
    const Compilation result = compile_rung(table.rung("scalar"), {}, {32, 1, 1}, 75);
    const StudyTable dotted = read_study("./../" + own.filename().string() + "/mine/.");
    fs::current_path(before);
    EXPECT_EQ(table.folder, own / "mine");
    EXPECT_EQ(dotted.folder, own / "mine");
    expect_words(result.ptx, {(own / "mine/01_scalar.cu").string()});
  }
  EXPECT_EQ(cached().size(), 2U);
}

// However a file is included, and through however many others.
TEST_F(Rungs, AreCompiledAnewWhenAnIncludedFileChanges) {
  const StudyTable table = edited("copy");
  const Rung& rung = table.rung("scalar");
  write(table.folder / "inner.hpp", "#pragma once\n#define SHIFT 1\n");
  write(table.folder / "outer.hpp", "#pragma once\n#  include   \"inner.hpp\"\n");
  write(rung.file,
        "#include\t\"problem.hpp\"\n  #include\"outer.hpp\"\n"
        "extern \"C\" __global__ void copy(warpwise::ladders::CopyProblem p) { p.dst[SHIFT] = 1; "
        "}\n");
  const auto compiled = [&] { return compile_rung(rung, {}, {32, 1, 1}, 75).ptx; };
  const std::string first = compiled();
  write(table.folder / "inner.hpp", "#pragma once\n#define SHIFT 2\n");
  EXPECT_NE(compiled(), first);
  expect_words(text_with_includes(rung.file), {"SHIFT 2", "struct CopyProblem"});
}

TEST_F(Rungs, DoWithoutACacheThatCannotBeWritten) {
  const StudyTable table = edited("copy");
  // A compiler that is in the cache goes with it.
  if (fs::exists(nvrtc_cache())) GTEST_SKIP() << "the only compiler may be the one in the cache";
  write(folder_ / "file", "");
  for (const char* nowhere : {"file", "file/below"}) {
    ::setenv("XDG_CACHE_HOME", (folder_ / nowhere).c_str(), 1);
    EXPECT_NE(compile_rung(table.rung("scalar"), {}, {32, 1, 1}, 75).ptx.find(".entry copy"),
              std::string::npos);
  }
}

// Its name is in the PTX, and JSON holds no such bytes.
TEST_F(Rungs, InAFolderWhoseNameIsNotUtf8) {
  edited("copy");
  fs::rename(folder_ / "copy", folder_ / "c\xffpy");
  const StudyTable table = read_study(folder_ / "c\xffpy");
  for (int i = 0; i < 2; ++i) {
    EXPECT_NE(compile_rung(table.rung("scalar"), {}, {32, 1, 1}, 75).ptx.find(".entry copy"),
              std::string::npos);
  }
}

TEST_F(Rungs, OfAMissingFile) {
  Rung rung = edited("copy").rung("scalar");
  rung.file = folder_ / "none.cu";
  expect_words(message_of<IoError>([&] { compile_rung(rung, {}, {32, 1, 1}, 75); }), {"none.cu"});
}

// A rung that was run, whose result is spoilt afterwards.
class Comparison : public Rungs {
 protected:
  struct Done {
    StudyTable table;
    Problem expected;
    std::unique_ptr<EmulatorExecutor> executor;
    std::unique_ptr<RungRun> run;

    std::string difference() const { return run->first_difference(expected); }
    template <class T>
    void set(std::size_t operand, std::int64_t byte, T value) const {
      const auto bytes = ladders::bytes_of(value);
      executor->write(run->placement().address[operand] + static_cast<std::uint64_t>(byte), bytes);
    }
  };

  static std::unique_ptr<Done> done(const char* ladder, const char* rung, const Size& size,
                                    Layout layout) {
    auto result = std::make_unique<Done>();
    result->table = find_study(ladder);
    const StudyTable& table = result->table;
    Problem problem =
        table.ladder->problem(size.width, size.height, table.ladder->parameters(), layout);
    result->expected = problem;
    table.ladder->compute(result->expected, ladders::Cpu::reference);
    result->executor =
        std::make_unique<EmulatorExecutor>(std::vector<rules::ComputeCapability>{{9, 0}}, false);
    const Rung& chosen = table.rung(rung);
    result->run =
        std::make_unique<RungRun>(*result->executor, table, chosen, problem, chosen.blocks.front());
    result->run->run();
    return result;
  }
};

TEST_F(Comparison, FindsTheFirstWrongPixel) {
  const auto done = Comparison::done("copy", "scalar", {40, 1}, {3, 5});
  EXPECT_EQ(done->difference(), "");
  const auto right = load<std::int32_t>(done->expected.operand("src").view().row(0), 7);
  done->set(1, 4 * 7, right ^ 1);
  done->set(1, 4 * 39, 0);
  const std::string said = done->difference();
  expect_words(said, {"dst at (7, 0)", "expected " + std::to_string(right),
                      "got " + std::to_string(right ^ 1), "2 of 40 pixels"});
}

TEST_F(Comparison, FindsWhatWasWrittenBesideThePixels) {
  auto done = Comparison::done("copy", "scalar", {40, 1}, {3, 5});
  done->set(1, -1, std::byte{0});
  expect_words(done->difference(), {"dst: byte 11 ", "belongs to no pixel"});
  done = Comparison::done("copy", "scalar", {40, 1}, {3, 5});
  done->set(1, 4 * 45 - 1, std::byte{1});
  expect_words(done->difference(), {"dst: byte 191 ", "belongs to no pixel"});
  // What was not written at all.
  done = Comparison::done("copy", "scalar", {40, 1}, {3, 5});
  done->set(1, 4 * 39, 0xa5a5a5a5U);
  expect_words(done->difference(), {"dst at (39, 0)", "1 of 40"});
}

TEST_F(Comparison, OfAnOutputBetweenOtherRows) {
  const auto done = Comparison::done("sobel", "global_plain", {20, 4}, {3, 5});
  const ladders::Operand& output = done->expected.operands.back();
  ASSERT_TRUE(output.is_output());
  ASSERT_EQ(done->difference(), "");
  const std::int64_t pixel = output.view().pixel_bytes();
  done->set(done->expected.operands.size() - 1, output.pitch_bytes() + 21 * pixel, std::byte{0});
  expect_words(done->difference(), {"belongs to no pixel"});
}

TEST_F(Comparison, WithinATolerance) {
  const auto done = Comparison::done("gemv", "warp_per_row", {64, 5}, {});
  ASSERT_EQ(done->difference(), "");
  ladders::Operand& y = done->expected.operands.back();
  ASSERT_FALSE(y.tolerance.empty());
  const auto at = [&](float value) {
    done->set(done->expected.operands.size() - 1, 4 * 2, value);
    return done->difference();
  };
  const auto elements = y.view();
  const std::int64_t row = elements.height() > 1 ? 2 : 0;
  const std::int64_t column = elements.height() > 1 ? 0 : 2;
  ASSERT_EQ(elements.pixel_bytes(), 4);
  y.tolerance.assign(y.tolerance.size(), 0.5F);
  store(y.view().row(row), column, 1.0F);
  const std::string place = "at (" + std::to_string(column) + ", " + std::to_string(row) + ")";
  EXPECT_EQ(at(1.5F), "");
  EXPECT_EQ(at(0.5F), "");
  expect_words(at(1.625F), {place, "expected 1,", "got 1.625"});
  expect_words(at(NAN), {place, "got nan"});
  expect_words(at(INFINITY), {place, "got inf"});
  store(y.view().row(row), column, static_cast<float>(NAN));
  expect_words(at(1.0F), {"expected nan, got 1"});
  EXPECT_EQ(at(static_cast<float>(NAN)), "");
  store(y.view().row(row), column, static_cast<float>(INFINITY));
  EXPECT_EQ(at(INFINITY), "");
  expect_words(at(-INFINITY), {"expected inf, got -inf"});
  // Without a tolerance the bits have to be the same.
  y.tolerance.clear();
  const Problem exact = done->expected;
  store(y.view().row(row), column, 0.0F);
  EXPECT_NE(at(-0.0F), "");
}

TEST_F(Rungs, AreSkippedWithTheReason) {
  const StudyTable table = find_study("threshold");
  const EmulatorExecutor executor({{9, 0}}, false);
  const Rung& rung = table.rung("texture");
  const auto why = [&](Layout layout) {
    return RungRun::why_skipped(executor, rung,
                                table.ladder->problem(32, 4, table.ladder->parameters(), layout),
                                rung.blocks.front());
  };
  EXPECT_EQ(why({}), "");
  EXPECT_EQ(why({3, 0}), "a 2-D texture starts at a multiple of 512 bytes");
  EXPECT_EQ(why({0, 5}), "the rows of a 2-D texture are a multiple of 32 bytes apart");
}

TEST_F(Rungs, UseNamesOfTheProblemAndTheBlock) {
  const StudyTable table = find_study("copy");
  const EmulatorExecutor executor({{1, 3}, {9, 0}}, false);
  Rung rung = table.rung("scalar");
  rung.constants = {{"TILE", "4 * block_x"}};
  const Variables names =
      variables_of(executor, rung, table.ladder->problem(33, 2, {}, {3, 5}), {32, 4, 2});
  EXPECT_EQ(names.at("width"), 33);
  EXPECT_EQ(names.at("count"), 66);
  EXPECT_EQ(names.at("src_offset"), 12);
  EXPECT_EQ(names.at("dst_pitch"), 4 * 71);
  EXPECT_EQ(names.at("block_x"), 32);
  EXPECT_EQ(names.at("block_z"), 2);
  EXPECT_EQ(names.at("TILE"), 128);
  EXPECT_EQ(names.at("cc"), 90);
  EXPECT_EQ(names.at("multiprocessors"), executor.multiprocessors());
  EXPECT_EQ(names.at("max_shared_bytes"), 227 * 1024);
  EXPECT_EQ(names.at("max_linear_texels"), 1 << 28);

  // None of them can be a table's own.
  for (const auto& [name, value] : names) {
    EXPECT_TRUE(is_reserved(name) || name == "count" || name == "TILE") << name;
  }
  rung.constants = {{"count", "1"}};
  expect_words(message_of<InvalidArgument>([&] {
                 variables_of(executor, rung, table.ladder->problem(33, 2, {}, {3, 5}), {32, 1, 1});
               }),
               {"rung 1 \"scalar\"", "\"constants\"", "\"count\"", "the problem has"});
}

TEST_F(Rungs, WhoseLaunchCannotBe) {
  const StudyTable table = find_study("copy");
  EmulatorExecutor executor({{9, 0}}, false);
  const Problem problem = table.ladder->problem(33, 2, {}, {});
  const auto run = [&](const auto& change) {
    Rung rung = table.rung("scalar");
    change(rung);
    RungRun(executor, table, rung, problem, {32, 1, 1});
  };
  const auto refused = [&](const auto& change) {
    return message_of<InvalidArgument>([&] { run(change); });
  };
  expect_words(refused([](Rung& rung) { rung.launches[0].grid = {"0"}; }),
               {"grid", "\"0\"", "2147483647"});
  expect_words(refused([](Rung& rung) { rung.launches[0].grid = {"1", "65536"}; }),
               {"65536", "65535"});
  expect_words(refused([](Rung& rung) { rung.launches[0].grid = {"wdth"}; }), {"'wdth'", "width"});
  expect_words(refused([](Rung& rung) { rung.launches[0].block = {"2048"}; }),
               {"block", "2048", "1024"});
  expect_words(refused([](Rung& rung) { rung.launches[0].shared = "0 - 1"; }), {"negative"});
  expect_words(refused([](Rung& rung) { rung.launches[0].kernel = "cpy"; }), {"\"cpy\"", "copy"});
  expect_words(refused([](Rung& rung) { rung.scratch = "0 - 1"; }), {"scratch", "negative"});
  expect_words(refused([](Rung& rung) { rung.textures["source"] = TextureKind::linear; }),
               {"\"source\"", "src, dst"});
  // What no SM holds is skipped, however large the number.
  for (const char* bytes : {"max_shared_bytes + 1", "4294967296 + 64"}) {
    const auto needs_too_much = [&] { run([&](Rung& rung) { rung.launches[0].shared = bytes; }); };
    expect_words(message_of<Unsupported>(needs_too_much), {"does not fit an SM"});
  }
}

TEST_F(Rungs, ThatReadOutOfBoundsAreWrong) {
  const StudyTable table = edited("copy");
  write(table.folder / "01_scalar.cu",
        "#include \"problem.hpp\"\n"
        "extern \"C\" __global__ void copy(warpwise::ladders::CopyProblem p) {\n"
        "  if (blockIdx.x == 0) p.dst[threadIdx.x] = p.src[p.count + 1000000];\n}\n");
  StudyRequest request;
  request.rungs = {"scalar", "vector2"};
  request.size = Size{100, 1};
  request.compute_capabilities = {{9, 0}};
  const StudyRun run = run_study(table, request, [](const StudyRun&, const RungRow&) {});
  EXPECT_TRUE(run.any_wrong());
  std::vector<RungRow> rungs;
  std::copy_if(run.rows.begin(), run.rows.end(), std::back_inserter(rungs),
               [](const RungRow& row) { return !row.on_cpu; });
  ASSERT_EQ(rungs.size(), 2U);
  expect_words(rungs[0].wrong, {"out_of_bounds", "01_scalar.cu:3", "thread (0, 0, 0)"});
  EXPECT_EQ(rungs[1].wrong, "") << "the next rung is run all the same";
}

TEST_F(Rungs, AreVerifiedAtEverySizeAndBlock) {
  const StudyTable table = edited("copy");
  EmulatorExecutor executor({{9, 0}}, false);
  std::vector<VerifiedRung> verified;
  const auto done = [&](const VerifiedRung& rung) { verified.push_back(rung); };
  verify(executor, table, {"vector2", "shipped"}, false, done);
  ASSERT_EQ(verified.size(), 2U);
  for (const VerifiedRung& each : verified) EXPECT_TRUE(each.right()) << each.failure;
  EXPECT_EQ(verified[0].passed % 3, 0) << "three block shapes";
  EXPECT_EQ(verified[1].passed, verified[0].passed / 3);

  // Wrong for one size only: told with the problem.
  std::string source = text_of(table.folder / "01_scalar.cu");
  source.replace(source.find("i < p.count;"), 12, "i < p.count - (p.count == 257);");
  write(table.folder / "01_scalar.cu", source);
  verified.clear();
  verify(executor, table, {"scalar"}, false, done);
  ASSERT_EQ(verified.size(), 1U);
  EXPECT_FALSE(verified[0].right());
  expect_words(verified[0].failure,
               {"dst at (256, 0)", "1 of 257 pixels", "width 257", "block 256x1x1"});

  write(table.folder / "01_scalar.cu", "#include \"problem.hpp\"\nnonsense;\n");
  verified.clear();
  verify(executor, table, {"scalar"}, false, done);
  expect_words(verified[0].failure, {"01_scalar.cu(2)"});
  expect_words(verified[0].compiler_log, {"nonsense"});
}

TEST_F(Rungs, OfParametersThatMakeNoProblem) {
  StudyTable table = find_study("match");
  table.experiments.clear();
  table.verify = {{4, 4}, {9, 9}};
  EmulatorExecutor executor({{9, 0}}, false);
  const auto verified = [&](std::vector<Variables> parameters) {
    table.verify_parameters = std::move(parameters);
    VerifiedRung result;
    verify(executor, table, {"shipped"}, false, [&](const VerifiedRung& rung) { result = rung; });
    return result;
  };
  // A block of 5 does not fit an image of 4x4, in any of the three layouts.
  const VerifiedRung some = verified({{{"block", 5}}});
  EXPECT_TRUE(some.right()) << some.failure;
  EXPECT_EQ(some.passed, 3);
  ASSERT_EQ(some.skipped.size(), 1U);
  EXPECT_EQ(some.skipped.begin()->second, 3);
  expect_words(some.skipped.begin()->first, {"4x4", "block"});

  const VerifiedRung none = verified({{{"block", 5}}, {{"block", 10}}});
  EXPECT_FALSE(none.right());
  expect_words(none.failure, {"verify_parameters", "block 10", "9x9"});
}

// ---- Reports

// Names of the first line and fields of the others, quotes taken off.
std::vector<std::vector<std::string>> csv_fields(const std::string& text) {
  std::vector<std::vector<std::string>> lines(1, {""});
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"' && quoted && i + 1 < text.size() && text[i + 1] == '"')
      lines.back().back() += text[i++];
    else if (c == '"')
      quoted = !quoted;
    else if (c == ',' && !quoted)
      lines.back().emplace_back();
    else if (c == '\n' && !quoted)
      lines.push_back({""});
    else
      lines.back().back() += c;
  }
  EXPECT_FALSE(quoted);
  lines.pop_back();
  return lines;
}

// ---- A study with its own problem

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
  // Wrong at one point only.
  write_kernel("if (i < count) out[i] = FACTOR * in[i] + added + (FACTOR == 3 && added == 5);");
  const VerifiedRung wrong = verified();
  EXPECT_FALSE(wrong.right());
  expect_words(wrong.failure, {"out at (0, 0)", "added 5", "FACTOR 3"});
  // Beyond the end of its buffer.
  write_kernel("if (i <= count) out[i] = FACTOR * in[i < count ? i : 0] + added;");
  expect_words(verified().failure, {"out_of_bounds"});
}

TEST_F(Doubling, EachPointIsARow) {
  const StudyRun done = run();
  ASSERT_EQ(done.rows.size(), 4U);
  EXPECT_FALSE(done.any_wrong());
  EXPECT_EQ(done.rows[0].parameters, (Variables{{"added", 1}}));
  EXPECT_EQ(done.rows[1].axes, (Variables{{"FACTOR", 3}}));
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

TEST_F(Rungs, MayBeCappedInTheirRegisters) {
  const StudyTable table = find_study("sobel");
  const Rung& rung = table.rung("global_unrolled");
  const std::map<std::string, std::int64_t> constants = {
      {"FILTER_IN_CONSTANT", 1}, {"FEWER_CONDITIONS", 1}, {"CONSTANT_BLOCK", 1}, {"UNROLLED", 1}};
  const auto registers = [&](int cap) {
    const Compilation compiled = compile_rung(rung, constants, {32, 8, 1}, 90, cap);
    const std::vector<rules::ComputeCapability> cc = {{9, 0}};
    const auto report = kernel_resources(compiled, kernel_in(compiled.ptx, "sobel"), cc);
    EXPECT_TRUE(report.by_compute_capability[0]) << report.why_unknown;
    return report.by_compute_capability[0] ? report.by_compute_capability[0]->registers : 0;
  };
  const int uncapped = registers(0);
  ASSERT_GT(uncapped, 24);
  EXPECT_LE(registers(24), 24);
  EXPECT_EQ(registers(255), uncapped);
}

TEST(HostMemory, IsAskedForBeforeItIsFilled) {
  expect_words(message_of<OutOfMemory>(
                   [] { find_study("copy").ladder->problem(1'000'000, 1'000'000, {}, {}); }),
               {"src takes 4000000000000 bytes", "memory"});
  EXPECT_THROW(find_study("copy").ladder->problem(greatest, 2, {}, {}), InvalidArgument);
  EXPECT_THROW(find_study("copy").ladder->problem(greatest, 1, {}, {}), InvalidArgument);
}

// ---- Reports

TEST_F(Rungs, AreReportedWithAllTheirFigures) {
  const StudyTable table = find_study("threshold");
  StudyRequest request;
  request.rungs = {"global", "tile", "shipped"};
  request.size = Size{40, 6};
  request.block = emulator::Dim3{16, 4, 1};
  request.compute_capabilities = {{1, 3}, {9, 0}};
  int told = 0;
  StudyRun run = run_study(table, request, [&](const StudyRun&, const RungRow&) { ++told; });
  EXPECT_FALSE(run.any_wrong());
  EXPECT_EQ(static_cast<int>(run.rows.size()), told);

  const nlohmann::ordered_json json = json_of(run);
  ASSERT_EQ(json["results"].size(), run.rows.size());
  int rungs = 0;
  for (const auto& row : json["results"]) {
    EXPECT_TRUE(row.contains("rung") && row.contains("idea") && row.contains("rows"));
    EXPECT_EQ(row["size"], nlohmann::json({40, 6}));
    if (row.contains("on_cpu")) {
      EXPECT_GT(row["time"]["median_us"], 0);
      continue;
    }
    ++rungs;
    const bool shipped = row["rung"] == "shipped";
    EXPECT_EQ(row["block"] == nlohmann::json({16, 4, 1}), !shipped) << "the library has its own";
    ASSERT_EQ(row["counts"].size(), 2U);
    ASSERT_EQ(row["resources"].size(), 2U);
    EXPECT_EQ(row["counts"][0]["compute_capability"], "1.3");
    EXPECT_GT(row["counts"][1]["warp_instructions"], 0);
    EXPECT_GT(row["counts"][1]["active_lanes"], 0);
    EXPECT_FALSE(row.contains("cold"));
  }
  EXPECT_EQ(rungs, 3);

  // What was not run, for a reason with every character that CSV makes much of.
  run.rows.back().counts.clear();
  run.rows.back().resources.clear();
  run.rows.back().skipped = "it needs \"more\", they say,\nof everything";
  const auto lines = csv_fields(csv_of(run));
  ASSERT_GT(lines.size(), run.rows.size());
  for (const auto& line : lines) EXPECT_EQ(line.size(), lines[0].size());
  EXPECT_EQ(lines.back()[7], run.rows.back().skipped);
  EXPECT_EQ(lines[0][1], "rung");
  EXPECT_EQ(lines.back()[1], "shipped");
}

TEST(Report, OfTheDocument) {
  StudyRun run;
  run.study = "match";
  run.device = "emulator";
  run.document_device = "GeForce GTX 580";
  run.document_size = {12000, 1024};
  RungRow row;
  row.rung = "unrolled";
  row.document = {2000, std::nullopt};
  row.document_speedup_over_first = 27;
  RungRow cpu;
  cpu.rung = "cpu 4 threads";
  cpu.on_cpu = true;
  cpu.batch = Timing{100, 90, 110, 3, 0};
  cpu.document_cpu = DocumentCpu{16, std::nullopt, 23, {"E1"}};
  run.rows = {cpu, row};
  EXPECT_NE(heading_of(run).find("of a GeForce GTX 580 at 12000x1024"), std::string::npos);
  EXPECT_NE(line_of(run, row).find("2000.0 us x27"), std::string::npos);
  EXPECT_NE(line_of(run, cpu).find("GPU x23, 16 thr."), std::string::npos);
  run.on_gpu = true;
  EXPECT_NE(line_of(run, cpu).find("GPU x23, 16 thr."), std::string::npos);
  const auto json = json_of(run);
  EXPECT_EQ(json["document_size"], nlohmann::json({12000, 1024}));
  EXPECT_EQ(json["results"][0]["document_gpu_speedup"], 23);
  EXPECT_EQ(json["results"][0]["document_threads"], 16);
  EXPECT_FALSE(json["results"][0].contains("document_time_us"));
  const auto lines = csv_fields(csv_of(run));
  const auto column = [&](const std::string& name) {
    return std::find(lines[0].begin(), lines[0].end(), name) - lines[0].begin();
  };
  EXPECT_EQ(lines[1].at(static_cast<std::size_t>(column("document_gpu_speedup"))), "23");
  EXPECT_EQ(lines[2].at(static_cast<std::size_t>(column("document_time_us"))), "2000");
  EXPECT_EQ(lines[2].at(static_cast<std::size_t>(column("document_speedup_over_first"))), "27");
}

TEST(Report, OfAGpuHasAsManyFieldsInEveryLine) {
  StudyRun run;
  run.study = "copy";
  run.on_gpu = true;
  RungRow row;
  row.rung = "scalar";
  row.size = {4, 3};
  row.block = {32, 8, 1};
  row.cold = Timing{10, 9, 11, 12, 0};
  row.batch = Timing{8, 7, 9, 12, 0};
  row.gb_per_s = 1000;
  row.document = {2000, std::nullopt};
  row.document_speedup_over_first = 1.25;
  row.step_before = "nothing";
  row.speedup_over_step_before = 3;
  row.counts.emplace_back().compute_capability = {9, 0};
  run.rows = {row, row};
  run.rows[1].speedup_over_first = 1.5;
  run.rows[1].wrong = "dst at (1, 0): expected 1, got 2";
  const auto lines = csv_fields(csv_of(run));
  ASSERT_EQ(lines.size(), 3U);
  for (const auto& line : lines) EXPECT_EQ(line.size(), lines[0].size());
  const auto json = json_of(run);
  EXPECT_EQ(json["results"][0]["cold"]["median_us"], 10);
  EXPECT_EQ(json["results"][1]["wrong"], run.rows[1].wrong);
  EXPECT_EQ(json["results"][0]["document_time_us"], 2000);
  EXPECT_EQ(json["results"][0]["document_speedup_over_first"], 1.25);
  EXPECT_EQ(json["results"][0]["step_before"], "nothing");
  EXPECT_EQ(json["results"][0]["speedup_over_step_before"], 3);
  EXPECT_NE(line_of(run, run.rows[1]).find("WRONG: dst at (1, 0)"), std::string::npos);
}

}  // namespace
}  // namespace warpwise::lab
