#include "warpwise/io/picture_folder.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "tests/support/files.hpp"
#include "tests/support/message_of.hpp"
#include "warpwise/base/error.hpp"

namespace warpwise::io {
namespace {

namespace fs = std::filesystem;
using Names = std::vector<std::string>;

class PictureFolderTest : public ::testing::Test, protected test::Files {
 protected:
  PictureFolderTest() {
    for (const char* name :
         {"b.PNG", "a.npy", "c.raw", "notes.txt", ".hidden.txt", "._b.PNG", ".a.raw"})
      write(name, "");
    fs::create_directory(path("old.png"));
    fs::create_symlink(path("nowhere"), path("dangling.png"));
  }
};

TEST_F(PictureFolderTest, ListsPicturesByName) {
  EXPECT_EQ(pictures_in(folder_, false), (Names{path("a.npy"), path("b.PNG")}));
  EXPECT_EQ(pictures_in(folder_, true), (Names{path("a.npy"), path("b.PNG"), path("c.raw")}));
}

TEST_F(PictureFolderTest, FilesStandForThemselves) {
  const Names inputs{path("c.raw"), folder_};
  EXPECT_EQ(expand_folders(inputs, false), (Names{path("c.raw"), path("a.npy"), path("b.PNG")}));
}

TEST_F(PictureFolderTest, SaysWhatIsLeftOut) {
  const Names inputs{folder_};
  EXPECT_EQ(skipped_in(inputs, false).text(),
            "2 files that are no pictures (dangling.png, notes.txt), 1 .raw file without a format "
            "and a size (c.raw), 1 folder (old.png)");
  EXPECT_TRUE(skipped_in(inputs, true).raw.empty());
  for (const char* name : {"d.txt", "e.txt"}) write(name, "");
  EXPECT_EQ(skipped_in(inputs, true).text(),
            "4 files that are no pictures (d.txt, dangling.png, e.txt, …), 1 folder (old.png)");
  EXPECT_TRUE(skipped_in(Names{path("none")}, false).is_empty());
}

TEST_F(PictureFolderTest, AFolderWithoutAPictureOrThatIsNotThereIsRefused) {
  fs::create_directory(path("empty"));
  const auto refusal = [&](const std::string& name, bool raw_too) {
    return test::message_of<IoError>([&] { pictures_in(path(name), raw_too); });
  };
  EXPECT_EQ(refusal("empty", false),
            "the folder " + path("empty") +
                " has no picture in it (.raw files need a format and a size)");
  EXPECT_EQ(refusal("empty", true), "the folder " + path("empty") + " has no picture in it");
  EXPECT_EQ(refusal("none", false),
            "cannot read the folder " + path("none") + ": No such file or directory");
}

}  // namespace
}  // namespace warpwise::io
