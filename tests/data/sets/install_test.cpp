#include "gps/data/sets/install.h"

#include <fcntl.h>
#include <gmock/gmock.h>

#include <cstdio>
#include <future>
#include <latch>

#include "gps/data/readers/cifar.h"
#include "gps/data/sets/locate.h"
#include "support/environment.h"
#include "support/http_server.h"
#include "support/served_sets.h"
#include "support/traced_child.h"

namespace gps {
namespace install_test {

using ::testing::AllOf;
using testing::ArchiveEntry;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::HttpReply;
using testing::HttpRequest;
using testing::HttpServer;
using ::testing::IsEmpty;
using testing::LocalPort;
using ::testing::Not;
using testing::served_archive;
using testing::ServedSet;
using testing::whole_or_rest;
using Then = HttpReply::Then;
namespace fs = std::filesystem;

class Install : public ::testing::Test {
 protected:
  std::string error(const PublishedSet& set) {
    try {
      install(set, cache, options, hooks);
    } catch (const DataError& refusal) {
      EXPECT_FALSE(is_installed(set, cache));
      EXPECT_FALSE(fs::exists(cache / set.folder));
      EXPECT_FALSE(fs::exists(cache / "downloads" / set.name / "unpacking"));
      return refusal.what();
    }
    return "no error";
  }

  std::string flaw(const PublishedSet& set) {
    try {
      verify_installed(set, cache, {});
    } catch (const DataError& refusal) {
      return refusal.what();
    }
    return "no error";
  }

  static std::vector<std::string> names_in(const fs::path& place) {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(place))
      names.push_back(entry.path().filename().string());
    std::sort(names.begin(), names.end());
    return names;
  }

  static PublishedSet with_sources(const ServedSet& served, std::vector<std::string> sources) {
    PublishedSet set = served.set;
    set.sources = std::move(sources);
    return set;
  }

