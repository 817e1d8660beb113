#include "gps/nn/network_options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>

#include "support/temporary_folder.h"

namespace gps {
namespace {

using ::testing::HasSubstr;

std::string refusal_of(const std::function<void(NetworkOptions&)>& make) {
  NetworkOptions options;
  make(options);
  try {
    validate(options);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "(accepted)";
}

nlohmann::json json_of(const NetworkOptions& options) {
  nlohmann::json json = nlohmann::json::object();
  add_to_json(options, json);
  return json;
}

TEST(NetworkOptions, RefuseWhatMakesNoNetwork) {
  EXPECT_THAT(refusal_of([](auto& o) { o.model = "vgg"; }),
              HasSubstr("unknown model 'vgg'; known: mlp"));
  EXPECT_THAT(refusal_of([](auto& o) { o.width = 20; }),
              HasSubstr("--width concerns models resnet18"));
  EXPECT_THAT(refusal_of([](auto& o) { o.model = "resnet18", o.width = -1; }), HasSubstr("got -1"));
  EXPECT_THAT(refusal_of([](auto& o) { o.model = "resnet18", o.hidden = {5}; }),
              HasSubstr("concern model mlp only, but --model is resnet18"));
  EXPECT_THAT(refusal_of([](auto& o) { o.device = "cuda"; }), HasSubstr("do not concern the mlp"));
  EXPECT_THAT(refusal_of([](auto& o) { o.model = "convnet", o.device = "cuda:x"; }),
              HasSubstr("got 'cuda:x'"));
  EXPECT_THAT(refusal_of([](auto& o) { o.model = "convnet", o.operator_threads = 0; }),
              HasSubstr("got 0"));
  EXPECT_EQ(refusal_of([](auto& o) { o.model = "own.pt", o.device = "cuda:1"; }), "(accepted)");
}

TEST(NetworkOptions, SayOfAnMlpWhatTheyAlwaysSaid) {
  EXPECT_EQ(json_of({}), (nlohmann::json{{"hidden", {100, 100}}, {"initialisation", "xavier"}}));
}

TEST(NetworkOptions, SayOfOthersWhatIsNotTheDefault) {
  NetworkOptions options;
  options.model = "resnet18";
  EXPECT_EQ(json_of(options), (nlohmann::json{{"model", "resnet18"}}));
  options.width = 20;
  options.precision = Precision::bf16;
  options.operator_threads = 2;
  EXPECT_EQ(
      json_of(options),
      (nlohmann::json{
          {"model", "resnet18"}, {"width", 20}, {"precision", "bf16"}, {"operator_threads", 2}}));
}

TEST(NetworkOptions, TellFilesOfOneNameApart) {
  const testing::TemporaryFolder folder;
  NetworkOptions options;
  options.model = (folder.path() / "own.pt").string();
  std::ofstream(options.model) << "a";
  const auto first = json_of(identified(options));
  EXPECT_EQ(first.at("model_fingerprint"), "1-af63dc4c8601ec8c");  // FNV-1a of "a"
  std::ofstream(options.model) << "b";
  EXPECT_NE(json_of(identified(options)), first);
  options.model = "no such.pt";
  EXPECT_THROW(identified(options), DataError);
}

}  // namespace
}  // namespace gps
