// gpscl data: public sets from a server on this machine into a cache of the test's own.
#include <gmock/gmock.h>

#include <csignal>
#include <nlohmann/json.hpp>
#include <thread>

#include "apps/program.h"
#include "gps/benchmarks/benchmark.h"
#include "gps/data/sets/published_sets.h"
#include "support/http_server.h"
#include "support/temporary_folder.h"
#include "support/tiny_sets.h"

namespace gps {
namespace data_command_test {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using testing::gpscl;
using ::testing::HasSubstr;
using testing::HttpReply;
using testing::HttpRequest;
using testing::HttpServer;
using testing::lines_of;
using ::testing::MatchesRegex;
using ::testing::Not;
using testing::Outcome;
using testing::Program;
using testing::ProgramOptions;
using ::testing::StartsWith;
using testing::whole_or_rest;
namespace fs = std::filesystem;

class DataCommand : public ::testing::Test {
 protected:
  // Seconds that a download may stall, longer than a test may take: a machine may stand still for a
  // while.
  static constexpr const char* kDay = "86400";

  fs::path path(const std::string& name) const { return folder_.path() / name; }

  Outcome data(std::vector<std::string> arguments) const {
    const bool has_timeout =
        std::find(arguments.begin(), arguments.end(), "--timeout") != arguments.end();
    if (!arguments.empty() && arguments[0] == "get" && !has_timeout)
      arguments.insert(arguments.end(), {"--timeout", kDay});
    arguments.insert(arguments.begin(), "data");
    return gpscl(arguments, options);
  }

  // One line, and nothing else.
  std::string refusal(const std::vector<std::string>& arguments, int exit_code) const {
    const Outcome outcome = data(arguments);
    EXPECT_EQ(outcome.exit_code, exit_code) << join(arguments, " ") << "\n" << outcome.err;
    EXPECT_EQ(lines_of(outcome.err).size(), 1u) << outcome.err;
    EXPECT_THAT(outcome.err, StartsWith("gpscl: "));
    return outcome.err;
  }

 private:
  testing::TemporaryFolder folder_{testing::in_memory()};

