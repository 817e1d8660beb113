#include "gps/data/images/image_listing.h"

#include <gmock/gmock.h>

#include "gps/core/errors.h"
#include "gps/core/text/text.h"
#include "support/temporary_folder.h"
#include "support/tiny_data.h"

namespace gps {
namespace image_listing_test {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class Listing : public ::testing::Test {
 protected:
  void add(const std::string& path, const std::string& content = "x") {
    testing::write_file(root() / path, content);
  }
  std::filesystem::path root() const { return folder_.path() / "photos"; }

  // "path task label split", of every file
  std::vector<std::string> listed(const std::string& below = "") const {
    std::vector<std::string> lines;
    for (const ImageFile& file : list_images(below.empty() ? root() : root() / below).files) {
      const char* split = file.split == Split::train  ? "train"
                          : file.split == Split::test ? "test"
                                                      : "-";
      lines.push_back(
          join({file.path.lexically_relative(root()).string(), file.task.empty() ? "-" : file.task,
                file.label.empty() ? "-" : file.label, split},
               " "));
    }
    return lines;
  }

  std::string error(const std::string& below = "") const {
    try {
      list_images(below.empty() ? root() : root() / below);
    } catch (const DataError& refusal) {
      return refusal.what();
    }
    return "no error";
  }

 private:
  testing::TemporaryFolder folder_;
};

TEST_F(Listing, OfClassesHasLabels) {
  add("dog/2.png");
  add("dog/10.jpg");
  add("cat/a.PNG");
  EXPECT_THAT(listed(),
              ElementsAre("cat/a.PNG - cat -", "dog/2.png - dog -", "dog/10.jpg - dog -"));
}

TEST_F(Listing, OfTasksHasThemInNaturalOrder) {
  add("week10/cat/1.png");
  add("week2/dog/1.png");
  add("week2/cat/1.png");
  EXPECT_THAT(listed(), ElementsAre("week2/cat/1.png week2 cat -", "week2/dog/1.png week2 dog -",
                                    "week10/cat/1.png week10 cat -"));
}

TEST_F(Listing, WithoutFoldersHasNeither) {
  add("b.png");
  add("a.png");
  EXPECT_THAT(listed(), ElementsAre("a.png - - -", "b.png - - -"));
  EXPECT_THAT(listed("b.png"), ElementsAre("b.png - - -"));
}

TEST_F(Listing, KnowsTrainAndTestAboveAllElse) {
  add("train/cat/1.png");
  add("test/cat/2.png");
  EXPECT_THAT(listed(), ElementsAre("train/cat/1.png - cat train", "test/cat/2.png - cat test"));
  add("train/cat/deep/1.png");
  EXPECT_THAT(error(), HasSubstr("expected all images at the same depth"));
}

TEST_F(Listing, KnowsTrainAndTestBelowTasks) {
  add("week1/train/cat/1.png");
  add("week1/test/cat/2.png");
  add("week2/train/dog/3.png");
  EXPECT_THAT(listed(), ElementsAre("week1/train/cat/1.png week1 cat train",
                                    "week1/test/cat/2.png week1 cat test",
                                    "week2/train/dog/3.png week2 dog train"));
}

TEST_F(Listing, KnowsTrainAndTestWhateverTheirCase) {
  add("Train/cat/1.png");
  add("TEST/cat/2.png");
  EXPECT_THAT(listed(), ElementsAre("Train/cat/1.png - cat train", "TEST/cat/2.png - cat test"));
}

TEST_F(Listing, TakesNoValidationForATask) {
  add("Train/cat/1.png");
  add("val/cat/2.png");
  EXPECT_EQ(error(), root().string() +
                         ": has the folders Train/ and val/ side by side; expected only train/ and "
                         "test/: rename or move val/");
  add("test/cat/3.png");
  EXPECT_THAT(error(), HasSubstr(": has the folders Train/, test/ and val/ side by side"));
  add("week1/cat/3.png");
  EXPECT_THAT(listed(), ElementsAre("Train/cat/1.png Train cat -", "test/cat/3.png test cat -",
                                    "val/cat/2.png val cat -", "week1/cat/3.png week1 cat -"));
}

TEST_F(Listing, TakesNoValidationForAClass) {
  for (const std::string name : {"valid", "Validation", "dev", "eval", "testing"}) {
    add("week1/train/cat/1.png");
    add("week2/" + name + "/cat/2.png");
    EXPECT_THAT(error(), HasSubstr("rename or move " + name + "/"));
    std::filesystem::remove_all(root());
  }
  add("val/cat/1.png");
  add("dev/cat/2.png");
  EXPECT_THAT(listed(), ElementsAre("dev/cat/2.png dev cat -", "val/cat/1.png val cat -"));
}

TEST_F(Listing, OfAClassThatIsCalledTrainIsNotMistaken) {
  add("bus/1.png");
  add("train/1.png");
  EXPECT_THAT(listed(), ElementsAre("bus/1.png - bus -", "train/1.png - train -"));
}

TEST_F(Listing, PassesOverHiddenFilesAndWhatIsNoImageElsewhere) {
  add("cat/1.png");
  add("cat/.DS_Store");
  add(".git/x/y/z/w/1.png");
  add("README");
  add("cat/2.tif");
  EXPECT_THAT(listed(), ElementsAre("cat/1.png - cat -", "cat/2.tif - cat -"))
      << "what may be an image is not left out silently";
}

TEST_F(Listing, PassesOverTextsAmongTheImages) {
  add("cat/1.png");
  add("cat/notes.txt");
  add("cat/1.JSON");
  add("dog/1.xml");
  add("labels.csv");
  EXPECT_THAT(listed(), ElementsAre("cat/1.png - cat -"));
}

TEST_F(Listing, PassesOverWhatSystemsPutBesidePictures) {
  add("cat/1.png");
  add("cat/Thumbs.db");
  add("cat/desktop.ini");
  add("__MACOSX/cat/._1.png");
  add("cat/@eaDir/1.png");
  EXPECT_THAT(listed(), ElementsAre("cat/1.png - cat -"));
}

TEST_F(Listing, TakesFilesWithoutAnEndingWhereThereAreNoOthers) {
  add("0/first");
  add("1/second");
  EXPECT_THAT(listed(), ElementsAre("0/first - 0 -", "1/second - 1 -"));
}

TEST_F(Listing, OfNothingIsRefused) {
  EXPECT_THROW(list_images(root()), UsageError);
  std::filesystem::create_directories(root() / "cat");
  EXPECT_EQ(error(),
            root().string() + ": contains no images; expected class/image or task/class/image");
}

TEST_F(Listing, OfMixedDepthsNamesTwo) {
  add("cat/1.png");
  add("week1/cat/1.png");
  EXPECT_THAT(error(), AllOf(StartsWith(root().string() + ": "), HasSubstr("cat/1.png is in 1 "),
                             HasSubstr("week1/cat/1.png is in 2 folders")));
}

TEST_F(Listing, TooDeepIsRefused) {
  add("a/b/c/1.png");
  EXPECT_THAT(error(), HasSubstr("c/1.png is in 3 folders; expected class/ or task/class/"));
  add("a/b/c/d/1.png");
  EXPECT_THAT(error(), HasSubstr("d: is nested too deeply"));
}

TEST_F(Listing, OfAManifestSaysWhatItsColumnsSay) {
  add("m.csv",
      "\xEF\xBB\xBFsplit,Label,path,note,task\r\n"
      "train,cat,b/2.png,,week2\r\n"
      "test,\"big, dog\",\"b/\"\"1\"\".png\",hm,week10\r\n"
      "train,cat,./b/../b/1.png,,week2\r\n");
  EXPECT_THAT(listed("m.csv"), ElementsAre("b/1.png week2 cat train", "b/2.png week2 cat train",
                                           "b/\"1\".png week10 big, dog test"));
}

TEST_F(Listing, OfAManifestPassesOverBlanksAroundTitlesAndNames) {
  add("m.csv",
      "path, Label ,\ttask, split\r\n"
      "b/1.png, big dog , week2,\tTest \r\n"
      "b/2 x.png,\"big dog\",week2, train\r\n");
  EXPECT_THAT(listed("m.csv"),
              ElementsAre("b/2 x.png week2 big dog train", "b/1.png week2 big dog test"));
  add("m.csv", "path, label\na.png, \n");
  EXPECT_THAT(error("m.csv"), HasSubstr("m.csv:2: has no label"));
}

TEST_F(Listing, OfAManifestReadsNamesThatAreGuardedAgainstSpreadsheets) {
  add("m.csv",
      "path,label,task\n"
      "a.png,'=1+1,'-x\n"
      "'=b.png,'tis,-1\n");
  EXPECT_THAT(listed("m.csv"), ElementsAre("'=b.png -1 'tis -", "a.png -x =1+1 -"));
}

TEST_F(Listing, OfAManifestMayNameFilesElsewhere) {
  add("lists/m.CSV", "path\n../cat.png\n/tmp/dog.png\n");
  const auto files = list_images(root() / "lists/m.CSV").files;
  EXPECT_EQ(files.at(0).path, "/tmp/dog.png");
  EXPECT_EQ(files.at(1).path, root() / "cat.png");
  EXPECT_EQ(files.at(1).label, "");
}

TEST_F(Listing, RefusesNamesThatAreNotUtf8) {
  const auto error_of = [&](const std::string& below) {
    try {
      check_names(root() / below, list_images(root() / below).files);
    } catch (const DataError& refusal) {
      return std::string(refusal.what()).substr((root() / below).string().size());
    }
    return std::string("no error");
  };
  add("a/café/1.png");
  EXPECT_EQ(error_of("a"), "no error");
  add("a/caf\xE9/1.png");
  EXPECT_EQ(error_of("a"), ": the name of the class 'caf\\xe9' is not in UTF-8; rename the folder");
  add("b/week\xE9/cat/1.png");
  EXPECT_EQ(error_of("b"), ": the name of the task 'week\\xe9' is not in UTF-8; rename the folder");
  add("m.csv", "path,label\na.png,caf\xE9\n");
  EXPECT_EQ(error_of("m.csv"),
            ": the name of the class 'caf\\xe9' is not in UTF-8; save the manifest in UTF-8");
}

TEST_F(Listing, OfAManifestNamesTheLineThatIsWrong) {
  const auto error_of = [&](const std::string& text) {
    add("m.csv", text);
    return error("m.csv").substr((root() / "m.csv").string().size());
  };
  EXPECT_EQ(error_of(""), ": names no images; expected a line for each, below path,label");
  EXPECT_EQ(error_of("path,label\n"),
            ": names no images; expected a line for each, below path,label");
  EXPECT_EQ(error_of("file,label\na,b\n"),
            ":1: has no column 'path'; expected columns path and label, separated by commas; task "
            "and split may follow; got 'file', 'label'");
  EXPECT_THAT(error_of("path;label\na;b\n"),
              AllOf(HasSubstr("separated by commas"), HasSubstr("got 'path;label'")));
  EXPECT_EQ(error_of("path,path\na,b\n"), ":1: has two columns 'path'");
  EXPECT_EQ(error_of("path,split, Split\na,train,test\n"), ":1: has two columns 'split'");
  EXPECT_EQ(error_of("path,s plit\na,test\n"),
            ":1: has a column 's plit'; expected split, or another name");
  EXPECT_EQ(error_of("path,label\na,b\nc\n"),
            ":3: has 1 fields; expected 2, as the first line has");
  EXPECT_EQ(error_of("path,label\na,b\n\n,b\n"), ":4: names no image");
  EXPECT_EQ(error_of("path,label\na,\n"), ":2: has no label");
  EXPECT_EQ(error_of("path,split\na,validation\n"),
            ":2: split is 'validation'; expected train or test");
  EXPECT_EQ(error_of("path\na.png\nb.png\n./a.png\n"), ":4: names ./a.png again, as line 2 does");
}

}  // namespace image_listing_test
}  // namespace gps
