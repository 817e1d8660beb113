// A memory that is counted in bytes, as a user calls for it. The images have 8 x 8 pixels: 72 bytes
// with everything, or 16 with one bit for each pixel.
#include <gmock/gmock.h>

#include "apps/matches.h"
#include "apps/tiny_program_run.h"

namespace gps {
namespace memory_test {

using testing::all_matches;
using testing::gpscl;
using ::testing::HasSubstr;
using testing::lines_of;
using testing::Outcome;

class MemoryInBytes : public testing::TinyProgramRun {
 protected:
  Outcome runs(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), "runs");
    arguments.insert(arguments.end(), {"--store", (path("out") / "runs.sqlite").string()});
    return gpscl(arguments);
  }
};

TEST_F(MemoryInBytes, IsTheRunWithAsManyExamplesAsFit) {
  const Outcome counted = gpscl(arguments({"--memory", "20"}, "counted"));
  ASSERT_EQ(counted.exit_code, 0) << counted.err;
  const Outcome outcome = gpscl(arguments({"--memory", "1450B"}));
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("memory 1450B,"));
  const nlohmann::json one = files_in("counted").begin()->second;
  const nlohmann::json other = files_in("out").begin()->second;
  EXPECT_EQ(one.at("accuracy"), other.at("accuracy"));
  EXPECT_EQ(one.at("memory"), other.at("memory"));
  EXPECT_EQ(other.at("memory_bytes"), 1440);
  EXPECT_EQ(other.at("spec").at("memory_bytes"), 1450);
  EXPECT_FALSE(other.at("spec").contains("memory"));
}

TEST_F(MemoryInBytes, IsShownAndRepeated) {
  const Outcome outcome =
      gpscl(arguments({"--memory", "1kB", "--codec", "bits:1", "--learner", "der", "--logits",
                       "int8", "--policy", "mixed", "--lr", "0.03"}));
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("memory 1kB as bits:1"));
  const std::string listed = lines_of(runs({"list"}).out)[1];
  EXPECT_THAT(listed, HasSubstr(" 1kB "));
  // 16 bytes, and 8 + 10 for ten logits.
  const Outcome shown = runs({"show", "1"});
  EXPECT_THAT(shown.out, HasSubstr("memory after the last task: 29 images in 986 bytes"));
  const auto commands = all_matches(shown.out, "to repeat it: (gpscl .*)", /*group=*/1);
  ASSERT_EQ(commands.size(), 1u);
  for (const char* option : {"--memory 1kB", "--codec bits:1", "--logits int8"})
    EXPECT_THAT(commands[0], HasSubstr(option));
}

TEST_F(MemoryInBytes, ThatHoldsNothingIsRefusedBeforeAnyRun) {
  for (const auto& [added, named] :
       std::vector<std::pair<std::vector<std::string>, std::vector<std::string>>>{
           {{"--memory", "71B"}, {"--memory", "at least 72B", "64 bytes"}},
           {{"--memory", "15B", "--codec", "bits:1"}, {"--memory", "at least 16B"}},
           {{"--codec", "down:3"}, {"--codec", "multiples of 3", "8 x 8"}},
       }) {
    const Outcome outcome = gpscl(arguments(added));
    EXPECT_EQ(outcome.exit_code, 2) << outcome.err;
    EXPECT_EQ(lines_of(outcome.err).size(), 1u) << outcome.err;
    for (const std::string& text : named) EXPECT_THAT(outcome.err, HasSubstr(text));
  }
}

TEST_F(MemoryInBytes, IsComparedBetweenCodecsByASweep) {
  testing::write_file(path("sweep.toml"),
                      "[[grid]]\nbenchmark = \"p-mnist\"\ntasks = 2\nepochs = 1\nhidden = 16\n"
                      "memory = \"1kB\"\ncodec = [\"raw\", \"bits:1\"]\n");
  const Outcome outcome = gpscl({"sweep", path("sweep.toml").string(), "--data",
                                 path("data").string(), "--out", path("out").string()});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("memory 1kB"));
  EXPECT_THAT(outcome.out, HasSubstr("codec=bits:1"));
  EXPECT_EQ(files_in("out").size(), 2u);
}

TEST_F(MemoryInBytes, HoldsDecodedImagesWhenExported) {
  const Outcome outcome =
      gpscl(arguments({"--memory", "160B", "--codec", "bits:1", "--export", "memory", "--json"}));
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  bool has_file = false;
  for (const auto& entry : std::filesystem::directory_iterator(path("out"))) {
    if (entry.path().extension() != ".safetensors") continue;
    has_file = true;
    std::ifstream in(entry.path(), std::ios::binary);
    const std::string bytes((std::istreambuf_iterator<char>(in)), {});
    EXPECT_THAT(bytes, HasSubstr("[10,1,8,8]"));
  }
  EXPECT_TRUE(has_file);
}

}  // namespace memory_test
}  // namespace gps
