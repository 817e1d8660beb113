// `gpscl learn` shows what a state stores, and takes images out of it for good.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "apps/program.h"
#include "apps/week_folders.h"
#include "gps/core/files/csv.h"
#include "gps/core/files/files.h"
#include "support/temporary_folder.h"

namespace gps {
namespace erase_program_test {

namespace fs = std::filesystem;
using testing::gpscl;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::lines_of;
using ::testing::Not;
using testing::Outcome;
using ::testing::StartsWith;

class EraseProgram : public ::testing::Test {
 protected:
  EraseProgram() { testing::write_weeks(folder_.path(), 2); }

  Outcome call(const std::vector<std::string>& arguments) const {
    return gpscl(arguments, {.folder = folder_.path()});
  }
  void expect_done(const std::vector<std::string>& arguments) const {
    const Outcome outcome = call(arguments);
    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  }
  void learn_weeks() const {
    expect_done({"learn", "state", "week1", "--memory", "40", "--hidden", "16", "--lr", "0.05",
                 "--epochs", "10", "--policy", "ring-full"});
    expect_done({"learn", "state", "week2"});
  }
  nlohmann::json json_of(std::vector<std::string> arguments) const {
    arguments.emplace_back("--json");
    const Outcome outcome = call(arguments);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    return nlohmann::json::parse(outcome.out);
  }
  nlohmann::json list() const { return json_of({"learn", "state", "--list"}); }
  bool lists(const std::string& hash) const {
    const auto all = list();
    return std::any_of(all.begin(), all.end(),
                       [&](const nlohmann::json& image) { return image.at("hash") == hash; });
  }
  // Writes a list of the hashes of all stored images of a class.
  void write_hashes_of(const std::string& name, const std::string& list_file) const {
    std::string hashes;
    for (const auto& image : list()) {
      if (image.at("class") == name) hashes += image.at("hash").get<std::string>() + "\n";
    }
    ASSERT_THAT(hashes, Not(IsEmpty()));
    testing::write_file(folder_.path() / list_file, hashes);
  }
  void expect_error(const std::vector<std::string>& arguments, const std::string& error,
                    int exit_code = 2) const {
    const Outcome outcome = call(arguments);
    EXPECT_EQ(outcome.exit_code, exit_code) << outcome.out;
    EXPECT_THAT(outcome.err, HasSubstr(error));
  }