 protected:
  ProgramOptions options{.cache = folder_.path() / "cache"};
  const fs::path cache = folder_.path() / "cache" / "gpscl";
};

TEST_F(DataCommand, RefusesWhatItDoesNotKnow) {
  const std::string known = "mnist, fashion-mnist, cifar-10, cifar-100, tiny-imagenet";
  EXPECT_THAT(refusal({}, 2), HasSubstr("known: list, get, verify, where, rm"));
  EXPECT_THAT(refusal({"fetch"}, 2), HasSubstr("'fetch'; known: list, get, verify, where, rm"));
  EXPECT_THAT(refusal({"get"}, 2), HasSubstr("no data set given; known: " + known));
  EXPECT_THAT(refusal({"get", "mnist", "cifar"}, 2), HasSubstr("'cifar'; known: " + known));
  EXPECT_THAT(refusal({"rm"}, 2), HasSubstr(known));
  EXPECT_THAT(refusal({"list", "mnist"}, 2), HasSubstr("takes no 'mnist'"));
  EXPECT_THAT(refusal({"verify", "mnist", "--json"}, 2), HasSubstr("verify takes no --json"));
  EXPECT_THAT(refusal({"list", "--force"}, 2), HasSubstr("takes no --force; it takes --json"));
  EXPECT_THAT(refusal({"get", "mnist", "--mirror", "/data"}, 2), HasSubstr("--mirror '/data'"));
  for (const char* seconds : {"0", "nan", "inf", "1e9"})
    EXPECT_THAT(refusal({"get", "mnist", "--timeout", seconds}, 2), HasSubstr("--timeout must be"));
  EXPECT_FALSE(fs::exists(path("cache")));
}

TEST_F(DataCommand, ListsEverySetForPeopleAndForScripts) {
  const std::string text = data({"list"}).out;
  const Outcome outcome = data({"list", "--json"});
  ASSERT_EQ(outcome.exit_code, 0);
  const auto json = nlohmann::json::parse(outcome.out);
  ASSERT_EQ(json.size(), published_sets().size());
  for (std::size_t k = 0; k < json.size(); ++k) {
    const PublishedSet& set = published_sets()[k];
    EXPECT_THAT(text, HasSubstr("\n" + set.name + " "));
    EXPECT_EQ(json[k]["name"], set.name);
    EXPECT_EQ(json[k]["bytes"], set.bytes());
    EXPECT_EQ(json[k]["terms"], set.terms);
    EXPECT_EQ(json[k]["sources"].size(), set.sources.size());
    EXPECT_EQ(json[k]["installed"], false);
  }
}

TEST_F(DataCommand, SaysWhereASetLiesAndWhichPlaceThatIs) {
  options.data = path("mine");
  testing::write_tiny_mnist(path("mine"));
  testing::write_tiny_cifar_10(cache);
  testing::write_file(path("option/cifar-100-binary.tar.gz"), "x");
  EXPECT_THAT(data({"where", "mnist"}).out,
              HasSubstr(path("mine/mnist").string() + "   $GPSCL_DATA"));
  const Outcome outcome = data({"where", "--json", "--data", path("option").string()});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const auto json = nlohmann::json::parse(outcome.out);
  EXPECT_EQ(json["mnist"]["place"], "$GPSCL_DATA");
  EXPECT_EQ(json["cifar-10"]["path"], (cache / "cifar-10-batches-bin").string());
  EXPECT_EQ(json["cifar-10"]["place"], "the user's cache");
  EXPECT_EQ(json["cifar-100"]["path"], path("option/cifar-100-binary.tar.gz").string());
  EXPECT_EQ(json["cifar-100"]["place"], "--data");
  EXPECT_TRUE(json["tiny-imagenet"]["path"].is_null());
  EXPECT_THAT(refusal({"where", "tiny-imagenet"}, 1),
              HasSubstr("get it with: gpscl data get tiny-imagenet;"));
}

TEST_F(DataCommand, ARunWithoutItsDataNamesTheCommandThatGetsIt) {
  for (const std::string& benchmark : names(benchmark_catalog())) {
    std::string set = benchmark;
    if (set.starts_with("p-") || set.starts_with("s-")) set = set.substr(2);
    const auto& sets = published_sets();
    const bool is_public = std::any_of(sets.begin(), sets.end(),
                                       [&](const PublishedSet& each) { return each.name == set; });
    if (!is_public || fs::exists("/usr/share/datasets/" + set)) continue;
    const Outcome outcome =
        gpscl({"run", benchmark, "--out", path("out").string()}, {.cache = path("cache")});
    EXPECT_EQ(outcome.exit_code, 1);
    EXPECT_THAT(outcome.err, HasSubstr("; get it with: gpscl data get " + set + "; "));
  }
}

TEST_F(DataCommand, NamesAMirrorThatHasNothingAndItsReason) {
  const HttpServer server(std::map<std::string, std::string>{});
  const Outcome outcome = data({"get", "cifar-10", "mnist", "--mirror", server.url()});
  EXPECT_EQ(outcome.exit_code, 1);
  const std::vector<std::string> lines = lines_of(outcome.err);
  ASSERT_EQ(lines.size(), 2u) << outcome.err;
  EXPECT_THAT(lines[0], AllOf(HasSubstr(server.url() + "/cifar-10/cifar-10-binary.tar.gz: "),
                              HasSubstr("404")));
  EXPECT_THAT(lines[1], HasSubstr(server.url() + "/mnist/train-images-idx3-ubyte.gz: "));
  EXPECT_FALSE(fs::exists(cache / "mnist"));
}

TEST_F(DataCommand, NeedsACacheThatCanBeWritten) {
  testing::write_file(path("cache"), "in the way");
  const Outcome outcome = data({"get", "mnist"});
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_THAT(outcome.err, AllOf(StartsWith("gpscl: " + cache.string()),
                                 HasSubstr("$XDG_CACHE_HOME names another folder")));
}

TEST_F(DataCommand, VerifiesAndRemovesNothingThatItDidNotGet) {
  EXPECT_THAT(refusal({"verify"}, 1), HasSubstr("no data set is installed here"));
  EXPECT_THAT(refusal({"verify", "mnist"}, 1), HasSubstr("gpscl data get mnist"));
  EXPECT_THAT(refusal({"rm", "mnist"}, 1), HasSubstr("did not install mnist here"));
  testing::write_tiny_mnist(cache);
  EXPECT_THAT(refusal({"rm", "mnist"}, 1), HasSubstr("was not installed by gpscl data get"));
  const Outcome there = data({"get", "mnist"});
  EXPECT_EQ(there.exit_code, 0);
  EXPECT_THAT(there.out, AllOf(HasSubstr("already exists and was not installed by gpscl"),
                               HasSubstr((cache / "mnist").string())));
  EXPECT_TRUE(fs::exists(cache / "mnist" / "train-images-idx3-ubyte"));
}

TEST_F(DataCommand, VerifiesSetsWhereTheyAreFound) {
  testing::write_tiny_mnist(path("mine"));
  fs::create_directories(path("mine") / "cifar-10-batches-bin");
  testing::write_file(path("other") / "cifar-10-binary.tar.gz", "not the archive");
  const std::string in_option = refusal({"verify", "mnist", "--data", path("mine").string()}, 1);
  EXPECT_THAT(in_option, AllOf(HasSubstr((path("mine") / "mnist").string()),
                               HasSubstr("is not the published train-images-idx3-ubyte.gz")));
  options.data = path("mine");
  EXPECT_EQ(refusal({"verify", "mnist"}, 1), in_option);
  const Outcome all = data({"verify"});
  EXPECT_EQ(all.exit_code, 1);
  EXPECT_THAT(all.err, AllOf(HasSubstr((path("mine") / "mnist").string()),
                             HasSubstr((path("mine") / "cifar-10-batches-bin").string())));
  options.data = path("other");
  EXPECT_THAT(refusal({"verify", "cifar-10"}, 1),
              AllOf(HasSubstr((path("other") / "cifar-10-binary.tar.gz").string()),
                    HasSubstr("is not the published cifar-10-binary.tar.gz")));
}

// Real data, as a mirror has it: Fashion-MNIST out of Debian's package.
class FashionMirror : public DataCommand {
 protected:
  void SetUp() override {
    for (const PublishedFile& file : published_set("fashion-mnist").files) {
      const fs::path found = fs::path("/usr/share/datasets/fashion-mnist") / file.name;
      if (!fs::exists(found))
        GTEST_SKIP()
            << "not checked: downloads of real files; to check: install dataset-fashion-mnist";
      files["/fashion-mnist/" + file.name] = testing::read_file(found);
    }
  }

