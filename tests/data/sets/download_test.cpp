#include "gps/data/sets/download.h"

#include <gmock/gmock.h>

#include "support/http_server.h"
#include "support/temporary_folder.h"
#include "support/tiny_sets.h"

namespace gps {
namespace download_test {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::HttpReply;
using testing::HttpRequest;
using testing::HttpServer;
using testing::LocalPort;
using ::testing::Not;
using ::testing::StartsWith;
using testing::whole_or_rest;
using Then = HttpReply::Then;
namespace fs = std::filesystem;

std::string some_bytes(std::size_t count) {
  std::string bytes;
  for (std::size_t k = 0; k < count; ++k) bytes += static_cast<char>((k * k + k / 251) % 256);
  return bytes;
}

class Download : public ::testing::Test {
 protected:
  // Fetches /file; returns the error, or nothing.
  std::string fetch(const HttpServer& server, std::uint64_t most = 1'000'000) {
    return fetch(server.url() + "/file", most);
  }
  std::string fetch(const std::string& url, std::uint64_t most = 1'000'000) {
    try {
      download(url, part, most, options, hooks);
    } catch (const SourceError& error) {
      EXPECT_THAT(error.what(), StartsWith(url + ": "));
      return error.what();
    }
    return "";
  }

  std::string got() const { return testing::read_file(part); }

