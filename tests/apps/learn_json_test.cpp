// What `gpscl learn --json` prints in each of its forms, and its log, against
// docs/learn.schema.json.
#include <gmock/gmock.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "apps/program.h"
#include "apps/week_folders.h"
#include "gps/core/files/files.h"
#include "support/json_schema.h"
#include "support/temporary_folder.h"

namespace gps {
namespace learn_json_test {

namespace fs = std::filesystem;
using nlohmann::json;
using ::testing::ElementsAre;
using testing::gpscl;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::lines_of;
using ::testing::Not;
using testing::Outcome;

testing::JsonSchema schema() {
  return testing::JsonSchema(
      json::parse(read_file(fs::path(GPSCL_SOURCE_DIR) / "docs/learn.schema.json")));
}

class LearnJson : public ::testing::Test {
 protected:
  LearnJson() {
    testing::write_weeks(folder_.path(), 3);
    testing::write_week(folder_.path() / "test", 0, 5, 20, 77);
  }

  Outcome call(const std::vector<std::string>& arguments) const {
    return gpscl(arguments, {.folder = folder_.path()});
  }
  // Carries out `gpscl learn state … --json`, and checks what it prints.
  json checked(const std::string& form, std::vector<std::string> words, int exit_code = 0) const {
    words.insert(words.begin(), {"learn", "state"});
    words.emplace_back("--json");
    SCOPED_TRACE(join(words, " "));
    const Outcome outcome = call(words);
    EXPECT_EQ(outcome.exit_code, exit_code) << outcome.err;
    const json printed = json::parse(outcome.out);
    EXPECT_THAT(schema().problems(printed, form), IsEmpty()) << printed.dump(1);
    EXPECT_THAT(schema().problems(printed), IsEmpty());
    return printed;
  }
  std::vector<json> log() const {
    std::vector<json> lines;
    for (const std::string& line : lines_of(read_file(folder_.path() / "state" / "log.jsonl"))) {
      lines.push_back(json::parse(line));
      EXPECT_THAT(schema().problems(lines.back(), "log_line"), IsEmpty()) << line;
    }
    return lines;
  }
  std::vector<std::string> events() const {
    std::vector<std::string> found;
    for (const json& line : log()) found.push_back(line.at("event"));
    return found;
  }

  testing::TemporaryFolder folder_{testing::in_memory()};
};

TEST(JsonSchemaOfTests, FindsWhatDoesNotFit) {
  const testing::JsonSchema small(json::parse(R"({"$defs": {"a": {"type": "object",
      "properties": {"n": {"type": "integer", "minimum": 1}, "s": {"$ref": "#/$defs/s"}},
      "required": ["n"], "additionalProperties": false},
      "s": {"type": ["string", "null"], "pattern": "^x"}, "bad": {"oneOf": []}}})"));
  const auto count = [&](const char* text) {
    return small.problems(json::parse(text), "a").size();
  };
  EXPECT_EQ(count(R"({"n": 1, "s": "x"})"), 0u);
  EXPECT_EQ(count(R"({"n": 1, "s": null})"), 0u);
  EXPECT_EQ(count(R"({"n": 0})"), 1u);
  EXPECT_EQ(count(R"({"n": 1.5})"), 1u);
  EXPECT_EQ(count(R"({})"), 1u);
  EXPECT_EQ(count(R"({"n": 1, "s": "y"})"), 1u);
  EXPECT_EQ(count(R"({"n": 1, "t": 1})"), 1u);
  EXPECT_EQ(count("[]"), 1u);
  EXPECT_THROW(small.problems(json(), "bad"), std::runtime_error);
}

TEST_F(LearnJson, FitsItsSchemaInEveryForm) {
  checked("learn", {"week1", "--memory", "40", "--hidden", "16", "--lr", "0.05", "--epochs", "10"});
  checked("learn", {"week2", "--require-accuracy", "0.1", "--max-forgetting", "1"});
  checked("status", {"--status"});
  checked("history", {"--history"});
  checked("evaluate", {"--evaluate", "test"});
  checked("change", {"--memory", "36"});
  checked("rename", {"--rename", "class0=zero"});
  checked("learn", {"week3", "--require-accuracy", "1", "--strict", "--lr", "1e-30"}, 3);
  EXPECT_TRUE(checked("status", {"--status"}).contains("candidate"));
  checked("accept", {"--accept"});
  const json back = checked("rollback", {"--rollback"});
  EXPECT_EQ(back, (json{{"version", 4}, {"removed_version", 5}}));
  const json list = checked("list", {"--list"});
  checked("images", {"--images", "out"});
  checked("erase", {"--erase", list[0].at("hash").get<std::string>()});
  checked("remove_class", {"--remove-class", "class3"});
  checked("erase", {"--erase", list[1].at("hash").get<std::string>(), "--relearn"});
  checked("relearn", {"--relearn"});
  checked("change", {"--keep-days", "30"});
  EXPECT_THAT(events(), ElementsAre("learn", "learn", "change", "rename", "refuse", "accept",
                                    "roll back", "erase", "erased", "remove class", "erase",
                                    "erased", "relearn", "relearn", "change"));
}

