// Every exercise of warpwise/exercises, what check says of mistakes, and grade's process for other
// people's code. Tests that compile are skipped with the reason where there is no NVRTC.
#include "warpwise/lab/exercise/exercise.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/futex.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <optional>

#include "warpwise/base/error.hpp"
#include "warpwise/lab/compile/sources.hpp"
#include "warpwise/lab/exercise/check.hpp"
#include "warpwise/lab/exercise/confine.hpp"
#include "warpwise/lab/exercise/grade.hpp"
#include "warpwise/lab/report/words/words.hpp"

namespace warpwise::lab {
namespace {

namespace fs = std::filesystem;

double no_gpu() { throw NoCudaDevice("no GPU in a test"); }

std::optional<Checker> checker_of(const std::string& name) {
  try {
    return Checker(find_exercise(name));
  } catch (const Unsupported& error) {
    std::cout << "skipped: " << error.what() << "\n";
    return std::nullopt;
  }
}

#define CHECKER_OR_SKIP(checker, name)   \
  const auto checker = checker_of(name); \
  if (!checker) GTEST_SKIP() << "there is no NVRTC"

const Mark& mark_of(const Marks& marks, const std::string& name) {
  return *std::ranges::find(marks.marks, name, &Mark::name);
}

std::string start_of(const std::string& name) {
  return *read_text(find_exercise(name).folder / "start.cu");
}
std::string solution_of(const std::string& name) {
  return *read_text(find_exercise(name).folder / "solution.cu");
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

// A folder that the test removes.
class Scratch {
 public:
  Scratch() {
    std::string name = (fs::temp_directory_path() / "exercise-XXXXXX").string();
    path_ = ::mkdtemp(name.data());
  }
  ~Scratch() { fs::remove_all(path_); }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  fs::path operator/(const std::string& name) const { return path_ / name; }

  // Makes a student's folder with this kernel.
  fs::path student(const std::string& name, const std::string& exercise,
                   const std::string& kernel) const {
    const fs::path folder = path_ / name;
    start(find_exercise(exercise), folder);
    std::ofstream(folder / kernel_file) << kernel;
    return folder;
  }

 private:
  fs::path path_;
};

// ---- The exercises

TEST(Exercises, AreSixteenInTheLecturesOrder) {
  const std::vector<Exercise> all = all_exercises();
  ASSERT_EQ(all.size(), 16U);
  for (std::size_t i = 0; i < all.size(); ++i)
    EXPECT_EQ(all[i].lecture, static_cast<int>(i) + 1) << all[i].name;
}

TEST(Exercises, StartsFailWithAHintAndSolutionsPass) {
  for (const Exercise& exercise : all_exercises()) {
    SCOPED_TRACE(exercise.name);
    CHECKER_OR_SKIP(checker, exercise.name);
    const Marks start = checker->check(start_of(exercise.name), no_gpu);
    ASSERT_NE(start.first_failed(), nullptr);
    EXPECT_EQ(mark_of(start, "compiles").state, MarkState::passed) << start.marks[0].text;
    EXPECT_FALSE(start.first_failed()->hints.empty());
    EXPECT_NE(start.explain, "");
    const Marks solution = checker->check(solution_of(exercise.name), no_gpu);
    EXPECT_EQ(solution.first_failed(), nullptr)
        << solution.first_failed()->name << ": " << solution.first_failed()->text;
    const bool is_timed = std::ranges::find(exercise.gates, Figure::gpu_time_ratio,
                                            &Gate::figure) != exercise.gates.end();
    EXPECT_EQ(solution.all(), static_cast<int>(solution.marks.size()) - (is_timed ? 1 : 0));
  }
}

TEST(Exercises, HaveHintsAndRaggedSizes) {
  for (const Exercise& exercise : all_exercises()) {
    SCOPED_TRACE(exercise.name);
    EXPECT_GE(exercise.sizes.size(), 2U);
    EXPECT_FALSE(exercise.hints_wrong.empty());
    for (const Gate& gate : exercise.gates)
      EXPECT_FALSE(gate.hints.empty()) << name_of(gate.figure);
    for (const char* page : {"task.md", "task.ko.md"}) {
      const std::string text = read_text(exercise.folder / page).value_or("");
      EXPECT_NE(text.find("`" + exercise.kernel + "("), std::string::npos) << page;
    }
  }
}

TEST(Exercises, AnUnknownNameGetsTheNearest) {
  try {
    find_exercise("transposee");
    FAIL();
  } catch (const InvalidArgument& error) {
    EXPECT_NE(std::string(error.what()).find("did you mean \"transpose\""), std::string::npos);
  }
  EXPECT_THROW(find_exercise("../studies/banks"), InvalidArgument);
}

TEST(Exercises, AWrongTableIsNamedWithItsField) {
  const Scratch scratch;
  const auto refused = [&](const std::string& from, const std::string& to) -> std::string {
    const fs::path folder = scratch / "mine";
    fs::remove_all(folder);
    fs::copy(find_exercise("padding").folder, folder);
    const std::string text = replaced(*read_text(folder / "exercise.json"), from, to);
    std::ofstream(folder / "exercise.json") << text;
    try {
      read_exercise(folder);
    } catch (const InvalidArgument& error) {
      return error.what();
    }
    return "accepted";
  };
  EXPECT_NE(refused("\"kernel\"", "\"kernl\"").find("kernl"), std::string::npos);
  EXPECT_NE(refused("\"most\": 0.27", "\"least\": 1, \"most\": 0.27").find("needs one of"),
            std::string::npos);
  EXPECT_NE(refused("bank_conflicts", "conflicts").find("bank_conflicts"), std::string::npos);
  EXPECT_NE(refused("width * height", "widht * height").find("widht"), std::string::npos);
  EXPECT_NE(refused("{", "").find("mine"), std::string::npos);
}

// ---- Marks

TEST(Marks, AWrongResultIsNamedWithItsSizeAndElement) {
  CHECKER_OR_SKIP(checker, "transpose");
  const Marks marks = checker->check(
      replaced(solution_of("transpose"), "out_x < height", "out_x < height - 1"), no_gpu);
  const Mark& result = mark_of(marks, "result");
  EXPECT_EQ(result.state, MarkState::failed);
  EXPECT_NE(result.text.find(
                "wrong at 4 of 4 sizes. height 128, width 256: out[127] (row 0, column 127)"),
            std::string::npos)
      << result.text;
  EXPECT_FALSE(result.hints.empty());
  EXPECT_EQ(mark_of(marks, "sectors_per_element").state, MarkState::failed);
}

TEST(Marks, AnInputMustStayAsItWas) {
  CHECKER_OR_SKIP(checker, "transpose");
  std::string source = replaced(solution_of("transpose"), "const float* in,", "float* in,");
  source = replaced(source, "  __syncthreads();", "  __syncthreads(); in[0] = 7;");
  EXPECT_NE(mark_of(checker->check(source, no_gpu), "result").text.find("in[0]"),
            std::string::npos);
}

TEST(Marks, AGateIsNamedWithLineCountAndLimit) {
  CHECKER_OR_SKIP(checker, "transpose");
  const Mark mark = mark_of(checker->check(start_of("transpose"), no_gpu), "sectors_per_element");
  EXPECT_EQ(mark.text, "kernel.cu, line 9: 1.125 sectors of global memory a number (at most 0.27)");
  EXPECT_EQ(mark.shown,
            "  if (x < width && y < height) out[x * height + y] = in[y * width + x];\n"
            "  this line: 1024 loads of warps, 4096 sectors; 1024 stores, 32768 sectors");
}

TEST(Marks, ARaceIsNamedWithItsLines) {
  CHECKER_OR_SKIP(checker, "race");
  const Mark mark = mark_of(checker->check(start_of("race"), no_gpu), "checks");
  EXPECT_EQ(mark.state, MarkState::failed);
  EXPECT_NE(mark.text.find("kernel.cu, line 11: race"), std::string::npos) << mark.text;
  EXPECT_NE(mark.text.find("writes at kernel.cu:12,"), std::string::npos) << mark.text;
}

TEST(Marks, AFaultGetsTheHintOfItsKind) {
  CHECKER_OR_SKIP(checker, "halo");
  const auto mark_with = [&](const std::string& from, const std::string& to) {
    return mark_of(checker->check(replaced(solution_of("halo"), from, to), no_gpu), "checks");
  };
  EXPECT_NE(mark_with("  __syncthreads();", "").hints[0].find("Two threads"), std::string::npos);
  EXPECT_NE(mark_with("i < WIDTH * HEIGHT", "i < 256").hints[0].find("no thread has written"),
            std::string::npos);
  EXPECT_NE(mark_with("  __shared__",
                      "  if (blockIdx.x * 32 + threadIdx.x >= width) return;\n  __shared__")
                .hints[0]
                .find("must reach"),
            std::string::npos);
  const Mark outside = mark_with("out[y * width + x]", "out[y * width + x + 1]");
  EXPECT_NE(outside.hints[0].find("outside of its array"), std::string::npos);
  EXPECT_NE(outside.text.find("of out[],"), std::string::npos) << outside.text;
}

TEST(Marks, AKernelThatDoesNotCompileIsNamedWithItsLine) {
  CHECKER_OR_SKIP(checker, "padding");
  const Marks marks = checker->check("\n__global__ void transpose(int) { nothing }\n", no_gpu);
  EXPECT_EQ(marks.passed(), 0);
  EXPECT_NE(marks.marks[0].text.find("kernel.cu(2): error"), std::string::npos)
      << marks.marks[0].text;
  EXPECT_EQ(marks.marks[0].text.find("exercise/"), std::string::npos);
}

TEST(Marks, AnotherKernelOrOtherParametersAreRefused) {
  CHECKER_OR_SKIP(checker, "padding");
  const auto text_of = [&](const std::string& source) {
    return checker->check(source, no_gpu).marks[0].text;
  };
  EXPECT_NE(text_of("__global__ void other() {}").find("transpose"), std::string::npos);
  EXPECT_NE(
      text_of("__global__ void transpose(float* out) {}").find("transpose(out, in, width, height)"),
      std::string::npos);
  EXPECT_NE(text_of("").find("transpose"), std::string::npos);
}

TEST(Marks, ALaunchThatNoGpuMakesIsRefused) {
  CHECKER_OR_SKIP(checker, "padding");
  const std::string bounds =
      replaced(solution_of("padding"), "__global__", "__global__ __launch_bounds__(64)");
  const Marks marks = checker->check(bounds, no_gpu);
  EXPECT_EQ(marks.passed(), 1);
  EXPECT_EQ(marks.first_failed()->name, "runs");
}

TEST(Marks, AKernelThatDoesNotEndIsEnded) {
  CHECKER_OR_SKIP(checker, "padding");
  const Marks marks =
      checker->check(replaced(solution_of("padding"), "  __syncthreads();",
                              "  for (volatile int i = 0; i < 1;) { }\n  __syncthreads();"),
                     no_gpu);
  EXPECT_EQ(mark_of(marks, "result").state, MarkState::failed);
  EXPECT_EQ(marks.passed(), 1);
  EXPECT_EQ(marks.first_failed()->name, "runs");
  EXPECT_NE(marks.first_failed()->hints[0].find("A loop does not end"), std::string::npos);
}

TEST(Marks, OnlyStandardHeadersAreIncluded) {
  CHECKER_OR_SKIP(checker, "padding");
  const std::string kernel = solution_of("padding");
  const auto compiles = [&](const std::string& line) {
    return checker->check(line + "\n" + kernel, no_gpu).marks[0].state == MarkState::passed;
  };
  EXPECT_TRUE(compiles("#include <cstdint>\n#include <cuda_runtime.h>"));
  EXPECT_TRUE(compiles("// what an include or an import is"));
  for (const char* line :
       {"#include \"/etc/passwd\"", "#include </etc/passwd>", "# include \"/etc/passwd\"",
        "#/**/include \"/etc/passwd\"", "#inc\\\nlude \"/etc/passwd\"", "%:include </etc/passwd>",
        "#define X </etc/passwd>\n#include X", "#include_next </etc/passwd>",
        "#import \"/etc/passwd\"", "int x[] = {\n#embed \"/etc/passwd\"\n};",
        "#include <cuda_fp16.h>", "#include \"kernel.cu\"", "#/*\nx*/include \"/etc/passwd\"",
        "const char* s = \"/*\";\n#include \"/etc/passwd\"\nconst char* t = \"*/\";",
        "?\?=include \"/etc/passwd\"", "#inc?\?/\nlude \"/etc/passwd\""}) {
    EXPECT_FALSE(compiles(line)) << line;
  }
}

TEST(Marks, AStatedBlockMustExist) {
  CHECKER_OR_SKIP(checker, "occupancy");
  const auto text_of = [&](const char* block) {
    return mark_of(
               checker->check(replaced(start_of("occupancy"), "{BLOCK_X, BLOCK_Y}", block), no_gpu),
               "runs")
        .text;
  };
  EXPECT_NE(text_of("{64, 32}").find("64x32"), std::string::npos);
  EXPECT_NE(text_of("{0, 1}").find("0x1"), std::string::npos);
}

TEST(Marks, AGatesTimeNeedsAGpu) {
  CHECKER_OR_SKIP(checker, "faster");
  const auto time_of = [&](double ratio) {
    return mark_of(checker->check(solution_of("faster"), [ratio] { return ratio; }),
                   "gpu_time_ratio")
        .state;
  };
  EXPECT_EQ(time_of(0.5), MarkState::passed);
  EXPECT_EQ(time_of(0.9), MarkState::failed);
  EXPECT_EQ(mark_of(checker->check(solution_of("faster"), no_gpu), "gpu_time_ratio").state,
            MarkState::skipped);
}

// tests/exercises has other solutions, and kernels that avoid the work. The first line of the
// latter names the mark that they fail.
TEST(Marks, GoodVariantsPassAndCheatsFail) {
  for (const fs::directory_entry& folder : fs::directory_iterator(WARPWISE_TEST_EXERCISES)) {
    CHECKER_OR_SKIP(checker, folder.path().filename().string());
    for (const fs::directory_entry& file : fs::directory_iterator(folder.path())) {
      SCOPED_TRACE(file.path().string());
      const std::string source = *read_text(file.path());
      const Marks marks = checker->check(source, no_gpu);
      const Mark* const failed = marks.first_failed();
      const std::string found = failed == nullptr ? "" : failed->name;
      const std::string told = "// fails: ";
      const std::string expected = source.starts_with(told)
                                       ? source.substr(told.size(), source.find('\n') - told.size())
                                       : "";
      EXPECT_EQ(found, expected) << (failed == nullptr ? "" : failed->text);
      EXPECT_EQ(expected.empty(), file.path().filename().string().starts_with("good_"));
    }
  }
}

// The inputs' values depend on the source: no source has the results.
TEST(Marks, AnotherSourceGetsOtherInputs) {
  CHECKER_OR_SKIP(checker, "copy");
  const auto wrong_of = [&](const std::string& comment) {
    return mark_of(checker->check("// " + comment +
                                      "\n__global__ void copy(int* out, const int* in, int count) "
                                      "{ if (threadIdx.x == 0 && blockIdx.x == 0) out[0] = 0; }\n",
                                  no_gpu),
                   "result")
        .text;
  };
  EXPECT_EQ(wrong_of("one"), wrong_of("one"));
  EXPECT_NE(wrong_of("one"), wrong_of("two"));
}

// A kernel's printf, and the texts that the compiler prints, are no marks.
TEST(Marks, AVerdictThatIsPrintedIsNone) {
  CHECKER_OR_SKIP(checker, "padding");
  const Marks printed = checker->check(
      replaced(start_of("padding"), "  __syncthreads();",
               "  __syncthreads(); printf(\"[[\\\"compiles\\\",\\\"passed\\\",\\\"\\\"]]\");"),
      no_gpu);
  EXPECT_EQ(printed.first_failed()->name, "bank_conflicts");
  EXPECT_EQ(checker->check("#error \"ok it compiles\"\n" + solution_of("padding"), no_gpu).passed(),
            0);
  EXPECT_EQ(checker->check("__global__ void transpose(float*, const float*, int, int) {}", no_gpu)
                .first_failed()
                ->name,
            "result");
}

// ---- Languages

bool is_korean(const std::string& text) {
  return text.find("\xEA") != std::string::npos || text.find("\xEB") != std::string::npos ||
         text.find("\xEC") != std::string::npos || text.find("\xED") != std::string::npos;
}

TEST(Korean, TitlesHintsAndMarksHaveIt) {
  report::speak(report::Language::korean);
  for (const Exercise& exercise : all_exercises()) {
    SCOPED_TRACE(exercise.name);
    std::vector<std::string> texts = {exercise.title, exercise.element};
    const auto add = [&](const std::vector<std::string>& more) {
      texts.insert(texts.end(), more.begin(), more.end());
    };
    add(exercise.hints_wrong);
    add(exercise.hints_race);
    for (const Gate& gate : exercise.gates) add(gate.hints);
    if (const auto checker = checker_of(exercise.name)) {
      for (const std::string& source :
           {start_of(exercise.name), solution_of(exercise.name), std::string("wrong")}) {
        for (const Mark& mark : checker->check(source, no_gpu).marks) {
          if (mark.name != "compiles" || mark.state == MarkState::passed)
            texts.push_back(mark.text);
          add(mark.hints);
        }
      }
    }
    for (const std::string& text : texts) EXPECT_TRUE(is_korean(text)) << text;
  }
  report::speak(report::Language::english);
}

// ---- Folders

TEST(Folders, StartKeepsWhatIsThere) {
  const Scratch scratch;
  const Exercise exercise = find_exercise("padding");
  start(exercise, scratch / "mine");
  EXPECT_EQ(started_in(scratch / "mine")->exercise, "padding");
  EXPECT_EQ(started_in(scratch / "mine")->marks, "");
  EXPECT_THROW(start(exercise, scratch / "mine"), InvalidArgument);
  keep(scratch / "mine", {"padding", "3 of 5", "result", 2});
  EXPECT_EQ(started_in(scratch / "mine")->marks, "3 of 5");
  EXPECT_EQ(started_in(scratch / "mine")->hinted, "result");
  EXPECT_EQ(started_in(scratch / "mine")->hints, 2U);
  EXPECT_FALSE(started_in(scratch / "none"));
}

TEST(Folders, StudentsFilesAreRegularAndSmall) {
  const Scratch scratch;
  fs::create_symlink("/etc/passwd", scratch / "link");
  EXPECT_THROW(student_file(scratch / "link"), IoError);
  ASSERT_EQ(::mkfifo((scratch / "pipe").c_str(), 0600), 0);
  EXPECT_THROW(student_file(scratch / "pipe"), IoError);
  EXPECT_THROW(student_file("/dev/zero"), IoError);
  EXPECT_THROW(student_file("/"), IoError);
  std::ofstream(scratch / "large") << std::string((1 << 20) + 1, 'x');
  EXPECT_THROW(student_file(scratch / "large"), IoError);
  std::ofstream(scratch / "small") << "x";
  EXPECT_EQ(student_file(scratch / "small"), "x");
}

TEST(Folders, AClassLosesNoFolder) {
  const Scratch scratch;
  scratch.student("ann/padding", "padding", "");
  fs::remove(scratch.student("ann/race", "race", "") / started_file);
  fs::remove(scratch.student("ann/transpose", "transpose", "") / kernel_file);
  fs::create_directory(scratch / "ann/notes");
  std::vector<Graded> all = graded_folders({scratch / "ann"});
  ASSERT_EQ(all.size(), 3U);
  EXPECT_EQ(all[0].failure, "");
  EXPECT_NE(all[1].failure.find("no exercise.txt"), std::string::npos) << all[1].failure;
  EXPECT_EQ(all[2].exercise, "transpose");
  if (::geteuid() == 0) return;
  fs::permissions(scratch / "ann/padding", fs::perms::none);
  all = graded_folders({scratch / "ann", scratch / "ann/padding"});
  fs::permissions(scratch / "ann/padding", fs::perms::owner_all);
  ASSERT_EQ(all.size(), 4U);
  EXPECT_NE(all[0].failure.find("Permission denied"), std::string::npos) << all[0].failure;
  EXPECT_NE(all[3].failure.find("Permission denied"), std::string::npos) << all[3].failure;
}

// ---- Processes. Sanitizers map terabytes, which no limit of memory allows.

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool sanitized = true;
#else
constexpr bool sanitized = false;
#endif
#define NOT_SANITIZED \
  if (sanitized) GTEST_SKIP() << "a sanitizer needs more memory than the limit"

struct Ended {
  std::string output;
  std::string failure;
};

Ended run_confined(const std::function<std::string()>& work, const Limits& limits = {}) {
  Confined process(work, limits);
  while (!process.poll()) ::usleep(1000);
  return {process.output(), process.failure()};
}

TEST(Confine, GivesTheOutputOrTheFailure) {
  NOT_SANITIZED;
  EXPECT_EQ(run_confined([] { return std::string("marks"); }).output, "marks");
  EXPECT_EQ(run_confined([] { return std::string(500000, 'x'); }).output.size(), 500000U);
  EXPECT_EQ(run_confined([]() -> std::string { throw Error("a reason"); }).failure, "a reason");
  const Ended crashed = run_confined([]() -> std::string {
    ::raise(SIGSEGV);
    return "";
  });
  EXPECT_NE(crashed.failure.find("signal 11"), std::string::npos) << crashed.failure;
}

TEST(Confine, LimitsTimeAndMemory) {
  NOT_SANITIZED;
  const Ended late = run_confined(
      []() -> std::string {
        for (int never = 0;;) ::syscall(SYS_futex, &never, FUTEX_WAIT, 0, nullptr);
      },
      {.time = std::chrono::seconds(1)});
  EXPECT_EQ(late.failure, "slept longer than 1 s");
  const Ended busy = run_confined(
      []() -> std::string {
        for (volatile int i = 0;;) i = i + 1;
      },
      {.time = std::chrono::seconds(1)});
  EXPECT_EQ(busy.failure, "took longer than 1 s of a core");
  const Ended large = run_confined(
      [] {
        std::string text(std::size_t{1} << 30, 'x');
        return text.substr(0, 1);
      },
      {.memory = std::uint64_t{1} << 29});
  EXPECT_EQ(large.failure, "needed more than 512 MiB of memory");
}

// Returns how many of these the process can do.
int reached() {
  const int opened = ::open("/", O_RDONLY) >= 0 ? 1 : 0;
  const int read = ::open("/etc/passwd", O_RDONLY) >= 0 ? 1 : 0;
  const int written = ::open("/tmp/new", O_WRONLY | O_CREAT, 0600) >= 0 ? 1 : 0;
  const int forked = ::fork() >= 0 ? 1 : 0;
  const int connected = ::socket(AF_INET, SOCK_STREAM, 0) >= 0 ? 1 : 0;
  const int killed = ::kill(::getppid(), 0) == 0 ? 1 : 0;
  const int traced = ::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) == 0 ? 1 : 0;
  return opened + read + written + forked + connected + killed + traced;
}

TEST(Confine, ReachesNothing) {
  NOT_SANITIZED;
  const std::string missing = missing_walls();
  if (missing.find("seccomp") != std::string::npos) GTEST_SKIP() << missing;
  EXPECT_EQ(run_confined([] { return std::to_string(reached()); }).output, "0");
  constexpr int far = 100;
  ASSERT_EQ(::dup2(STDERR_FILENO, far), far);
  EXPECT_NE(run_confined([] { return std::to_string(::write(far, "x", 0)); }).output, "0");
  ::close(far);
}

// The walls behind the filter of calls: another root, other namespaces, and no rights of root.
TEST(Confine, HasNamespacesAndNoRights) {
  NOT_SANITIZED;
  const std::string missing = missing_walls();
  if (!missing.empty()) GTEST_SKIP() << missing;
  const Confined process(
      []() -> std::string {
        for (int never = 0;;) ::syscall(SYS_futex, &never, FUTEX_WAIT, 0, nullptr);
      },
      {});
  const fs::path tasks = "/proc/self/task";
  std::string child;
  std::ifstream(tasks / std::to_string(::getpid()) / "children") >> child;
  ASSERT_NE(child, "");
  const fs::path proc = fs::path("/proc") / child;
  std::string status;
  for (int i = 0; i < 1000 && status.find("Seccomp:\t2") == std::string::npos; ++i) {
    ::usleep(10000);
    status = *read_text(proc / "status");
  }
  EXPECT_NE(status.find("Seccomp:\t2"), std::string::npos) << status;
  EXPECT_NE(status.find("NoNewPrivs:\t1"), std::string::npos) << status;
  EXPECT_NE(status.find("CapEff:\t0000000000000000"), std::string::npos) << status;
  if (::geteuid() == 0) {
    EXPECT_NE(status.find("Uid:\t65534\t65534\t65534\t65534"), std::string::npos) << status;
    EXPECT_FALSE(fs::exists(proc / "root/etc"));
    for (const char* name : {"mnt", "net", "ipc"})
      EXPECT_NE(fs::read_symlink(proc / "ns" / name),
                fs::read_symlink(fs::path("/proc/self/ns") / name));
  }
}

// ---- A class

TEST(Grade, GivesTheMarksOfCheckAndSurvivesHostileFolders) {
  NOT_SANITIZED;
  CHECKER_OR_SKIP(checker, "padding");
  const Scratch scratch;
  scratch.student("right/latency", "latency", solution_of("latency"));
  scratch.student("right/padding", "padding", solution_of("padding"));
  scratch.student("start/padding", "padding", start_of("padding"));
  scratch.student("start/race", "race", start_of("race"));
  const fs::path reader =
      scratch.student("reader", "padding", "#include \"/etc/passwd\"\n" + solution_of("padding"));
  scratch.student("templates", "padding",
                  "template <int N> struct S { typename S<N + 1>::T x; using T = int; };\n"
                  "template <long A, long B> struct F { static constexpr long value ="
                  " F<A - 1, B>::value + F<A - 1, B + (1l << A)>::value; };\n"
                  "template <long B> struct F<0, B> { static constexpr long value = B; };\n"
                  "__device__ long x = F<40, 0>::value;\n" +
                      solution_of("padding"));
  const fs::path linked = scratch.student("linked", "padding", "");
  fs::remove(linked / kernel_file);
  fs::create_symlink("/etc/passwd", linked / kernel_file);
  const fs::path unknown = scratch.student("unknown", "padding", "");
  std::ofstream(unknown / started_file) << "../../../etc\n";
  fs::create_directory(scratch / "empty");
  std::vector<Graded> all =
      graded_folders({scratch / "right", scratch / "start", reader, scratch / "templates", linked,
                      unknown, scratch / "empty", scratch / "missing"});
  ASSERT_EQ(all.size(), 10U);
  grade(all, {.time = std::chrono::seconds(5)}, 2, [](const Graded&) {});

  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(all[i].failure, "");
    EXPECT_EQ(all[i].marks.first_failed(), nullptr);
  }
  const Marks start = checker->check(start_of("padding"), no_gpu);
  EXPECT_EQ(all[2].marks.passed(), start.passed());
  EXPECT_EQ(all[2].marks.first_failed()->text, start.first_failed()->text);
  EXPECT_EQ(all[3].exercise, "race");
  ASSERT_EQ(all[4].failure, "");
  EXPECT_EQ(all[4].marks.passed(), 0);
  EXPECT_EQ(all[4].marks.marks[0].text.find("root"), std::string::npos);
  EXPECT_TRUE(!all[5].failure.empty() || all[5].marks.passed() == 0);
  for (std::size_t i = 6; i < 10; ++i) EXPECT_NE(all[i].failure, "") << i;

  const std::string csv = csv_of(all);
  EXPECT_EQ(std::ranges::count(csv, '\n'), 11);
  EXPECT_NE(csv.find(",padding,7,7,1,1,1,1,3,"), std::string::npos) << csv;
  const std::string junit = junit_of(all);
  EXPECT_NE(junit.find("<failure message="), std::string::npos);
  EXPECT_NE(junit.find("<error message="), std::string::npos);
  EXPECT_EQ(junit.find("root:"), std::string::npos);
}

TEST(Grade, ASpreadsheetTakesNoNameForAFormula) {
  Graded graded;
  graded.student = "=HYPERLINK(1)";
  graded.failure = "a \"reason\", quoted";
  const std::string csv = csv_of({graded});
  EXPECT_NE(csv.find("\n'=HYPERLINK(1),"), std::string::npos) << csv;
  EXPECT_NE(csv.find("\"a \"\"reason\"\", quoted\""), std::string::npos) << csv;
  EXPECT_EQ(junit_of({graded}).find("\"a \"reason\""), std::string::npos);
}

}  // namespace
}  // namespace warpwise::lab