  testing::TemporaryFolder folder_{testing::in_memory()};
};

TEST_F(EraseProgram, ListsWhatIsStored) {
  learn_weeks();
  const auto all = list();
  ASSERT_EQ(all.size(), 40u);
  EXPECT_EQ(all[0].at("task"), 1);
  EXPECT_EQ(all[0].at("name"), "week1");
  EXPECT_EQ(all[0].at("role"), "replay");
  EXPECT_EQ(all[39].at("role"), "test");
  EXPECT_GT(all[0].at("first_seen"), 1'700'000'000);
  const auto lines = lines_of(call({"learn", "state", "--list"}).out);
  EXPECT_EQ(lines.size(), 41u);
  EXPECT_THAT(lines[1], StartsWith(all[0].at("hash").get<std::string>()));
  const auto rows = parse_csv(call({"learn", "state", "--list", "--format", "csv"}).out, "csv");
  ASSERT_EQ(rows.size(), 41u);
  EXPECT_EQ(rows[0].fields,
            (std::vector<std::string>{"hash", "class", "task", "role", "first seen (UTC)"}));
  EXPECT_EQ(rows[1].fields[0], all[0].at("hash"));
}

TEST_F(EraseProgram, WritesTheImagesSoThatTheyCanBeLearnt) {
  learn_weeks();
  const auto written = json_of({"learn", "state", "--images", "out"});
  EXPECT_EQ(written.at("images"), 40);
  for (const auto& image : list()) {
    const std::string split = image.at("role") == "replay" ? "train" : "test";
    EXPECT_TRUE(fs::exists(folder_.path() / "out" / split / image.at("class").get<std::string>() /
                           (image.at("hash").get<std::string>() + ".png")));
  }
  const Outcome again = call({"learn", "other", "out/images.csv", "--memory", "60"});
  EXPECT_EQ(again.exit_code, 0) << again.err;
  EXPECT_THAT(again.out, HasSubstr("trained on 32 images of 4 classes"));
  expect_error({"learn", "state", "--images", "out"}, "'out' is not empty");
  expect_error({"learn", "state", "--images", "out/images.csv"}, "is a file");
}

TEST_F(EraseProgram, ErasesAnImageByItsFileByItsHashAndByLists) {
  learn_weeks();
  expect_done({"learn", "state", "--images", "out"});
  const auto all = list();
  const auto hash = [&](int k) {
    return all[static_cast<std::size_t>(k)].at("hash").get<std::string>();
  };
  const auto file = [&](int k) {
    const auto& image = all[static_cast<std::size_t>(k)];
    return fmt::format("out/{}/{}/{}.png", image.at("role") == "replay" ? "train" : "test",
                       image.at("class").get<std::string>(), hash(k));
  };
  const Outcome one = call({"learn", "state", "--erase", file(0)});
  EXPECT_EQ(one.exit_code, 0) << one.err;
  EXPECT_THAT(one.out, HasSubstr("erased: 1 of 1 image that is named; in the newest version 1 for "
                                 "replay and 0 for testing"));
  EXPECT_THAT(one.out, HasSubstr("it cannot be learnt again"));
  EXPECT_THAT(one.out,
              HasSubstr("the weights keep what they learnt from it; --relearn trains anew"));
  EXPECT_FALSE(lists(hash(0)));
  const auto second = json_of({"learn", "state", "--erase", hash(39)});
  EXPECT_EQ(second.at("erased"), 1);
  EXPECT_EQ(second.at("images").at("test"), 1);
  EXPECT_EQ(second.at("version"), 2);
  EXPECT_FALSE(lists(hash(39)));
  testing::write_file(folder_.path() / "list.txt", hash(1) + "\n" + file(2) + "\r\n\n");
  EXPECT_EQ(json_of({"learn", "state", "--erase", "list.txt"}).at("erased"), 2);
  testing::write_file(folder_.path() / "list.csv", "hash,class\n" + hash(3) + ",a\n");
  EXPECT_EQ(json_of({"learn", "state", "--erase", "list.csv"}).at("erased"), 1);
  testing::write_file(folder_.path() / "paths.csv", "path\n" + file(4) + "\n");
  EXPECT_EQ(json_of({"learn", "state", "--erase", "paths.csv"}).at("erased"), 1);
  const auto folder = json_of({"learn", "state", "--erase", "out/test/class3"});
  EXPECT_EQ(folder.at("asked"), 2);
  EXPECT_EQ(folder.at("erased"), 1) << "the other one is gone already";
  EXPECT_EQ(json_of({"learn", "state", "--erase", "out/test/class3"}).at("erased"), 0);
  EXPECT_EQ(call({"learn", "state", "--rollback"}).exit_code, 0);
  for (int k = 0; k < 5; ++k) EXPECT_FALSE(lists(hash(k)));
}

TEST_F(EraseProgram, LeavesErasedImagesOutOfNewData) {
  learn_weeks();
  fs::create_directories(folder_.path() / "gone");
  for (const auto& image : fs::directory_iterator(folder_.path() / "week1" / "class0")) {
    if (image.path().filename() < "006.png")
      fs::copy_file(image, folder_.path() / "gone" / image.path().filename());
  }
  expect_done({"learn", "state", "--erase", "gone"});
  const Outcome again = call({"learn", "state", "week1", "--again", "--json"});
  EXPECT_EQ(again.exit_code, 0) << again.err;
  EXPECT_THAT(again.err, HasSubstr("gpscl: week1: 3 images left out, because they were erased from "
                                   "this state"));
  EXPECT_EQ(nlohmann::json::parse(again.out).at("erased_before"), 3);
}

TEST_F(EraseProgram, TrainsAnewOnRequest) {
  learn_weeks();
  const std::string hash = list()[0].at("hash");
  const auto done = json_of({"learn", "state", "--erase", hash, "--relearn"});
  EXPECT_EQ(done.at("erased"), 1);
  EXPECT_EQ(done.at("relearnt").at("trained_on"), 31);
  EXPECT_EQ(done.at("removed_versions"), (std::vector<int>{1, 2}));
  EXPECT_EQ(done.at("version"), 3);
  const Outcome alone = call({"learn", "state", "--relearn"});
  EXPECT_EQ(alone.exit_code, 0) << alone.err;
  EXPECT_THAT(alone.out, StartsWith("trained anew on 31 images in "));
  EXPECT_THAT(alone.out, HasSubstr("earlier versions are removed"));
  EXPECT_THAT(call({"learn", "state", "--status"}).out, HasSubstr("no earlier version is kept"));
}

TEST_F(EraseProgram, SaysThatAFileWasNeverSeen) {
  learn_weeks();
  testing::write_week(folder_.path() / "other", 0, 1, 12, 99);
  const std::string file = "other/class0/000.png";
  const Outcome one = call({"learn", "state", "--erase", file});
  EXPECT_EQ(one.exit_code, 0) << one.err;
  EXPECT_THAT(one.out, HasSubstr("it is not stored and was never trained on; it is barred from now "
                                 "on\n"));
  EXPECT_THAT(one.out, Not(HasSubstr("the weights keep")));
  EXPECT_THAT(one.out, Not(HasSubstr("again")));
  testing::write_file(folder_.path() / "both.txt", file + "\nother/class0/001.png\n");
  const auto both = json_of({"learn", "state", "--erase", "both.txt"});
  EXPECT_EQ(both.at("asked"), 2);
  EXPECT_EQ(both.at("never_seen"), 1) << "the other one was erased before";
  EXPECT_THAT(call({"learn", "state", "--erase", file}).out, Not(HasSubstr("the weights keep")));
  const Outcome barred = call({"learn", "state", "other"});
  EXPECT_THAT(barred.err, HasSubstr("2 images left out, because they were erased"));
  const std::string known = list()[0].at("hash");
  EXPECT_THAT(call({"learn", "state", "--erase", known}).out,
              HasSubstr("it cannot be learnt again\nthe weights keep"));
}

// The new network would not know such a class.
TEST_F(EraseProgram, DoesNotTrainAnewWithoutImagesOfAClass) {
  learn_weeks();
  write_hashes_of("class0", "class0.txt");
  const std::string missing = "no image for replay of 1 class: 'class0'";
  expect_error({"learn", "state", "--erase", "class0.txt", "--relearn"}, missing);
  EXPECT_EQ(list().size(), 40u) << "nothing is erased";
  const Outcome erased = call({"learn", "state", "--erase", "class0.txt"});
  EXPECT_EQ(erased.exit_code, 0) << erased.err;
  EXPECT_THAT(erased.out, HasSubstr(missing));

  const auto versions = [&] {
    return std::vector<std::string>{read_file((folder_.path() / "state/000001.state").string()),
                                    read_file((folder_.path() / "state/000002.state").string())};
  };
  const auto before = versions();
  const Outcome refused = call({"learn", "state", "--relearn"});
  EXPECT_EQ(refused.exit_code, 2) << refused.out;
  EXPECT_EQ(lines_of(refused.err).size(), 1u) << refused.err;
  EXPECT_THAT(refused.err, HasSubstr(missing));
  EXPECT_THAT(refused.err, HasSubstr("learn new images of it"));
  EXPECT_THAT(refused.err, HasSubstr("--remove-class NAME"));
  EXPECT_THAT(refused.err, HasSubstr("--accept"));
  EXPECT_THAT(refused.out, IsEmpty());
  EXPECT_TRUE(versions() == before) << "nothing changes but the log";

  const Outcome accepted = call({"learn", "state", "--relearn", "--accept"});
  EXPECT_EQ(accepted.exit_code, 0) << accepted.err;
  EXPECT_THAT(accepted.err, HasSubstr("warning: " + missing));
  EXPECT_THAT(accepted.out, StartsWith("trained anew on "));
  expect_done({"learn", "state", "--remove-class", "class0"});
  expect_done({"learn", "state", "--relearn"});
}

TEST_F(EraseProgram, ErasesAndTrainsAnewWithoutAClassIfItIsAccepted) {
  learn_weeks();
  write_hashes_of("class0", "class0.txt");
  const auto done = json_of({"learn", "state", "--erase", "class0.txt", "--relearn", "--accept"});
  EXPECT_EQ(done.at("classes_without_images"), (std::vector<std::string>{"class0"}));
  EXPECT_EQ(done.at("version"), 3);
  expect_error({"learn", "state", "--erase", "class0.txt", "--accept"},
               "--accept has no effect without NEW_DATA or --relearn");
}

TEST_F(EraseProgram, LetsOldImagesGo) {
  learn_weeks();
  const auto json = json_of({"learn", "state", "--keep-days", "30"});
  EXPECT_EQ(json.at("changes").back(), "0 images older than 30 days left the memory");
  EXPECT_EQ(json.at("version"), 3);
  EXPECT_EQ(json_of({"learn", "state", "--keep-days", "30"}).at("version"), 3)
      << "it can be called every day";
  expect_error({"learn", "state", "--keep-days", "-1"}, "--keep-days must be between 0");
  expect_error({"learn", "state", "--keep-days", "30", "--learner", "icarl"},
               "--keep-days cannot be used with learner 'icarl'");
}

TEST_F(EraseProgram, RefusesWhatItDoesNotKnow) {
  learn_weeks();
  expect_error({"learn", "state", "--erase", "0123456789abcdef"},
               "no image with the hash 0123456789abcdef was ever stored or trained on");
  expect_error({"learn", "state", "--erase", "0123"}, "'0123' is neither a file nor the hash");
  testing::write_file(folder_.path() / "bad.csv", "hash\nxyz\n");
  expect_error({"learn", "state", "--erase", "bad.csv"}, "bad.csv:2: no hash of an image", 1);
  testing::write_file(folder_.path() / "empty.txt", "\n");
  expect_error({"learn", "state", "--erase", "empty.txt"}, "'empty.txt' names no image");
  expect_error({"learn", "state", "week1", "--relearn"}, "--relearn cannot be used with NEW_DATA");
  expect_error({"learn", "state", "week1", "--format", "csv"}, "--format cannot be used without");
  expect_error({"learn", "none", "--list"}, "contains no state");
  expect_error({"learn", "none", "--erase", "week1"}, "contains no state");
  EXPECT_EQ(list().size(), 40u);
}

}  // namespace erase_program_test
}  // namespace gps