  testing::TemporaryFolder folder;
  fs::path part = folder.path() / "file.part";
  std::string content = some_bytes(100'000);
  double clock_time = 0;  // seconds; time stands still unless a test lets it pass
  DownloadOptions options{.connect = std::chrono::hours(1),  // of libcurl's own time: no limit
                          .stall = std::chrono::milliseconds(300),
                          .least_rate = 1024,
                          .redirects = 5,
                          .clock = [this] { return clock_time; }};
  LoadHooks hooks;
};

TEST_F(Download, FetchesAFileAndTellsHowFarItIs) {
  std::vector<LoadProgress> told;
  hooks.progress = [&](const LoadProgress& now) { told.push_back(now); };
  const HttpServer server({{"/file", content}});
  EXPECT_EQ(fetch(server), "");
  EXPECT_EQ(got(), content);
  ASSERT_FALSE(told.empty());
  EXPECT_EQ(told.back().what, "downloading file from " + server.url().substr(7));
  EXPECT_EQ(told.back().done, content.size());
  EXPECT_EQ(told.back().total, content.size());
}

TEST_F(Download, TellsNobodyThePassword) {
  EXPECT_EQ(shown("http://me:pass@word@host:80/a@b?c"), "http://host:80/a@b?c");
  EXPECT_EQ(shown("https://me@host"), "https://host");
  EXPECT_EQ(shown("me:pw@host/a"), "host/a");
  EXPECT_EQ(shown("http://host/a@b"), "http://host/a@b");
  EXPECT_EQ(shown("http://host?a@b"), "http://host?a@b");
  std::string told;
  hooks.progress = [&](const LoadProgress& now) { told = now.what; };
  const HttpServer server({{"/file", content}});
  const std::string host = server.url().substr(7);
  download("http://me:secret@" + host + "/file", part, 1'000'000, options, hooks);
  EXPECT_EQ(told, "downloading file from " + host);
  try {
    download("http://me:secret@" + host + "/none", part, 1'000'000, options, hooks);
    FAIL();
  } catch (const SourceError& error) {
    EXPECT_THAT(error.what(), StartsWith(server.url() + "/none: "));
    EXPECT_THAT(error.what(), Not(HasSubstr("secret")));
  }
}

TEST_F(Download, FetchesAnEmptyFile) {
  const HttpServer server({{"/file", std::string()}});
  EXPECT_EQ(fetch(server), "");
  EXPECT_EQ(got(), "");
}

TEST_F(Download, GoesOnAfterTheBytesThatAreThere) {
  testing::write_file(part, content.substr(0, 60'000));
  const HttpServer server({{"/file", content}});
  EXPECT_EQ(fetch(server), "");
  EXPECT_EQ(got(), content);
  EXPECT_EQ(server.requests().front().from, 60'000u);
  EXPECT_EQ(server.bytes_sent(), 40'000u);
}

TEST_F(Download, StartsAgainWhereTheServerIgnoresRanges) {
  testing::write_file(part, "something that is longer than nothing");
  const HttpServer server([&](const HttpRequest&) { return HttpReply{.body = content}; });
  EXPECT_EQ(fetch(server), "");
  EXPECT_EQ(got(), content);
}

TEST_F(Download, FetchesNothingOfWhatIsThereAndAllOfWhatIsTooLong) {
  testing::write_file(part, content);
  const HttpServer server({{"/file", content}});
  EXPECT_EQ(fetch(server), "");
  EXPECT_EQ(server.bytes_sent(), 0u);
  testing::write_file(part, content + "more");
  EXPECT_EQ(fetch(server), "");
  EXPECT_EQ(got(), content);
}

TEST_F(Download, StartsAgainWhereAPartBeginsElsewhere) {
  for (const std::string range : {"bytes 50000-99999/100000", "bytes */100000", "nonsense", ""}) {
    testing::write_file(part, content.substr(0, 60'000));
    const HttpServer server([&](const HttpRequest& request) -> HttpReply {
      if (!request.from) return {.body = content};
      return {
          .status = 206, .body = content.substr(50'000), .headers = {"Content-Range: " + range}};
    });
    EXPECT_EQ(fetch(server), "") << range;
    EXPECT_EQ(got(), content);
    EXPECT_EQ(server.requests().size(), 2u);
  }
}

TEST_F(Download, StartsAgainWhereAPartIsEmpty) {
  testing::write_file(part, content.substr(0, 60'000));
  const HttpServer server([&](const HttpRequest& request) -> HttpReply {
    if (!request.from) return {.body = content};
    return {.status = 206, .headers = {"Content-Range: bytes 60000-99999/100000"}};
  });
  EXPECT_EQ(fetch(server), "");
  EXPECT_EQ(got(), content);
}

TEST_F(Download, KeepsWhatIsThereWhereStartingAgainFailsToo) {
  testing::write_file(part, content.substr(0, 60'000));
  const HttpServer server([&](const HttpRequest&) {
    return HttpReply{.status = 206,
                     .body = content.substr(50'000),
                     .headers = {"Content-Range: bytes 50000-99999/100000"}};
  });
  EXPECT_THAT(fetch(server), HasSubstr("HTTP status 206"));
  EXPECT_EQ(server.requests().size(), 2u) << "once more, and no oftener";
  EXPECT_EQ(got(), content.substr(0, 60'000));
}

TEST_F(Download, RefusesAPartOfWhatItAskedForAsAWhole) {
  const HttpServer server([&](const HttpRequest&) {
    return HttpReply{.status = 206, .body = "x", .headers = {"Content-Range: bytes 0-0/100"}};
  });
  EXPECT_THAT(fetch(server), HasSubstr("HTTP status 206"));
}

TEST_F(Download, RefusesABodyThatEndsEarlyAndKeepsItsBeginning) {
  const HttpServer server(
      [&](const HttpRequest&) { return HttpReply{.body = content, .sent = 70'000}; });
  EXPECT_NE(fetch(server), "");
  EXPECT_EQ(got(), content.substr(0, 70'000));
  const HttpServer good({{"/file", content}});
  EXPECT_EQ(fetch(good), "");
  EXPECT_EQ(got(), content);
  EXPECT_EQ(good.bytes_sent(), 30'000u);
}

TEST_F(Download, RefusesARestThatIsShorterThanItsRangeSays) {
  testing::write_file(part, content.substr(0, 60'000));
  const HttpServer server([&](const HttpRequest&) {
    return HttpReply{.status = 206,
                     .body = content.substr(60'000, 100),
                     .headers = {"Content-Range: bytes 60000-99999/100000"}};
  });
  EXPECT_THAT(fetch(server), HasSubstr("ended after 60100 bytes; the server announced 100000"));
}

TEST_F(Download, TakesABodyWithoutALengthAsItComes) {
  const HttpServer server(
      [&](const HttpRequest&) { return HttpReply{.body = content, .announces = false}; });
  EXPECT_EQ(fetch(server), "");
  EXPECT_EQ(got(), content);
}

TEST_F(Download, TakesNoMoreThanWasAnnounced) {
  const HttpServer server(
      [&](const HttpRequest&) { return HttpReply{.body = content, .announced = 1000}; });
  EXPECT_EQ(fetch(server), "");  // the sum will tell
  EXPECT_EQ(got(), content.substr(0, 1000));
}

TEST_F(Download, RefusesMoreThanTheMostAnnouncedOrNot) {
  for (const bool announces : {true, false}) {
    const HttpServer server(
        [&](const HttpRequest&) { return HttpReply{.body = content, .announces = announces}; });
    EXPECT_THAT(fetch(server, 99'999), HasSubstr("more than 99999 bytes"));
    EXPECT_EQ(got(), "");
    EXPECT_EQ(fetch(server, 100'000), "");
  }
}

TEST_F(Download, RefusesWhatTheServerDoesNotHave) {
  const HttpServer server(std::map<std::string, std::string>{});
  EXPECT_THAT(fetch(server), HasSubstr("404"));
  EXPECT_EQ(got(), "") << "what the server said about it is not the file";
}

TEST_F(Download, GivesUpWhereNothingComes) {
  for (const std::size_t sent : {std::size_t{0}, std::size_t{5000}}) {
    const HttpServer server([&](const HttpRequest&) {
      return HttpReply{.body = content, .sent = sent, .then = Then::stalls};
    });
    // Time stands still until all that comes has come; then an eighth of a second passes with each
    // look at the clock.
    std::size_t arrived = 0;
    hooks.progress = [&](const LoadProgress& progress) { arrived = progress.done; };
    clock_time = 0;
    options.clock = [&] { return arrived < sent ? clock_time : clock_time += 0.125; };
    EXPECT_THAT(fetch(server), HasSubstr("bytes in 0.3 seconds"));
    EXPECT_EQ(got(), content.substr(0, sent));
    if (sent > 0) {
      EXPECT_GT(clock_time, 0.3);
      EXPECT_LE(clock_time, 0.5) << "the look that finds the bytes, and three more";
    }
    fs::remove(part);
  }
}

// A server that sends 50 bytes a second, by the clock that is looked at: each byte is sent when a
// look has found the one before it.
class Trickle : public Download {
 protected:
  std::string fetch_slowly(int stall, std::uint64_t least_rate) {
    fs::remove(part);
    const HttpServer server([&](const HttpRequest&) {
      return HttpReply{.announced = 60, .sent = 0, .then = Then::trickles};
    });
    std::uint64_t allowed = 0;
    std::uint64_t arrived = 0;
    hooks.progress = [&](const LoadProgress& progress) { arrived = progress.done; };
    options.clock = [&] {
      if (arrived == allowed) {
        ++allowed;
        server.send_one_more();
      }
      return static_cast<double>(arrived) / 50;
    };
    options.stall = std::chrono::milliseconds(stall);
    options.least_rate = least_rate;
    return fetch(server);
  }
};

TEST_F(Trickle, OfNextToNothingIsGivenUpHoweverLongTheWait) {
  EXPECT_THAT(fetch_slowly(200, 200), HasSubstr("sent 11 bytes in 0.2 seconds"));
  EXPECT_THAT(fetch_slowly(600, 200), HasSubstr("sent 31 bytes in 0.6 seconds"));
}

TEST_F(Trickle, OfEnoughIsTakenToItsEnd) {
  EXPECT_EQ(fetch_slowly(600, 5), "");
  EXPECT_EQ(got(), std::string(60, 'x'));
}

TEST_F(Download, FollowsRedirectsButNotForever) {
  const HttpServer server([&](const HttpRequest& request) -> HttpReply {
    if (request.path == "/file")
      return {.status = 302, .body = "moved", .headers = {"Location: /there"}};
    if (request.path == "/there") return whole_or_rest(request, content);
    return {.status = 301, .headers = {"Location: " + request.path + "x"}};
  });
  testing::write_file(part, content.substr(0, 1));
  EXPECT_EQ(fetch(server), "");
  EXPECT_EQ(got(), content);
  EXPECT_EQ(server.bytes_sent(), 5 + content.size() - 1);
  EXPECT_THAT(fetch(server.url() + "/loop"), HasSubstr("redirects"));
  EXPECT_EQ(server.requests().back().path, "/loopxxxxx");
}

TEST_F(Download, FollowsRedirectsToTheWebOnly) {
  testing::write_file(folder.path() / "secret", "secret");
  for (const std::string scheme : {"file", "ftp", "scp", "gopher"}) {
    const HttpServer server([&](const HttpRequest&) {
      return HttpReply{
          .status = 302,
          .headers = {"Location: " + scheme + "://" + (folder.path() / "secret").string()}};
    });
    EXPECT_NE(fetch(server), "") << scheme;
    EXPECT_EQ(got(), "");
  }
  EXPECT_NE(fetch("file://" + (folder.path() / "secret").string()), "");
}

TEST_F(Download, RefusesAHeadWithoutAnEnd) {
  const HttpServer server([&](const HttpRequest&) {
    return HttpReply{.headers = std::vector<std::string>(400, "X: " + std::string(1000, 'x'))};
  });
  EXPECT_NE(fetch(server), "");
}

TEST_F(Download, NamesAServerThatIsNotThere) {
  const LocalPort nobody_listens;
  EXPECT_NE(fetch(nobody_listens.url() + "/file"), "");
  EXPECT_NE(fetch(nobody_listens.url()), "");
}

TEST_F(Download, WaitsForAConnectionAtLeastAsLongAsForBytes) {
  // The queue of the listening socket has one place, which is taken: the kernel answers no other.
  const LocalPort port;
  ASSERT_EQ(listen(port.socket_descriptor(), 0), 0);
  sockaddr_in address{};
  socklen_t size = sizeof(address);
  auto* generic = reinterpret_cast<sockaddr*>(&address);
  ASSERT_EQ(getsockname(port.socket_descriptor(), generic, &size), 0);
  const int first = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  ASSERT_EQ(connect(first, generic, size), 0);
  // By its third look at the clock, 100 ms after the second, a limit of 1 ms has been exceeded.
  options.connect = std::chrono::milliseconds(1);
  options.stall = std::chrono::hours(24);
  StopFlag stop;
  hooks.stop = &stop;
  int looks = 0;
  options.clock = [&] {
    if (++looks == 5) stop.request();
    return 0.0;
  };
  EXPECT_THROW(fetch(port.url() + "/file"), Interrupted);
  close(first);
}

TEST_F(Download, StopsWhenAskedTo) {
  StopFlag stop;
  hooks.stop = &stop;
  const HttpServer server([&](const HttpRequest&) {
    return HttpReply{.body = content, .sent = 5000, .then = Then::stalls};
  });
  hooks.progress = [&](const LoadProgress& progress) {
    if (progress.done == 5000) stop.request();
  };
  EXPECT_THROW(fetch(server), Interrupted);
  EXPECT_EQ(got(), content.substr(0, 5000)) << "kept for another try";
}

TEST_F(Download, BlamesNoSourceForAFileThatCannotBeWritten) {
  const HttpServer server({{"/file", content}});
  part = folder.path() / "missing" / "file.part";
  try {
    download(server.url() + "/file", part, 1'000'000, options, {});
    FAIL();
  } catch (const SourceError&) {
    FAIL() << "it is not the source's fault";
  } catch (const DataError& error) {
    EXPECT_THAT(error.what(), AllOf(StartsWith(part.string()), HasSubstr("cannot be written")));
  }
}

}  // namespace download_test
}  // namespace gps
