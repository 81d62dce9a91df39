// Tests every exercise of warpwise/exercises, its Korean texts, and the folders of students.

#include <sys/stat.h>

#include "tests/support/exercises.hpp"
#include "warpwise/lab/exercise/figures.hpp"
#include "warpwise/lab/exercise/grade.hpp"
#include "warpwise/lab/report/words/words.hpp"
#include "warpwise/rules/rules.hpp"

namespace warpwise::lab {
namespace {

TEST(Exercises, AreSixteenInTheLecturesOrder) {
  const std::vector<Exercise> all = all_exercises();
  ASSERT_EQ(all.size(), 16U);
  for (std::size_t i = 0; i < all.size(); ++i)
    EXPECT_EQ(all[i].list_position, static_cast<int>(i) + 1) << all[i].name;
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

TEST(Exercises, HintsHaveTheNumbersOfTheHardwareAndOfTheKernel) {
  const auto hint = [](const char* exercise, std::size_t gate) {
    return find_exercise(exercise).gates.at(gate).hints.at(0);
  };
  const int kib = rules::sm_limits({9, 0}).shared_bytes / 1024;
  EXPECT_NE(hint("occupancy", 0).find(" " + std::to_string(kib) + " KiB"), std::string::npos);
  // A window has 15 rows, and 14 of them are also rows of the window one row above.
  EXPECT_NE(hint("threshold", 0).find("the 14 others"), std::string::npos);
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

TEST(Korean, FaultsAndRefusalsHaveIt) {
  report::speak(report::Language::korean);
  const Scratch scratch;
  const auto refusal = [](const auto& call) -> std::string {
    try {
      call();
    } catch (const Error& error) {
      return error.what();
    }
    return "accepted";
  };
  const Exercise race = find_exercise("race");
  for (const std::string& text :
       {refusal([] { find_exercise("rase"); }), refusal([&] { start(race, "/proc/x"); }),
        refusal([&] { student_file(scratch / "none"); })})
    EXPECT_TRUE(is_korean(text)) << text;
  if (const auto checker = checker_of("race")) {
    const std::string fault = mark_of(checker->check(start_of("race"), no_gpu), "checks").text;
    EXPECT_NE(fault.find("경쟁: \""), std::string::npos) << fault;
    for (const std::string& source :
         {std::string("#include \"a.h\""), std::string("__global__ void relax() {}"),
          std::string("__global__ void relax(int*, long long, int) {}"), std::string(1, '\0')}) {
      const std::string text = checker->check(source, no_gpu).marks[0].text;
      EXPECT_TRUE(is_korean(text)) << text;
    }
  }
  report::speak(report::Language::english);
}

TEST(Korean, AFigureHasTheWordsOfItsHints) {
  report::speak(report::Language::korean);
  EXPECT_EQ(words_of(Figure::divergent_branches, ""), "갈라지는 분기");
  report::speak(report::Language::english);
}

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

TEST(Folders, AnEditorOfWindowsMayHaveSavedTheExercise) {
  const Scratch scratch;
  start(find_exercise("padding"), scratch / "mine");
  std::ofstream(scratch / "mine/exercise.txt") << "\xEF\xBB\xBFpadding 3 of 5\r\nresult 2\r\n";
  const Started started = *started_in(scratch / "mine");
  EXPECT_EQ(started.exercise, "padding");
  EXPECT_EQ(started.marks, "3 of 5");
  EXPECT_EQ(started.hinted, "result");
  EXPECT_EQ(started.hints, 2U);
}

TEST(Folders, StartSaysWhyItMakesNoFolder) {
  try {
    start(find_exercise("padding"), "/proc/x");
    FAIL();
  } catch (const IoError& error) {
    EXPECT_NE(std::string(error.what()).find("cannot make the folder /proc/x: No such file"),
              std::string::npos)
        << error.what();
  }
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
  EXPECT_EQ(
      graded_folders({scratch / "ann/padding/", scratch / "ann", scratch / "./ann/race/"}).size(),
      3U);
  EXPECT_EQ(all[0].failure, "");
  EXPECT_NE(all[1].failure.find("no exercise.txt"), std::string::npos) << all[1].failure;
  EXPECT_EQ(all[2].exercise, "transpose");
  if (::geteuid() == 0) return;
  fs::permissions(scratch / "ann/padding", fs::perms::none);
  all = graded_folders({scratch / "ann"});
  const std::vector<Graded> one = graded_folders({scratch / "ann/padding"});
  fs::permissions(scratch / "ann/padding", fs::perms::owner_all);
  ASSERT_EQ(all.size(), 3U);
  ASSERT_EQ(one.size(), 1U);
  EXPECT_NE(all[0].failure.find("Permission denied"), std::string::npos) << all[0].failure;
  EXPECT_NE(one[0].failure.find("Permission denied"), std::string::npos) << one[0].failure;
}

}  // namespace
}  // namespace warpwise::lab
