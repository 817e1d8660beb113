#include "gps/data/download.h"

#include <gmock/gmock.h>

#include <thread>

#include "support/http_server.h"
#include "support/temporary_folder.h"
#include "support/tiny_sets.h"

namespace gps {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::HttpReply;
using testing::HttpRequest;
using testing::HttpServer;
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
  DownloadOptions options{.connect = std::chrono::milliseconds(2000),
                          .stall = std::chrono::milliseconds(300),
                          .least_rate = 1024,
                          .redirects = 5};
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
    const auto start = std::chrono::steady_clock::now();
    EXPECT_THAT(fetch(server), HasSubstr("bytes in 0.3 seconds"));
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(10));
    EXPECT_EQ(got(), content.substr(0, sent));
    fs::remove(part);
  }
}

// The server sends about 50 bytes a second.
TEST_F(Download, GivesUpWhereNextToNothingComesHoweverLongItWaits) {
  const HttpServer server([&](const HttpRequest&) {
    return HttpReply{.body = content, .announced = 60, .sent = 0, .then = Then::trickles};
  });
  for (const int stall : {200, 600}) {
    options.stall = std::chrono::milliseconds(stall);
    options.least_rate = 200;
    fs::remove(part);
    EXPECT_THAT(fetch(server), HasSubstr(fmt::format("bytes in {:g} seconds", stall / 1000.0)));
  }
  options.stall = std::chrono::milliseconds(600);
  options.least_rate = 5;
  fs::remove(part);
  EXPECT_EQ(fetch(server), "");
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
  std::string url;
  {
    const HttpServer gone({{"/file", content}});
    url = gone.url() + "/file";
  }
  EXPECT_NE(fetch(url), "");
  EXPECT_NE(fetch("http://127.0.0.1:1"), "");
}

TEST_F(Download, StopsWhenAskedTo) {
  StopFlag stop;
  hooks.stop = &stop;
  const HttpServer server([&](const HttpRequest&) {
    return HttpReply{.body = content, .sent = 5000, .then = Then::stalls};
  });
  options.stall = std::chrono::seconds(60);
  hooks.progress = [&](const LoadProgress&) { stop.request(); };
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

}  // namespace
}  // namespace gps
