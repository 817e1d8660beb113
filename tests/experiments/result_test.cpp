#include "gps/experiments/result.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>

#include "gps/core/json_checksum.h"
#include "gps/core/version.h"
#include "support/temporary_folder.h"

namespace gps {
namespace result_test {

namespace fs = std::filesystem;

using ::testing::HasSubstr;
using ::testing::MatchesRegex;

RunResult made_up_result() {
  RunResult result;
  set_policy(result.spec.policy, "gps");
  result.spec.benchmark.tasks = 2;
  result.seed = 3;
  result.accuracy = {{0.9, 0.125}, {0.7, 0.8}};
  result.class_accuracy = {{0.85, 0.1}, {0.6, 0.7}};
  result.accuracy_at_initialisation = {0.1, 0.1};
  result.metrics =
      compute_metrics({result.accuracy, result.accuracy_at_initialisation, result.class_accuracy});
  result.decisions = {{1, {4}, 10, {{{5}, {0.5, 0.75}}, {{4}, {0.25, 0.875}}}}, {2, {2}, 5, {}}};
  result.memory = {{{1, {2, 2}, {5, 1}}}, {{1, {2, 2}, {1, 0}}, {2, {1, 1}, {0, 3}}}};
  result.steps = 1200;
  result.seconds = {1.5, 2.5, 0.5};
  result.peak_memory_bytes = 4096;
  return result;
}

nlohmann::json read_json(const fs::path& path) {
  std::ifstream in(path);
  return nlohmann::json::parse(in);
}

std::vector<std::string> files_in(const fs::path& folder) {
  std::vector<std::string> found;
  for (const auto& entry : fs::directory_iterator(folder))
    found.push_back(entry.path().filename().string());
  return found;
}

// The message of what save() throws.
std::string failure_to_save(const RunResult& result, const fs::path& folder) {
  try {
    save(result, folder);
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "(saved)";
}

TEST(ResultJson, HasWhatScriptsRelyOn) {
  const nlohmann::json json = to_json(made_up_result());
  EXPECT_EQ(json.at("schema"), 1);
  EXPECT_EQ(json.at("version"), kVersion);
  EXPECT_EQ(json.at("spec"), to_json(made_up_result().spec));
  EXPECT_EQ(json.at("seed"), 3);
  EXPECT_EQ(json.at("accuracy"), (AccuracyMatrix{{0.9, 0.125}, {0.7, 0.8}}));
  EXPECT_EQ(json.at("class_accuracy"), (AccuracyMatrix{{0.85, 0.1}, {0.6, 0.7}}));
  EXPECT_EQ(json.at("accuracy_at_initialisation"), (std::vector<double>{0.1, 0.1}));
  EXPECT_EQ(json.at("steps"), 1200);
  EXPECT_EQ(json.at("seconds"),
            nlohmann::json({{"training", 1.5}, {"simulation", 2.5}, {"evaluation", 0.5}}));
  EXPECT_EQ(json.at("peak_memory_bytes"), 4096);
}

TEST(ResultJson, SwitchingPointsKeepTheirProbesInOrder) {
  const nlohmann::json points = to_json(made_up_result()).at("switching_points");
  ASSERT_EQ(points.size(), 2u);
  const auto expected = nlohmann::json::parse(R"({
    "task": 1, "ring_size": 4, "quota": 10,
    "probes": [{"ring_size": 5, "loss": 0.5, "accuracy": 0.75},
               {"ring_size": 4, "loss": 0.25, "accuracy": 0.875}]})");
  EXPECT_EQ(points[0], expected);
  EXPECT_EQ(points[1].at("probes"), nlohmann::json::array());
}

TEST(ResultJson, MemoryIsListedAfterEachTaskByTaskPartAndClass) {
  const nlohmann::json memory = to_json(made_up_result()).at("memory");
  const auto expected = nlohmann::json::parse(R"([
    {"after_task": 1, "tasks": [{"task": 1, "ring": [2, 2], "reservoir": [5, 1]}]},
    {"after_task": 2, "tasks": [{"task": 1, "ring": [2, 2], "reservoir": [1, 0]},
                                {"task": 2, "ring": [1, 1], "reservoir": [0, 3]}]}])");
  EXPECT_EQ(memory, expected);
}

TEST(ResultJson, HasEveryMetricOfTheCatalogAndNoOther) {
  const nlohmann::json metrics = to_json(made_up_result()).at("metrics");
  std::set<std::string> written;
  for (const auto& [name, value] : metrics.items()) written.insert(name);
  std::set<std::string> known;
  for (const std::string& name : names(metric_catalog())) known.insert(name);
  EXPECT_EQ(written, known);
}

TEST(ResultJson, OfADomainIncrementalStreamHasOneAccuracy) {
  const nlohmann::json json = to_json(made_up_result());
  EXPECT_EQ(json.at("scenario"), "domain-incremental");
  EXPECT_FALSE(json.contains("class_incremental"));
  EXPECT_FALSE(json.contains("labels"));
}

TEST(ResultJson, OfASplitStreamHasTheAccuracyAmongAllClassesToo) {
  RunResult result = made_up_result();
  const nlohmann::json before = to_json(result);
  const AccuracyMatrix accuracy = {{0.8, 0}, {0.5, 0.75}};
  result.labels = {{0, 1}, {2, 3}};
  result.class_incremental = {accuracy, {0.05, 0.1}, compute_metrics(accuracy, {0.05, 0.1})};
  nlohmann::json json = to_json(result);
  EXPECT_EQ(json.at("scenario"), "task-incremental");
  EXPECT_EQ(json.at("labels"), nlohmann::json::parse("[[0, 1], [2, 3]]"));
  const nlohmann::json among_all = json.at("class_incremental");
  EXPECT_EQ(among_all.at("accuracy"), accuracy);
  EXPECT_EQ(among_all.at("accuracy_at_initialisation"), (std::vector<double>{0.05, 0.1}));
  EXPECT_EQ(among_all.at("metrics").at("average_accuracy"), 0.625);
  EXPECT_NEAR(among_all.at("metrics").at("forgetting").get<double>(), 0.3, 1e-12);
  EXPECT_NEAR(among_all.at("metrics").at("forward_transfer").get<double>(), -0.1, 1e-12);
  // All other keys stay as they are.
  for (const char* key : {"class_incremental", "labels", "scenario", "checksum"}) json.erase(key);
  nlohmann::json rest = before;
  for (const char* key : {"scenario", "checksum"}) rest.erase(key);
  EXPECT_EQ(json, rest);
}

TEST(ResultJson, MetricsWithoutAValueAreNull) {
  RunResult result = made_up_result();
  result.accuracy = {{0.9, 0.8}};
  result.metrics = compute_metrics(result.accuracy, result.accuracy_at_initialisation);
  const nlohmann::json metrics = to_json(result).at("metrics");
  EXPECT_NEAR(metrics.at("average_accuracy").get<double>(), 0.85, 1e-12);
  for (const char* name : {"learning_accuracy", "backward_transfer", "forward_transfer",
                           "forgetting", "average_incremental_accuracy"}) {
    EXPECT_TRUE(metrics.at(name).is_null()) << name;
  }
}

TEST(ResultJson, HasAChecksumOfEverythingElse) {
  nlohmann::json json = to_json(made_up_result());
  EXPECT_EQ(json.at("checksum"), json_checksum(json, "checksum"));
  RunResult other = made_up_result();
  other.seconds.training += 1e-9;
  EXPECT_NE(to_json(other).at("checksum"), json.at("checksum"));
}

// The message of what read_result() throws for a file of this text.
std::string failure_to_read(const fs::path& file, const std::string& text) {
  std::ofstream(file, std::ios::binary) << text;
  try {
    read_result(file, made_up_result().spec, made_up_result().seed);
  } catch (const DataError& error) {
    return error.what();
  }
  return "(read)";
}

TEST(ReadResult, RefusesAFileThatWasChangedAndSaysWhatToDo) {
  const testing::TemporaryFolder folder;
  const fs::path file = folder.path() / "result.json";
  nlohmann::json json = to_json(made_up_result());
  EXPECT_EQ(failure_to_read(file, json.dump(3)), "(read)") << "written in another way";
  json["steps"] = 1201;
  EXPECT_EQ(failure_to_read(file, json.dump(1)),
            file.string() +
                ": damaged: its checksum does not match; if you changed it on purpose, remove its "
                "key 'checksum'");
  json.erase("checksum");
  EXPECT_EQ(failure_to_read(file, json.dump(1)), "(read)") << "as of an earlier version";
  json["seed"] = 4;
  EXPECT_EQ(failure_to_read(file, json.dump(1)), file.string() + ": the result of another run");
  json["accuracy"][1].push_back(0.5);
  EXPECT_EQ(failure_to_read(file, json.dump(1)),
            file.string() + ": damaged: 'a row of accuracy' has 3 entries; expected 2");
  EXPECT_THAT(failure_to_read(file, "{\"schema\": 1"),
              HasSubstr("result.json: not a result: it is not JSON at byte "));
}

TEST(ReadResult, NeverReadsAnotherResultWhereAByteWasChanged) {
  const testing::TemporaryFolder folder{testing::in_memory()};
  const RunResult result = made_up_result();
  const fs::path file = save(result, folder.path());
  std::ifstream in(file, std::ios::binary);
  const std::string text(std::istreambuf_iterator<char>(in), {});
  const std::string expected = to_json(result).dump();
  std::size_t tried = 0;
  std::size_t refused = 0;
  for (std::size_t at = 0; at < text.size(); at += 7, ++tried) {
    std::string changed = text;
    changed[at] = static_cast<char>(changed[at] ^ 1);  // another digit, another letter
    std::ofstream(file, std::ios::binary) << changed;
    try {
      EXPECT_EQ(to_json(read_result(file, result.spec, result.seed)).dump(), expected)
          << "byte " << at;
    } catch (const DataError&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, tried * 9 / 10);
}

TEST(FileName, IsReadable) {
  Spec spec;
  set_policy(spec.policy, "gps");
  EXPECT_THAT(file_name(spec, 3), MatchesRegex("p-mnist-er-gps-seed3-[0-9a-f]{8}\\.json"));
  spec.learner.name = "sgd";
  spec.policy.name = "none";
  EXPECT_THAT(file_name(spec, 12), MatchesRegex("p-mnist-sgd-seed12-[0-9a-f]{8}\\.json"));
}

TEST(FileName, DoesNotNameWhatIsPlanned) {
  Spec spec;
  for (const auto& [knobs, start] : std::vector<std::pair<std::string, std::string>>{
           {"all", "p-mnist-plan-seed1-"},
           {"learner,policy", "p-mnist-plan-seed1-"},
           {"learner,lr", "p-mnist-plan-reservoir-seed1-"},
           {"policy", "p-mnist-er-plan-seed1-"},
           {"lr,length", "p-mnist-er-reservoir-seed1-"}}) {
    spec.planning.knobs = knobs;
    EXPECT_THAT(file_name(spec, 1), ::testing::StartsWith(start)) << knobs;
  }
}

TEST(FileName, DiffersFromSeedToSeedAndFromVariantToVariant) {
  std::set<std::string> seen;
  for (const char* policy : {"mixed:0.25", "mixed:0.5", "gps:rotation", "gps:blurring",
                             "ring-full:deal", "ring-full:floor"}) {
    for (const std::uint64_t seed : {0u, 1u}) {
      Spec spec;
      set_policy(spec.policy, policy);
      EXPECT_TRUE(seen.insert(file_name(spec, seed)).second) << policy << " seed " << seed;
    }
  }
}

TEST(Save, WritesTheWholeJsonAndNothingBesideIt) {
  const testing::TemporaryFolder folder;
  const RunResult result = made_up_result();
  const fs::path path = save(result, folder.path() / "made" / "on" / "demand");
  EXPECT_EQ(path.filename(), file_name(result.spec, result.seed));
  EXPECT_EQ(read_json(path), to_json(result));
  EXPECT_EQ(files_in(path.parent_path()), std::vector<std::string>{path.filename().string()});
}

TEST(Save, ReplacesAnEarlierResultOfTheSameRun) {
  const testing::TemporaryFolder folder;
  RunResult result = made_up_result();
  const fs::path first = save(result, folder.path());
  result.steps = 7;
  EXPECT_EQ(save(result, folder.path()), first);
  EXPECT_EQ(read_json(first).at("steps"), 7);
  EXPECT_EQ(files_in(folder.path()).size(), 1u);
}

TEST(Save, NamesAFolderThatCannotBeMade) {
  const testing::TemporaryFolder folder;
  const fs::path file = folder.path() / "file";
  std::ofstream(file) << "in the way";
  const fs::path below = file / "results";
  EXPECT_THROW(save(made_up_result(), below), DataError);
  EXPECT_THAT(failure_to_save(made_up_result(), below), HasSubstr(below.string()));
}

TEST(Save, NamesAFileThatCannotBeReplacedAndLeavesNoHalfOfIt) {
  const testing::TemporaryFolder folder;
  const RunResult result = made_up_result();
  const fs::path taken = folder.path() / file_name(result.spec, result.seed);
  fs::create_directories(taken / "not empty");
  EXPECT_THAT(failure_to_save(result, folder.path()), HasSubstr(taken.string()));
  EXPECT_EQ(files_in(folder.path()), std::vector<std::string>{taken.filename().string()});
}

}  // namespace result_test
}  // namespace gps