  testing::TemporaryFolder folder{testing::in_memory()};
  fs::path cache = folder.path() / "gpscl";
  double clock_time = 0;  // seconds; time stands still unless a test lets it pass
  InstallOptions options{
      .mirror = "",
      .anew = false,
      .download = {.connect = std::chrono::hours(1),  // of libcurl's own time: no limit
                   .stall = std::chrono::milliseconds(300),
                   .clock = [this] { return clock_time; }}};
  LoadHooks hooks;
  ServedSet cifar = testing::served_tiny_cifar_10();
  ServedSet mnist = testing::served_tiny_mnist();
};

TEST_F(Install, PutsAnArchivesFolderWhereBenchmarksLook) {
  const HttpServer server(cifar.below("/a/"));
  const PublishedSet set = with_sources(cifar, {server.url() + "/a/"});
  EXPECT_TRUE(install(set, cache, options, hooks));
  EXPECT_TRUE(is_installed(set, cache));
  const testing::Environment variable("XDG_CACHE_HOME", folder.path().string());
  const testing::Environment none("GPSCL_DATA", std::nullopt);
  EXPECT_EQ(locate(set, {}, {}), cache / "cifar-10-batches-bin");
  EXPECT_EQ(find_set(set, {})->place, "the user's cache");
  EXPECT_EQ(read_cifar_10(locate(set, {}, {})).train.size(), 50u);
  EXPECT_THAT(names_in(cache), ElementsAre("cifar-10-batches-bin", "downloads"));
  EXPECT_THAT(names_in(cache / "downloads"), ElementsAre("cifar-10.lock"));
  EXPECT_EQ(flaw(set), "no error");
}

TEST_F(Install, PutsLooseFilesWhereBenchmarksLook) {
  const HttpServer server(mnist.below("/"));
  const PublishedSet set = with_sources(mnist, {server.url() + "/"});
  EXPECT_TRUE(install(set, cache, options, hooks));
  const testing::Environment variable("XDG_CACHE_HOME", folder.path().string());
  const testing::Environment none("GPSCL_DATA", std::nullopt);
  EXPECT_EQ(load_mnist_like("mnist", {}).train.size(), 400u);
  EXPECT_EQ(flaw(set), "no error");
}

TEST_F(Install, OpensTinyImagenetWithItsReader) {
  testing::write_tiny_imagenet(folder.path() / "made", 200, 1);
  const fs::path tree = folder.path() / "made" / "tiny-imagenet-200";
  const ServedSet good =
      served_archive("tiny-imagenet", testing::entries_of(tree, &testing::read_file));
  fs::remove(tree / "val" / "images" / "val_7.JPEG");
  const ServedSet bad =
      served_archive("tiny-imagenet", testing::entries_of(tree, &testing::read_file));
  const HttpServer server(good.below("/good/"));
  const HttpServer other(bad.below("/bad/"));
  EXPECT_THAT(error(with_sources(bad, {other.url() + "/bad/"})), HasSubstr("val_7.JPEG"));
  EXPECT_EQ(error(with_sources(good, {server.url() + "/good/"})), "no error");
  EXPECT_EQ(flaw(good.set), "no error");
}

TEST_F(Install, DoesNothingTwiceUnlessAskedTo) {
  const HttpServer server(cifar.below("/"));
  const PublishedSet set = with_sources(cifar, {server.url() + "/"});
  EXPECT_TRUE(install(set, cache, options, hooks));
  EXPECT_FALSE(install(set, cache, options, hooks));
  EXPECT_EQ(server.requests().size(), 1u);
  options.anew = true;
  fs::remove(cache / set.folder / "test_batch.bin");
  EXPECT_TRUE(install(set, cache, options, hooks));
  EXPECT_EQ(server.requests().size(), 2u);
  EXPECT_EQ(flaw(set), "no error");
}

TEST_F(Install, AnewIsThereAllTheTime) {
  const fs::path one = folder.path() / "one", other = folder.path() / "other";
  fs::create_directories(one);
  fs::create_directories(other);
  if (renameat2(AT_FDCWD, one.c_str(), AT_FDCWD, other.c_str(), RENAME_EXCHANGE) != 0)
    GTEST_SKIP()
        << "not checked: a set is there while it is got anew; to check: run with TMPDIR, or "
           "/dev/shm, on a file system that can exchange folders, such as ext4 or tmpfs";
  if (!testing::can_trace())
    GTEST_SKIP() << testing::not_traced("a set is there while it is got anew");
  // The archive has come already, so nothing needs to be fetched.
  const PublishedSet& set = cifar.set;
  const fs::path archive = cache / "downloads" / set.name / set.archive();
  testing::write_file(archive, cifar.files.begin()->second);
  install(set, cache, options, hooks);
  testing::write_file(archive, cifar.files.begin()->second);
  testing::write_file(cache / set.folder / "test_batch.bin", "the old one");
  options.anew = true;
  std::size_t missed = 0;
  std::size_t calls = 0;
  const auto look = [&] {
    ++calls;
    missed += is_installed(set, cache) ? 0 : 1;
    return true;
  };
  EXPECT_EQ(testing::trace_child([&] { install(set, cache, options, hooks); }, look), 0);
  EXPECT_EQ(missed, 0u) << "of " << calls << " looks, one before each system call";
  EXPECT_EQ(flaw(set), "no error");
  EXPECT_THAT(names_in(cache), ElementsAre("cifar-10-batches-bin", "downloads"));
  EXPECT_THAT(names_in(cache / "downloads"), ElementsAre("cifar-10.lock"));
}

TEST_F(Install, RemovesWhatAKilledProcessLeftOfTheSet) {
  const HttpServer server(cifar.below("/"));
  const PublishedSet set = with_sources(cifar, {server.url() + "/"});
  install(set, cache, options, hooks);
  testing::write_file(cache / "downloads" / "cifar-10" / set.archive(), "left");
  testing::write_file(cache / "downloads" / "cifar-100" / "another.part", "of another set");
  EXPECT_FALSE(install(set, cache, options, hooks));
  EXPECT_THAT(names_in(cache / "downloads"), ElementsAre("cifar-10.lock", "cifar-100"));
}

TEST_F(Install, TriesTheSourcesInTurn) {
  std::map<std::string, std::string> files = cifar.below("/good/");
  files["/damaged/" + cifar.set.archive()] = std::string(cifar.set.bytes(), 'x');
  files["/short/" + cifar.set.archive()] = "short";
  files["/long/" + cifar.set.archive()] = cifar.files.begin()->second + "x";
  const HttpServer stalling([&](const HttpRequest&) {
    return HttpReply{.body = "x", .announced = 10, .sent = 0, .then = Then::stalls};
  });
  const HttpServer server(files);
  std::vector<std::string> told;
  hooks.progress = [&](const LoadProgress& progress) {
    if (progress.what.find("next source") != std::string::npos) told.push_back(progress.what);
  };
  // Time passes only while the second source is asked.
  options.download.clock = [&] { return told.size() == 1 ? clock_time += 0.125 : clock_time; };
  const LocalPort nobody_listens;
  const std::string url = server.url();
  const PublishedSet set = with_sources(
      cifar, {nobody_listens.url() + "/", stalling.url() + "/", url + "/missing/",
              url + "/damaged/", url + "/short/", url + "/long/", url + "/good/", url + "/never/"});
  EXPECT_TRUE(install(set, cache, options, hooks));
  ASSERT_EQ(told.size(), 6u);
  EXPECT_THAT(told[1], HasSubstr("sent 0 bytes in 0.3 seconds"));
  EXPECT_THAT(told[2], HasSubstr("404"));
  EXPECT_THAT(told[3], HasSubstr("is damaged: its SHA-256 is "));
  EXPECT_THAT(told[4], HasSubstr("has 5 bytes; expected "));
  EXPECT_THAT(told[5], HasSubstr("sends more than "));
  EXPECT_THAT(server.requests().back().path, HasSubstr("/good/"));
}

TEST_F(Install, NamesEverySourceThatFailed) {
  const HttpServer server(std::map<std::string, std::string>{});
  const std::string message =
      error(with_sources(cifar, {server.url() + "/a/", server.url() + "/b/"}));
  EXPECT_THAT(message, AllOf(HasSubstr("cifar-10-binary.tar.gz of CIFAR-10 cannot be downloaded: "),
                             HasSubstr(server.url() + "/a/cifar-10-binary.tar.gz: "),
                             HasSubstr(server.url() + "/b/cifar-10-binary.tar.gz: "),
                             HasSubstr("404"), HasSubstr("`mirror`")));
  EXPECT_THAT(message, Not(HasSubstr("\n")));
}

TEST_F(Install, AMirrorIsTheOnlySource) {
  const HttpServer mirror(mnist.below("/data/mnist/"));
  const HttpServer server(mnist.below("/"));
  const PublishedSet set = with_sources(mnist, {server.url() + "/"});
  for (const std::string& url : {mirror.url() + "/data", mirror.url() + "/data/"}) {
    options.mirror = url;
    options.anew = true;
    EXPECT_TRUE(install(set, cache, options, hooks));
  }
  remove_installed(set, cache, {});
  options.mirror = mirror.url() + "/elsewhere";
  EXPECT_THAT(error(set), AllOf(HasSubstr(options.mirror + "/mnist/train-images-idx3-ubyte.gz: "),
                                HasSubstr("404"), Not(HasSubstr(server.url()))));
  EXPECT_THAT(server.requests(), IsEmpty());
}

TEST_F(Install, RefusesAMirrorThatIsNoWebAddress) {
  for (const std::string mirror : {"file:///data", "ftp://x/", "/data", "127.0.0.1:80"}) {
    options.mirror = mirror;
    EXPECT_THROW(install(cifar.set, cache, options, hooks), UsageError) << mirror;
  }
  EXPECT_FALSE(fs::exists(cache));
}

TEST_F(Install, TellsNobodyAMirrorsPassword) {
  const HttpServer server({{"/cifar-10/" + cifar.set.archive(), "something else"}});
  options.mirror = "http://me:secret@" + server.url().substr(7);
  EXPECT_THAT(error(cifar.set), AllOf(HasSubstr(server.url() + "/cifar-10/"),
                                      HasSubstr("has 14 bytes"), Not(HasSubstr("secret"))));
  options.mirror = "ftp://me:secret@host";
  try {
    validate(options);
    FAIL();
  } catch (const UsageError& refusal) {
    EXPECT_THAT(refusal.what(), AllOf(HasSubstr("'ftp://host'"), Not(HasSubstr("secret"))));
  }
}

TEST_F(Install, TakesFilesThatWereGzippedAnewOrNotAtAll) {
  ServedSet other = mnist;
  for (auto& [name, bytes] : other.files) bytes = testing::gzipped(bytes, 0);  // twice: not these
  const HttpServer wrong(other.below("/"));
  EXPECT_THAT(error(with_sources(other, {wrong.url() + "/"})), HasSubstr("content's SHA-256"));

  testing::write_tiny_mnist(folder.path() / "made");
  for (auto& [name, bytes] : other.files) {
    const auto plain = folder.path() / "made" / "mnist" / name.substr(0, name.size() - 3);
    bytes = testing::gzipped(testing::read_file(plain), 9);
  }
  const HttpServer right(other.below("/"));
  EXPECT_EQ(error(with_sources(other, {right.url() + "/"})), "no error");
}

TEST_F(Install, GoesOnWhereADownloadBrokeOff) {
  const std::string& archive = cifar.files.begin()->second;
  const std::size_t half = archive.size() / 2;
  StopFlag stop;
  hooks.stop = &stop;
  hooks.progress = [&](const LoadProgress& now) {
    if (now.done >= half) stop.request();
  };
  {
    const HttpServer server([&](const HttpRequest&) {
      return HttpReply{.body = archive, .sent = half, .then = Then::stalls};
    });
    EXPECT_THROW(install(with_sources(cifar, {server.url() + "/"}), cache, options, hooks),
                 Interrupted);
  }
  EXPECT_FALSE(is_installed(cifar.set, cache));
  const HttpServer server(cifar.below("/"));
  EXPECT_TRUE(install(with_sources(cifar, {server.url() + "/"}), cache, options, {}));
  EXPECT_EQ(server.bytes_sent(), archive.size() - half);
  EXPECT_EQ(flaw(cifar.set), "no error");
}

TEST_F(Install, AsksASourceAgainThatBreaksOffAsLongAsItBringsSomething) {
  const std::string& archive = cifar.files.begin()->second;
  const HttpServer server([&](const HttpRequest& request) {
    HttpReply reply = whole_or_rest(request, archive);
    reply.sent = archive.size() / 3 + 1;
    return reply;
  });
  EXPECT_TRUE(install(with_sources(cifar, {server.url() + "/"}), cache, options, hooks));
  EXPECT_EQ(server.requests().size(), 3u);
  EXPECT_EQ(server.bytes_sent(), archive.size());
}

TEST_F(Install, StartsAnewWhereTheBeginningWasOfSomethingElse) {
  const fs::path work = cache / "downloads" / "cifar-10";
  testing::write_file(work / "cifar-10-binary.tar.gz.part", "the beginning of something else");
  testing::write_file(work / "unpacking" / "cifar-10-batches-bin" / "data_batch_1.bin", "half");
  const HttpServer server(cifar.below("/"));
  EXPECT_TRUE(install(with_sources(cifar, {server.url() + "/"}), cache, options, hooks));
  EXPECT_EQ(flaw(cifar.set), "no error");
}

TEST_F(Install, IsNotBlockedByABeginningThatTheOnlyServerCannotGoOnFrom) {
  const std::string& archive = cifar.files.begin()->second;
  testing::write_file(cache / "downloads" / "cifar-10" / "cifar-10-binary.tar.gz.part",
                      archive.substr(0, 100));
  const HttpServer server([&](const HttpRequest& request) -> HttpReply {
    if (!request.from) return {.body = archive};
    return {.status = 206, .body = archive, .headers = {"Content-Range: bytes 0-9/10"}};
  });
  options.mirror = server.url();
  EXPECT_TRUE(install(cifar.set, cache, options, hooks));
  EXPECT_EQ(flaw(cifar.set), "no error");
}

TEST_F(Install, ChecksAFileAgainThatArrivedWholeBefore) {
  const fs::path whole = cache / "downloads" / "cifar-10" / "cifar-10-binary.tar.gz";
  testing::write_file(whole, std::string(cifar.set.bytes(), 'x'));
  const HttpServer server(cifar.below("/"));
  const PublishedSet set = with_sources(cifar, {server.url() + "/"});
  EXPECT_TRUE(install(set, cache, options, hooks));
  EXPECT_EQ(server.requests().size(), 1u);
  remove_installed(set, cache, {});
  testing::write_file(whole, cifar.files.begin()->second);
  EXPECT_TRUE(install(set, cache, options, hooks));
  EXPECT_EQ(server.requests().size(), 1u) << "it was there, and right";
}

// An archive whose sum is right, but which is not to be trusted.
TEST_F(Install, RefusesHostileArchives) {
  const ArchiveEntry good{"cifar-10-batches-bin/data_batch_1.bin", "x"};
  const std::vector<std::pair<std::vector<ArchiveEntry>, std::string>> cases = {
      {{good, {"../escaped", "x"}}, "outside the folder"},
      {{good, {"cifar-10-batches-bin/../../escaped", "x"}}, "outside the folder"},
      {{good, {(folder.path() / "escaped").string(), "x"}}, "outside the folder"},
      {{good, {"cifar-10-batches-bin/link", "/etc/passwd", AE_IFLNK}}, "neither a file nor"},
      {{good, {"cifar-10-batches-bin/fifo", "", AE_IFIFO}}, "neither a file nor"},
      {{good, {"cifar-10-batches-bin/bomb", std::string(3'000'000, '0')}}, "contains more than"},
      {{{"another-folder/file", "x"}}, "contains no folder cifar-10-batches-bin"},
      {{good}, "expected whole records"},
  };
  for (const auto& [entries, message] : cases) {
    ServedSet hostile = served_archive("cifar-10", entries);
    hostile.set.unpacked_bytes = 2'000'000;
    const HttpServer server(hostile.below("/"));
    EXPECT_THAT(error(with_sources(hostile, {server.url() + "/"})), HasSubstr(message));
    EXPECT_FALSE(fs::exists(folder.path() / "escaped"));
    EXPECT_FALSE(fs::exists(cache / "escaped"));
    EXPECT_FALSE(fs::exists(cache / "downloads" / "escaped"));
  }
}

TEST_F(Install, OnlyOneOfSeveralDoesTheWork) {
  std::latch others_wait(3);  // for the one that the server then answers
  const HttpServer server([&](const HttpRequest& request) {
    others_wait.wait();
    return whole_or_rest(request, cifar.files.begin()->second);
  });
  const PublishedSet set = with_sources(cifar, {server.url() + "/"});
  const auto work = [&] {
    bool has_waited = false;
    return install(set, cache, options, {.progress = [&](const LoadProgress& progress) {
                     if (has_waited || !progress.what.starts_with("waiting for another")) return;
                     has_waited = true;
                     others_wait.count_down();
                   }});
  };
  std::vector<std::future<bool>> all;
  for (int k = 0; k < 4; ++k) all.push_back(std::async(std::launch::async, work));
  int got = 0;
  for (std::future<bool>& each : all) got += each.get() ? 1 : 0;
  EXPECT_EQ(got, 1);
  EXPECT_EQ(server.requests().size(), 1u);
  EXPECT_EQ(flaw(set), "no error");
}

TEST_F(Install, NeedsAPlaceThatCanBeWritten) {
  cache.clear();
  EXPECT_THROW(install(cifar.set, cache, options, hooks), DataError);
  testing::write_file(folder.path() / "file", "x");
  cache = folder.path() / "file" / "gpscl";
  EXPECT_THAT(error(cifar.set), AllOf(HasSubstr(cache.string()), HasSubstr("$XDG_CACHE_HOME")));
}

TEST_F(Install, LeavesAloneWhatItHasNotPutThere) {
  testing::write_tiny_cifar_10(cache);
  options.anew = true;
  EXPECT_THROW(install(cifar.set, cache, options, hooks), DataError);
  EXPECT_THROW(remove_installed(cifar.set, cache, hooks), DataError);
  EXPECT_THAT(flaw(cifar.set),
              HasSubstr("is not installed here; install it with: gpscl data get cifar-10"));
  EXPECT_EQ(read_cifar_10(cache / cifar.set.folder).train.size(), 50u);
}

TEST_F(Install, VerifyNamesTheFirstThingThatIsWrong) {
  const HttpServer server(cifar.below("/"));
  const PublishedSet set = with_sources(cifar, {server.url() + "/"});
  options.anew = true;
  const fs::path place = cache / set.folder;
  const auto flaw_after = [&](const std::function<void()>& damage) {
    install(set, cache, options, hooks);
    damage();
    return flaw(set);
  };
  const std::string record = testing::cifar_records(10, 1, false);
  EXPECT_THAT(flaw_after([&] { testing::write_file(place / "data_batch_3.bin", record + record); }),
              AllOf(HasSubstr((place / "data_batch_3.bin").string()), HasSubstr("was changed")));
  EXPECT_THAT(
      flaw_after([&] { fs::remove(place / "test_batch.bin"); }),
      HasSubstr(
          "test_batch.bin: is missing; download it again with: gpscl data get cifar-10 --force"));
  EXPECT_THAT(flaw_after([&] { testing::write_file(place / "more.bin", "x"); }),
              HasSubstr("more.bin: is not a file of the set; download it again with: gpscl data "
                        "get cifar-10 --force"));
  EXPECT_THAT(flaw_after([&] { fs::create_symlink("/etc/passwd", place / "link"); }),
              HasSubstr("link: is neither a file nor a folder; download it again with: gpscl data "
                        "get cifar-10 --force"));
  EXPECT_THAT(flaw_after([&] { testing::write_file(place / ".gpscl-sha256", "nonsense\n"); }),
              HasSubstr("'nonsense' is not a checksum"));
}

TEST_F(Install, RemoveTellsHowMuchWasFreed) {
  const HttpServer server(cifar.below("/"));
  const PublishedSet set = with_sources(cifar, {server.url() + "/"});
  EXPECT_EQ(remove_installed(set, cache, {}), 0u);
  install(set, cache, options, hooks);
  const std::uint64_t freed = remove_installed(set, cache, {});
  EXPECT_GT(freed, 70u * 3073);
  EXPECT_LT(freed, 70u * 3073 + 2000);
  EXPECT_THAT(names_in(cache), ElementsAre("downloads"));
  EXPECT_EQ(remove_installed(set, cache, {}), 0u);
  testing::write_file(cache / "downloads" / "cifar-10" / "cifar-10-binary.tar.gz.part", "12345");
  EXPECT_EQ(remove_installed(set, cache, {}), 5u);
}

}  // namespace install_test
}  // namespace gps