TEST_F(LearnJson, OfMergedTasksAndBytesFitsTheSchemaToo) {
  checked("learn", {"week1", "--memory", "1440B", "--codec", "bits:1"});
  checked("status", {"--status"});
  checked("history", {"--history"});
  fs::remove_all(folder_.path() / "state");
  checked("learn",
          {"week1", "--memory", "12", "--epochs", "2", "--policy", "reservoir", "--accept"});
  checked("learn", {"week2", "--accept"});
  checked("learn", {"week3", "--accept"});
  checked("status", {"--status"});
}

TEST_F(LearnJson, LogSaysWhoWhatAndHowWell) {
  checked("learn", {"week1", "--memory", "40", "--hidden", "16", "--lr", "0.05", "--epochs", "10"});
  const json first = log().front();
  EXPECT_EQ(first.at("event"), "learn");
  EXPECT_EQ(first.at("command"),
            "gpscl learn state week1 --memory 40 --epochs 10 --lr 0.05 --hidden 16 --json")
      << "options in the order of the table";
  EXPECT_FALSE(first.at("user").get<std::string>().empty());
  EXPECT_EQ(first.at("folder"), fs::canonical(folder_.path()).string());
  EXPECT_EQ(first.at("name"), "week1");
  EXPECT_THAT(first.at("data").get<std::string>(), ::testing::StartsWith("40-0-"));
  EXPECT_EQ(first.at("version"), 1);
  EXPECT_GT(first.at("held_out").at("among_all"), 0.5);
}

TEST_F(LearnJson, LogHasRefusalsAndFailuresAndSurvivesGoingBack) {
  call({"learn", "state", "week1", "--memory", "40", "--hidden", "16"});
  call({"learn", "state", "week2", "--require-accuracy", "1", "--strict", "--lr", "1e-30"});
  EXPECT_EQ(call({"learn", "state", "week1"}).exit_code, 2) << "it was learnt before";
  EXPECT_EQ(call({"learn", "state", "week2"}).exit_code, 0);
  EXPECT_EQ(call({"learn", "state", "--rollback"}).exit_code, 0);
  EXPECT_THAT(events(), ElementsAre("learn", "refuse", "fail", "learn", "roll back"));
  const std::vector<json> lines = log();
  EXPECT_EQ(lines[1].at("gate").at("accuracy").at("met"), false);
  EXPECT_FALSE(lines[1].contains("version"));
  EXPECT_THAT(lines[2].at("error").get<std::string>(), HasSubstr("use --again to learn it again"));
  // Reading leaves no line.
  call({"learn", "state", "--status"});
  call({"learn", "state", "--list"});
  call({"predict", "state", "week1"});
  EXPECT_EQ(log().size(), 5u);
}

TEST_F(LearnJson, LogIsMendedByTheNextCall) {
  call({"learn", "state", "week1", "--memory", "40", "--hidden", "16"});
  std::ofstream(folder_.path() / "state" / "log.jsonl", std::ios::app) << R"({"event": "le)";
  const Outcome outcome = call({"learn", "state", "week2"});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_THAT(outcome.err, HasSubstr("the last line was torn, and is removed"));
  EXPECT_THAT(events(), ElementsAre("learn", "repaired", "learn"));
}

TEST_F(LearnJson, DocumentsEveryKey) {
  const std::string text = read_file(fs::path(GPSCL_SOURCE_DIR) / "docs/learn.md");
  const json all = json::parse(read_file(fs::path(GPSCL_SOURCE_DIR) / "docs/learn.schema.json"));
  std::vector<std::string> keys;
  const std::function<void(const json&)> collect = [&](const json& part) {
    if (part.is_array()) {
      for (const json& each : part) collect(each);
    }
    if (!part.is_object()) return;
    if (part.contains("properties")) {
      for (const auto& [key, value] : part.at("properties").items()) keys.push_back(key);
    }
    for (const auto& [key, value] : part.items()) collect(value);
  };
  collect(all);
  EXPECT_GT(keys.size(), 100u);
  for (const std::string& key : keys) EXPECT_THAT(text, HasSubstr("`" + key + "`"));
}

}  // namespace learn_json_test
}  // namespace gps
