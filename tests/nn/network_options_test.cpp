#include "gps/nn/network_options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>
#include <functional>

#include "support/temporary_folder.h"

namespace gps {
namespace network_options_test {

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

TEST(NetworkOptions, RefuseWhatMakesNoNetwork) {
  EXPECT_THAT(refusal_of([](auto& o) { o.model = "vgg"; }),
              HasSubstr("unknown model 'vgg'; known: mlp"));
  EXPECT_EQ(refusal_of([](auto& o) { o.width = 20; }),
            "`width` works only with model convnet and resnet18, but `model` is mlp");
  EXPECT_THAT(refusal_of([](auto& o) { o.model = "resnet18", o.width = -1; }), HasSubstr("got -1"));
  EXPECT_EQ(refusal_of([](auto& o) { o.model = "resnet18", o.hidden = {5}; }),
            "`hidden` works only with model mlp, but `model` is resnet18");
  EXPECT_EQ(refusal_of([](auto& o) { o.model = "resnet18", o.initialisation = "pytorch"; }),
            "`init` works only with model mlp, but `model` is resnet18");
  EXPECT_EQ(refusal_of([](auto& o) { o.device = "cuda"; }),
            "`device` works only with model convnet and resnet18 and FILE.pt, but `model` is mlp");
  EXPECT_THAT(
      refusal_of([](auto& o) { o.model = "resnet18", o.backend = "own", o.device = "cuda"; }),
      HasSubstr("`backend` own works only on the CPU"));
  EXPECT_THAT(refusal_of([](auto& o) { o.model = "resnet18", o.backend = "jax"; }),
              HasSubstr("`backend` must be one of own, libtorch, got 'jax'"));
  EXPECT_THAT(refusal_of([](auto& o) { o.model = "convnet", o.device = "cuda:x"; }),
              HasSubstr("got 'cuda:x'"));
  EXPECT_THAT(refusal_of([](auto& o) { o.model = "convnet", o.operator_threads = 0; }),
              HasSubstr("got 0"));
  EXPECT_EQ(refusal_of([](auto& o) { o.model = "own.pt", o.device = "cuda:1"; }), "(accepted)");
}

TEST(NetworkOptions, TheFastestBackendGoesByTheCpuAndTheOptions) {
  NetworkOptions options;
  options.model = "resnet18";
  for (const char* target : {"AVX3+AMX", "AVX3+BF16", "AVX3", "AVX2", "SSE4"})
    EXPECT_EQ(fastest_backend(options, target), "own") << target;
  EXPECT_EQ(fastest_backend(options, "NEON"), "libtorch");  // not measured
  options.precision = Precision::bf16;
  for (const char* target : {"AVX3+BF16", "SSE4", "NEON"})
    EXPECT_EQ(fastest_backend(options, target), "own") << target;
  options.operator_threads = 2;
  EXPECT_EQ(fastest_backend(options, "AVX3+AMX"), "libtorch");
  options.operator_threads = 1;
  options.device = "cuda";
  EXPECT_EQ(fastest_backend(options, "AVX3+AMX"), "libtorch");
}

TEST(NetworkOptions, ResultsWithoutABackendMeanTheSameOnEveryCpu) {
  NetworkOptions options;
  options.model = "resnet18";
  EXPECT_FALSE(is_fused_resnet18(options));
  options.precision = Precision::bf16;
  EXPECT_TRUE(is_fused_resnet18(options));
  options.operator_threads = 2;
  EXPECT_FALSE(is_fused_resnet18(options));
}

TEST(NetworkOptions, RefuseNetworksThatNoComputerHolds) {
  EXPECT_EQ(refusal_of([](auto& o) { o.hidden = {16384, 16384}; }), "(accepted)");
  EXPECT_EQ(refusal_of([](auto& o) {
              o.hidden = {65536, 65536};
            }),
            "`hidden` 65536,65536 makes a network of 4295 million weights, and at most 1000 "
            "million are possible");
  EXPECT_THAT(refusal_of([](auto& o) { o.hidden.assign(100'000, 65536); }),
              HasSubstr("`hidden` of 100000 layers makes"));
  EXPECT_EQ(refusal_of([](auto& o) { o.model = "resnet18", o.width = 512; }), "(accepted)");
  EXPECT_THAT(refusal_of([](auto& o) { o.model = "resnet18", o.width = 1024; }),
              HasSubstr("`width` 1024 makes a network of 2"));
  EXPECT_EQ(refusal_of([](auto& o) { o.model = "convnet", o.width = 1024; }), "(accepted)");
  NetworkOptions wide;
  wide.hidden = {1000};
  EXPECT_NO_THROW(check_weights(wide, {3, 64, 64}, 10));
  EXPECT_THROW(check_weights(wide, {3, 1024, 1024}, 10), OptionError) << "by its inputs";
}

TEST(NetworkOptions, SayHowManyWeightsTheNetworkHasAtLeast) {
  NetworkOptions options;
  EXPECT_EQ(least_weights(options, {1, 28, 28}, 10), 89'610u) << "784-100-100-10";
  options.hidden = {};
  EXPECT_EQ(least_weights(options, {1, 28, 28}, 10), 7'850u);
  options.model = "resnet18";
  const std::uint64_t resnet18 = least_weights(options, {3, 32, 32}, 10);
  EXPECT_LE(resnet18, 11'173'962u) << "with the parameters of batch normalisation";
  EXPECT_GE(resnet18, 11'150'000u);
  options.model = "own.pt";
  EXPECT_EQ(least_weights(options, {3, 32, 32}, 10), 0u) << "only the file says";
}

TEST(NetworkOptions, OfFilesOfOneNameAreToldApart) {
  const testing::TemporaryFolder folder;
  NetworkOptions options;
  options.model = (folder.path() / "own.pt").string();
  std::ofstream(options.model) << "a";
  EXPECT_EQ(identified(options).model_fingerprint, "1-af63dc4c8601ec8c");  // FNV-1a of "a"
  std::ofstream(options.model) << "b";
  EXPECT_NE(identified(options).model_fingerprint, "1-af63dc4c8601ec8c");
  options.model = "no such.pt";
  EXPECT_THROW(identified(options), DataError);
  options.model = (folder.path() / "pipe.pt").string();
  ASSERT_EQ(mkfifo(options.model.c_str(), 0600), 0);
  EXPECT_THROW(identified(options), DataError) << "reading it may wait for ever";
}

TEST(NetworkOptions, OfAFileAreThoseOfAllFiles) {
  EXPECT_EQ(find_option(options_of_model("own.pt"), "width"), nullptr);
  EXPECT_NE(find_option(options_of_model("own.pt"), "device"), nullptr);
  EXPECT_NE(find_option(options_of_model("resnet18"), "width"), nullptr);
  EXPECT_THROW(options_of_model("vgg"), UnknownName);
}

}  // namespace network_options_test
}  // namespace gps
