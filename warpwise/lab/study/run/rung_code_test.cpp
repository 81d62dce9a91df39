// Tests the compilation of rungs and the cache of its results.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>

#include "warpwise/base/error.hpp"
#include "warpwise/lab/study/run/rung_code.hpp"
#include "warpwise/lab/study/run/rungs_testing.hpp"
#include "warpwise/lab/study/show/messages_testing.hpp"
#include "warpwise/lab/study/table/study_table.hpp"

namespace warpwise::lab {
namespace {

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

  // If the cache has a file for the rung, the rung is not compiled again.
  const std::string content = text_of(kept);
  write(kept, R"({"compiler": "none", "ptx": "of the cache"})");
  EXPECT_EQ(compiled(), "of the cache");

  // A damaged cache file is replaced after a new compilation.
  for (const std::string& spoilt :
       {std::string(), content.substr(0, content.size() / 2), std::string("[1, 2]"),
        std::string(R"({"ptx": 5, "compiler": "x"})"), std::string(R"({"ptx": "x"})"),
        std::string("\xff\xfe\0", 3)}) {
    write(kept, spoilt);
    EXPECT_EQ(compiled(), ptx);
    EXPECT_EQ(text_of(kept), content);
  }

  // Each constant, block shape and architecture has a cache file of its own.
  write(kept, R"({"compiler": "none", "ptx": "of the cache"})");
  EXPECT_EQ(compiled({{"UNUSED", 1}}), ptx);
  EXPECT_NE(compiled({}, 128), "of the cache");
  EXPECT_NE(compiled({}, 256, 90), "of the cache");
  EXPECT_EQ(cached().size(), 4U);
  EXPECT_EQ(compiled(), "of the cache");

  // A source with another text has another cache file.
  const std::string source = text_of(rung.file);
  write(rung.file, source + "\n");
  EXPECT_EQ(compiled(), ptx);
  write(rung.file, source);
  EXPECT_EQ(compiled(), "of the cache");
}

// The cache's key identifies the NVRTC library that compiles. A library earlier in the search order
// that cannot be loaded must not change the key.
TEST_F(Rungs, ComeFromTheCacheWhateverLibrariesCannotBeLoaded) {
  const StudyTable table = edited("copy");
  const fs::path no_library = folder_ / "toolkit/lib64/libnvrtc.so.13";
  fs::create_directories(no_library.parent_path());
  const char* const before = std::getenv("CUDA_HOME");
  const std::optional<std::string> home =
      before == nullptr ? std::nullopt : std::optional<std::string>(before);
  ::setenv("CUDA_HOME", (folder_ / "toolkit").c_str(), 1);
  write(no_library, "");
  for (const int day : {1, 2}) {
    fs::last_write_time(no_library, fs::file_time_type() + std::chrono::hours(24 * day));
    EXPECT_NE(compile_rung(table.rung("scalar"), {}, {32, 1, 1}, 75).ptx, "");
  }
  home ? ::setenv("CUDA_HOME", home->c_str(), 1) : ::unsetenv("CUDA_HOME");
  EXPECT_EQ(cached().size(), 1U);
}

// The compiled PTX names its file. Files with the same text and the same relative path must
// therefore have separate cache entries.
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

// An included file is part of the key, whatever the spacing of its #include. A file that is
// included by an included file is part of the key too.
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
  // This test replaces the cache folder, in which NVRTC may be installed.
  if (fs::exists(nvrtc_cache())) GTEST_SKIP() << "the only compiler may be the one in the cache";
  write(folder_ / "file", "");
  for (const char* nowhere : {"file", "file/below"}) {
    ::setenv("XDG_CACHE_HOME", (folder_ / nowhere).c_str(), 1);
    EXPECT_NE(compile_rung(table.rung("scalar"), {}, {32, 1, 1}, 75).ptx.find(".entry copy"),
              std::string::npos);
  }
}

// PTX contains the folder's name. The cache is JSON in UTF-8, so it cannot hold other bytes.
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

}  // namespace
}  // namespace warpwise::lab