  std::vector<std::string> names_in(const fs::path& folder) const {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder))
      names.push_back(entry.path().filename().string());
    std::sort(names.begin(), names.end());
    return names;
  }

  const std::string images = "/fashion-mnist/train-images-idx3-ubyte.gz";
  std::map<std::string, std::string> files;
};

TEST_F(FashionMirror, IsGotVerifiedUsedAndRemoved) {
  const HttpServer server(files);
  const Outcome first = data({"get", "fashion-mnist", "--mirror", server.url()});
  ASSERT_EQ(first.exit_code, 0) << first.err;
  const std::vector<std::string> lines = lines_of(first.out);
  EXPECT_THAT(lines.front(), HasSubstr("Fashion-MNIST: garments"));
  EXPECT_THAT(first.out, AllOf(HasSubstr("\n  origin  Han Xiao"), HasSubstr("\n  terms   MIT")));
  EXPECT_EQ(lines.back(), "fashion-mnist: is now in " + (cache / "fashion-mnist").string());
  EXPECT_THAT(first.err, HasSubstr("downloading train-images-idx3-ubyte.gz from 127.0.0.1"));
  EXPECT_THAT(first.err, HasSubstr(": 50 %, 13.2 MB of 26.4 MB"));

  const Outcome second = data({"get", "fashion-mnist", "--mirror", server.url()});
  EXPECT_EQ(second.exit_code, 0);
  EXPECT_EQ(second.err, "");
  EXPECT_THAT(second.out, AllOf(StartsWith("fashion-mnist: is already installed in "),
                                HasSubstr("--force"), Not(HasSubstr("terms"))));
  EXPECT_EQ(server.requests().size(), 4u);

  EXPECT_THAT(data({"verify"}).out, StartsWith("fashion-mnist: all checksums are correct"));
  EXPECT_EQ(nlohmann::json::parse(
                data({"where", "fashion-mnist", "--json"}).out)["fashion-mnist"]["place"],
            "the user's cache");
  const Outcome run = gpscl({"run", "p-fashion-mnist", "--tasks", "1", "--examples-per-task", "10",
                             "--epochs", "1", "--hidden", "8", "--out", path("out").string()},
                            options);
  EXPECT_EQ(run.exit_code, 0) << run.err;

  fs::resize_file(cache / "fashion-mnist" / "t10k-labels-idx1-ubyte.gz", 100);
  const Outcome damaged = data({"verify", "fashion-mnist"});
  EXPECT_EQ(damaged.exit_code, 1);
  EXPECT_THAT(lines_of(damaged.err).back(),
              AllOf(HasSubstr("t10k-labels-idx1-ubyte.gz: was changed"),
                    HasSubstr("; download it again with: gpscl data get fashion-mnist --force")));
  EXPECT_EQ(data({"get", "fashion-mnist", "--force", "--mirror", server.url()}).exit_code, 0);
  EXPECT_EQ(data({"verify", "fashion-mnist"}).exit_code, 0);

  EXPECT_THAT(data({"rm", "fashion-mnist"}).out, "fashion-mnist: removed, 30.9 MB freed\n");
  EXPECT_THAT(names_in(cache), ElementsAre("downloads"));
}

TEST_F(FashionMirror, MayComeFromTheEnvironment) {
  const HttpServer server(files);
  options.environment = {"GPSCL_MIRROR=" + server.url()};
  EXPECT_EQ(data({"get", "fashion-mnist"}).exit_code, 0);
  EXPECT_EQ(server.requests().size(), 4u);
  options.environment = {"GPSCL_MIRROR=nonsense"};
  EXPECT_THAT(refusal({"get", "fashion-mnist"}, 2), HasSubstr("'nonsense'"));
}

