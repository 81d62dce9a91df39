// Tests grade, and the confined processes that run other people's code. Builds with sanitizers skip
// the tests that start such processes, because sanitizers map terabytes of memory.

#include <fcntl.h>
#include <linux/filter.h>
#include <linux/futex.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>

#include "tests/support/exercises.hpp"
#include "tests/support/qemu.hpp"
#include "warpwise/lab/exercise/confine.hpp"
#include "warpwise/lab/exercise/grade.hpp"

namespace warpwise::lab {
namespace {

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
  const Ended silent = run_confined([]() -> std::string {
    ::close(STDERR_FILENO + 1);
    for (int never = 0;;) ::syscall(SYS_futex, &never, FUTEX_WAIT, 0, nullptr);
  });
  EXPECT_NE(silent.failure, "");
  const Ended busy = run_confined(
      []() -> std::string {
        for (volatile int i = 0;;) i = i + 1;
      },
      {.time = std::chrono::seconds(1)});
  EXPECT_EQ(busy.failure, "used more than 1 s of CPU time");
  if (test::in_qemu()) GTEST_SKIP() << "QEMU does not limit memory";
  const Ended large = run_confined(
      [] {
        std::string text(std::size_t{1} << 30, 'x');
        return text.substr(0, 1);
      },
      {.memory = std::uint64_t{1} << 29});
  EXPECT_EQ(large.failure, "needed more than 512 MiB of memory");
}

// Ends this process with status 0 if a confined process keeps its parent's lower memory limit.
[[noreturn]] void work_below_a_lower_limit() {
  constexpr rlim_t lower = rlim_t{1} << 29;
  const rlimit both = {lower, lower};
  ::setrlimit(RLIMIT_AS, &both);
  const Ended small = run_confined([] { return std::string("marks"); });
  const Ended large = run_confined([] { return std::string(std::size_t{1} << 30, 'x'); });
  ::_exit(small.output == "marks" && large.failure == "needed more than 512 MiB of memory" ? 0 : 1);
}

TEST(Confine, KeepsALowerLimitOfItsParent) {
  NOT_SANITIZED;
  if (test::in_qemu()) GTEST_SKIP() << "QEMU does not limit memory";
  EXPECT_EXIT(work_below_a_lower_limit(), ::testing::ExitedWithCode(0), "");
}

// Forbids the call close_range, which Linux before 5.9 lacks. Ends this process with status 0 if
// refused_restrictions() then names that call.
[[noreturn]] void look_without_close_range() {
  std::array<sock_filter, 4> program = {
      {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
       BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_close_range, 0, 1),
       BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
       BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)}};
  const sock_fprog filter = {program.size(), program.data()};
  ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  if (::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) != 0) ::_exit(2);
  ::_exit(refused_restrictions().find("close_range") != std::string::npos ? 0 : 1);
}

TEST(Confine, NamesDescriptorsThatStayOpen) {
  NOT_SANITIZED;
  if (test::in_qemu()) GTEST_SKIP() << "QEMU takes no filter of calls";
  EXPECT_EXIT(look_without_close_range(), ::testing::ExitedWithCode(0), "");
}

// Makes calls that are forbidden to a confined process. Returns how many of them succeeded.
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
  const std::string missing = refused_restrictions();
  if (missing.find("seccomp") != std::string::npos ||
      missing.find("close_range") != std::string::npos)
    GTEST_SKIP() << missing;
  EXPECT_EQ(run_confined([] { return std::to_string(reached()); }).output, "0");
  constexpr int far = 100;
  ASSERT_EQ(::dup2(STDERR_FILENO, far), far);
  EXPECT_NE(run_confined([] { return std::to_string(::write(far, "x", 0)); }).output, "0");
  ::close(far);
}

// Tests restrictions other than the filter of calls: root folder, namespaces, no rights of root.
TEST(Confine, HasNamespacesAndNoRights) {
  NOT_SANITIZED;
  const std::string missing = refused_restrictions();
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
  // A folder without marks counts in the sum of a student's possible marks.
  EXPECT_NE(csv.find("linked,padding,0,7,0,0,0,0,0,"), std::string::npos) << csv;
  const std::string junit = junit_of(all);
  EXPECT_NE(junit.find("<failure message="), std::string::npos);
  EXPECT_NE(junit.find("<error message="), std::string::npos);
  EXPECT_EQ(junit.find("root:"), std::string::npos);
}

TEST(Grade, AFolderThatIsNamedTwiceCountsOnce) {
  const Scratch scratch;
  const fs::path padding = scratch.student("ada/padding", "padding", "");
  EXPECT_EQ(graded_folders({scratch / "ada", padding, scratch / "ada/../ada"}).size(), 1U);
  fs::create_symlink(scratch / "ada", scratch / "ben");  // another student, with ada's work
  EXPECT_EQ(graded_folders({scratch / "ada", scratch / "ben"}).size(), 2U);
}

TEST(Grade, ALinkInAStudentsFolderIsNamed) {
  const Scratch scratch;
  scratch.student("ada/padding", "padding", "");
  fs::create_directory(scratch / "ben");
  fs::create_symlink(scratch / "ada/padding", scratch / "ben/padding");
  const std::vector<Graded> all = graded_folders({scratch / "ben"});
  ASSERT_EQ(all.size(), 1U);
  EXPECT_NE(all[0].failure.find("padding is a link"), std::string::npos) << all[0].failure;
  EXPECT_EQ(all[0].exercise, "");
}

TEST(Grade, ANameOfTwoLinesStaysWholeInTheTable) {
  Graded graded;
  graded.student = "ada\nlovelace";
  graded.failure = "a reason\nof two lines";
  const std::string csv = csv_of({graded});
  EXPECT_EQ(std::ranges::count(csv, '\n'), 2) << csv;
  EXPECT_NE(csv.find("lovelace"), std::string::npos) << csv;
  EXPECT_EQ(csv.find("of two lines"), std::string::npos) << csv;
}

TEST(Grade, ATableWithKoreanNamesHasAByteOrderMark) {
  Graded graded;
  graded.student = "ada";
  EXPECT_TRUE(csv_of({graded}).starts_with("student,"));
  graded.student = "김민수";
  EXPECT_TRUE(csv_of({graded}).starts_with("\xEF\xBB\xBFstudent,"));
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