TEST_F(FashionMirror, ShowsABarOnATerminal) {
  const HttpServer server(files);
  options.err_is_terminal = true;
  const Outcome outcome = data({"get", "fashion-mnist", "--mirror", server.url()});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_THAT(outcome.err, MatchesRegex("(.|\n|\r)*[█░]+ +[0-9]+ %  downloading train-images-idx3"
                                        "-ubyte.gz from 127(.|\n|\r)* of 26.4 MB(.|\n|\r)*"));
  EXPECT_THAT(outcome.err, EndsWith("\r\033[K"));
}

TEST_F(FashionMirror, ThatIsDamagedIsNamedAndNotInstalled) {
  files[images][1'000'000] ^= 1;
  const HttpServer server(files);
  const Outcome outcome = data({"get", "fashion-mnist", "--mirror", server.url()});
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_THAT(lines_of(outcome.err).back(),
              AllOf(HasSubstr(server.url() + images), HasSubstr("is damaged")));
  EXPECT_FALSE(fs::exists(cache / "fashion-mnist"));
}

TEST_F(FashionMirror, AKilledGetLeavesOnlyWhatTheNextGoesOnFrom) {
  constexpr std::size_t kFirst = 10'000'000;
  {
    const HttpServer stalling([&](const HttpRequest& request) {
      HttpReply reply = whole_or_rest(request, files.at(request.path));
      reply.sent = kFirst;
      reply.then = HttpReply::Then::stalls;
      return reply;
    });
    // The server sends no more, and the program waits for a day: the file comes to this size, soon
    // or late, and stays as it is.
    Program program({"data", "get", "fashion-mnist", "--mirror", stalling.url(), "--timeout", kDay},
                    options);
    const fs::path part = cache / "downloads/fashion-mnist/train-images-idx3-ubyte.gz.part";
    std::error_code missing;
    while (fs::file_size(part, missing) != kFirst && program.is_running())
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    program.send(SIGKILL);
    EXPECT_EQ(program.finish().exit_code, -1);
    ASSERT_EQ(fs::file_size(part), kFirst);
  }
  EXPECT_FALSE(fs::exists(cache / "fashion-mnist"));
  // Debian's package may have the set as well.
  EXPECT_THAT(data({"verify", "fashion-mnist"}).out, Not(HasSubstr(cache.string())));
  const HttpServer server(files);
  EXPECT_EQ(data({"get", "fashion-mnist", "--mirror", server.url()}).exit_code, 0);
  EXPECT_EQ(server.requests().front().from, kFirst);
  EXPECT_EQ(data({"verify", "fashion-mnist"}).exit_code, 0);
}

TEST_F(FashionMirror, AnInterruptedGetSaysThatItGoesOn) {
  const HttpServer stalling([&](const HttpRequest& request) {
    HttpReply reply = whole_or_rest(request, files.at(request.path));
    reply.sent = 100'000;
    reply.then = HttpReply::Then::stalls;
    return reply;
  });
  Program program({"data", "get", "fashion-mnist", "--mirror", stalling.url(), "--timeout", kDay},
                  options);
  EXPECT_TRUE(program.wait_for("downloading", 1));
  program.send(SIGINT);
  const Outcome outcome = program.finish();
  EXPECT_EQ(outcome.exit_code, 130);
  EXPECT_THAT(lines_of(outcome.err).back(), HasSubstr("run the same command to continue"));
}

TEST_F(FashionMirror, AServerThatStallsIsGivenUp) {
  const HttpServer stalling([&](const HttpRequest&) {
    return HttpReply{.body = "x", .announced = 100, .sent = 0, .then = HttpReply::Then::stalls};
  });
  // The time runs from the moment of the connection, for which $GPSCL_PATIENCE leaves a day, and
  // the server never sends a byte of the file: however slow the machine is, more than 0.2 seconds
  // pass with 0 bytes.
  const Outcome outcome =
      data({"get", "fashion-mnist", "--mirror", stalling.url(), "--timeout", "0.2"});
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_THAT(outcome.err, HasSubstr("sent 0 bytes in 0.2 seconds"));
}

TEST_F(FashionMirror, TwoAtOnceDownloadItOnce) {
  const HttpServer server(files);
  const std::vector<std::string> call = {
      "data", "get", "fashion-mnist", "--mirror", server.url(), "--timeout", kDay};
  Program one(call, options);
  Program two(call, options);
  const Outcome first = one.finish();
  const Outcome second = two.finish();
  EXPECT_EQ(first.exit_code, 0) << first.err;
  EXPECT_EQ(second.exit_code, 0) << second.err;
  EXPECT_EQ(server.requests().size(), 4u);
}

}  // namespace data_command_test
}  // namespace gps
