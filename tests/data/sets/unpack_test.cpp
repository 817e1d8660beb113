#include "gps/data/sets/unpack.h"

#include <gmock/gmock.h>

#include <chrono>
#include <csignal>

#include "gps/core/errors.h"
#include "support/archive_file.h"
#include "support/child.h"
#include "support/moment.h"
#include "support/temporary_folder.h"
#include "support/tiny_sets.h"

namespace gps {
namespace unpack_test {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::Gt;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::read_file;
using testing::start_child;
using testing::wait_for;
using testing::write_archive;
namespace fs = std::filesystem;

std::vector<std::string> names_in(const fs::path& folder) {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder))
    names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

class Unpack : public ::testing::Test {
 protected:
  fs::path path(const std::string& name) const { return folder.path() / name; }

  std::string error(const fs::path& archive, const UnpackLimits& limits = {}) {
    fs::remove_all(path("target"));
    fs::create_directory(path("target"));
    try {
      unpack(archive, path("target"), {}, limits);
    } catch (const DataError& refusal) {
      EXPECT_THAT(refusal.what(), HasSubstr(archive.string()));
      return refusal.what();
    }
    return "no error";
  }

  testing::TemporaryFolder folder{testing::in_memory()};
};

TEST_F(Unpack, WritesTheFilesOfTarAndZipArchives) {
  const std::string large(300000, 'x');
  for (const std::string name : {"a.tar.gz", "a.tar", "a.zip"}) {
    write_archive(path(name), {{"set/", "", AE_IFDIR},
                               {"set/empty", ""},
                               {"set/deep/er/file.txt", "hello"},
                               {"set/large", large}});
    ASSERT_EQ(error(path(name)), "no error") << name;
    EXPECT_THAT(names_in(path("target/set")), ElementsAre("deep", "empty", "large"));
    EXPECT_EQ(read_file(path("target/set/deep/er/file.txt")), "hello");
    EXPECT_EQ(read_file(path("target/set/large")), large);
  }
}

TEST_F(Unpack, RefusesWhatWouldLeaveTheFolder) {
  for (const std::string archive : {"a.tar.gz", "a.zip"}) {
    for (const std::string& name : {std::string("../escaped"), std::string("set/../../escaped"),
                                    std::string("set/.."), path("escaped").string()}) {
      write_archive(path(archive), {{"set/good", "x"}, {name, "x"}});
      EXPECT_THAT(error(path(archive)), AllOf(HasSubstr(name), HasSubstr("outside the folder")));
      EXPECT_FALSE(fs::exists(path("escaped")));
    }
  }
}

TEST_F(Unpack, RefusesLinksAndDevices) {
  const fs::path archive = path("a.tar.gz");
  for (const unsigned kind : {AE_IFLNK, AE_IFIFO, AE_IFCHR, AE_IFBLK}) {
    write_archive(archive, {{"set/link", "/etc", kind}, {"set/link/passwd", "x"}});
    EXPECT_THAT(error(archive), HasSubstr("'set/link' is neither a file nor a folder"));
  }
  write_archive(archive, {{"set/file", "x"}, {"set/link", "set/file", AE_IFREG, true}});
  EXPECT_THAT(error(archive), HasSubstr("'set/link' is neither a file nor a folder"));
}

TEST_F(Unpack, RefusesANameThatComesTwiceOrIsFileAndFolder) {
  write_archive(path("a.tar.gz"), {{"set/file", "x"}, {"set/file", "y"}});
  EXPECT_THAT(error(path("a.tar.gz")), HasSubstr("has 'set/file' twice"));
  write_archive(path("a.tar.gz"), {{"set/file", "x"}, {"set/file/below", "y"}});
  EXPECT_NE(error(path("a.tar.gz")), "no error");
}

TEST_F(Unpack, RefusesWhatIsTooLargeOrHasTooManyEntries) {
  write_archive(path("a.tar.gz"), {{"a", std::string(600, 'x')}, {"b", std::string(600, 'x')}});
  EXPECT_EQ(error(path("a.tar.gz"), {.entries = 2, .bytes = 1200}), "no error");
  EXPECT_THAT(error(path("a.tar.gz"), {.bytes = 1199}), HasSubstr("more than 1199 bytes"));
  EXPECT_THAT(error(path("a.tar.gz"), {.entries = 1}), HasSubstr("more than 1 entries"));
}

TEST_F(Unpack, RefusesWhatIsNoArchiveOrEmpty) {
  for (const std::string name : {"a.tar.gz", "a.tar", "a.zip"}) {
    for (const std::string text : {"", "no archive at all, only a text"}) {
      testing::write_file(path(name), text);
      EXPECT_NE(error(path(name)), "no error") << name << " '" << text << "'";
    }
    write_archive(path(name), {});
    EXPECT_NE(error(path(name)), "no error") << name;
  }
  EXPECT_NE(error(path("missing.zip")), "no error");
}

TEST_F(Unpack, RefusesArchivesTruncatedAnywhere) {
  std::string noise;
  for (int k = 0; k < 90; ++k) noise += static_cast<char>((k * k) % 251);
  for (const std::string name : {"a.tar.gz", "a.zip"}) {
    write_archive(path(name), {{"set/one", noise}, {"set/two", "hello"}});
    const std::string whole = read_file(path(name));
    for (std::size_t length = 0; length < whole.size(); ++length) {
      testing::write_file(path(name), whole.substr(0, length));
      ASSERT_NE(error(path(name)), "no error") << name << ": " << length << " of " << whole.size();
    }
  }
}

// gzip has a checksum of everything, zip one of each file's content; names are not covered there.
TEST_F(Unpack, RefusesDamagedContent) {
  std::string noise;
  for (int k = 0; k < 3000; ++k) noise += static_cast<char>((k * k + k / 7) % 251);
  for (const std::string name : {"a.tar.gz", "a.zip"}) {
    write_archive(path(name), {{"set/one", noise}});
    const std::string whole = read_file(path(name));
    for (std::size_t at = 200; at + 200 < whole.size(); at += 97) {
      std::string damaged = whole;
      damaged[at] = static_cast<char>(damaged[at] ^ 0x10);
      testing::write_file(path(name), damaged);
      ASSERT_NE(error(path(name)), "no error") << name << " at " << at;
    }
  }
}

TEST_F(Unpack, StopsInTheMiddleOfAnEntry) {
  const std::string large(300000, 'x');
  for (const std::string name : {"a.tar.gz", "a.zip"}) {
    write_archive(path(name), {{"set/large", large}});
    fs::remove_all(path("target"));
    fs::create_directory(path("target"));
    StopFlag stop;
    int points = 0;
    stop.at_stop_points([&] {
      if (++points == 3) stop.request();
    });
    EXPECT_THROW(unpack(path(name), path("target"), {.stop = &stop}), Interrupted) << name;
    EXPECT_GT(fs::file_size(path("target/set/large")), 0u) << name;
    EXPECT_LT(fs::file_size(path("target/set/large")), large.size()) << name;
  }
}

// Behind the entries of a tar file, and before the checksum of its gzip stream.
TEST_F(Unpack, StopsInWhatFollowsTheEntries) {
  write_archive(path("a.tar"), {{"set/file", "x"}});
  const std::string zeros(3'000'000, '\0');
  testing::write_file(path("a.tar"), read_file(path("a.tar")) + zeros);
  fs::create_directory(path("target"));
  StopFlag stop;
  bool is_written = false;
  const LoadHooks hooks{.stop = &stop, .progress = [&](const LoadProgress&) { is_written = true; }};
  stop.at_stop_points([&] {
    if (is_written) stop.request();
  });
  EXPECT_THROW(unpack(path("a.tar"), path("target"), hooks), Interrupted);
  EXPECT_EQ(read_file(path("target/set/file")), "x");
}

class Unpacked : public Unpack {
 protected:
  Unpacked() { write(60); }

  // An archive of so many files.
  void write(int files) {
    std::vector<testing::ArchiveEntry> entries;
    for (int k = 0; k < files; ++k) entries.push_back({fmt::format("set/{}", k), "hello"});
    write_archive(archive, entries);
  }

  // Unpacks, and tells whether there was work to do.
  bool works() {
    bool has_worked = false;
    result = unpacked(archive, cache, {.progress = [&](const LoadProgress& now) {
                        has_worked = has_worked || now.what == "unpacking a.tar.gz";
                      }});
    return has_worked;
  }

  // All that is there but locks.
  std::vector<std::string> leftovers() {
    std::vector<std::string> names;
    for (const std::string& name : names_in(cache / "unpacked")) {
      if (!name.ends_with(".lock")) names.push_back(name);
    }
    return names;
  }

  fs::path archive = path("a.tar.gz");
  fs::path cache = path("cache");
  fs::path result;
};

TEST_F(Unpacked, IsDoneOnce) {
  EXPECT_TRUE(works());
  EXPECT_EQ(read_file(result / "set" / "59"), "hello");
  const fs::path first = result;
  EXPECT_FALSE(works());
  EXPECT_EQ(result, first);
  EXPECT_THAT(leftovers(), ElementsAre(first.filename().string()));
}

TEST_F(Unpacked, IsDoneAnewWhenTheArchiveChanges) {
  EXPECT_TRUE(works());
  write(2);  // another size
  EXPECT_TRUE(works());
  EXPECT_EQ(names_in(result / "set").size(), 2u);
  fs::last_write_time(archive, fs::last_write_time(archive) + std::chrono::seconds(5));
  EXPECT_TRUE(works());
  EXPECT_FALSE(works());
  EXPECT_EQ(leftovers().size(), 1u);
}

TEST_F(Unpacked, TellsArchivesOfTheSameNameApart) {
  EXPECT_TRUE(works());
  const fs::path first = result;
  archive = path("elsewhere/a.tar.gz");
  write(3);
  EXPECT_TRUE(works());
  EXPECT_NE(result, first);
  EXPECT_EQ(names_in(first / "set").size(), 60u);
}

TEST_F(Unpacked, LeavesNothingOfABadArchive) {
  const std::string whole = read_file(archive);
  testing::write_file(archive, whole.substr(0, whole.size() / 2));
  EXPECT_THROW(works(), DataError);
  EXPECT_THAT(leftovers(), IsEmpty());
  testing::write_file(archive, whole);
  EXPECT_TRUE(works());
  EXPECT_EQ(names_in(result / "set").size(), 60u);
}

TEST_F(Unpacked, LeavesNothingWhenInterrupted) {
  StopFlag stop;
  const LoadHooks hooks{.stop = &stop, .progress = [&](const LoadProgress& now) {
                          if (now.what.starts_with("unpacking")) stop.request();
                        }};
  EXPECT_THROW(unpacked(archive, cache, hooks), Interrupted);
  EXPECT_THAT(leftovers(), IsEmpty());
}

TEST_F(Unpacked, IsNotTrustedAfterAKillInTheMiddle) {
  int entries = 0;
  const pid_t child = start_child([&] {
    unpacked(archive, cache, {.progress = [&](const LoadProgress&) {
               if (++entries == 30) std::raise(SIGKILL);
             }});
  });
  EXPECT_EQ(wait_for(child), -SIGKILL);
  EXPECT_THAT(leftovers(), Contains(HasSubstr(".partial")));
  EXPECT_TRUE(works());
  EXPECT_EQ(names_in(result / "set").size(), 60u);
  EXPECT_THAT(leftovers(), ElementsAre(result.filename().string()));
}

// One unpacks, and gets no further until the other has come and waits for it.
TEST_F(Unpacked, ByTwoProcessesAtOnceIsDoneByOne) {
  const testing::Moment has_begun;
  const testing::Moment is_waited_for;
  const pid_t first = start_child([&] {
    unpacked(archive, cache, {.progress = [&](const LoadProgress& now) {
               if (now.what != "unpacking a.tar.gz") _exit(2);
               has_begun.comes();
               is_waited_for.wait();
             }});
  });
  const pid_t second = start_child([&] {
    has_begun.wait();
    result = unpacked(archive, cache, {.progress = [&](const LoadProgress& now) {
                        if (!now.what.starts_with("waiting for another process")) _exit(2);
                        is_waited_for.comes();
                      }});
    if (names_in(result / "set").size() != 60u) _exit(3);
  });
  EXPECT_EQ(wait_for(first), 0);
  EXPECT_EQ(wait_for(second), 0);
  EXPECT_FALSE(works());
  EXPECT_EQ(leftovers().size(), 1u);
}

TEST_F(Unpacked, NamesACacheThatCannotBeMade) {
  testing::write_file(path("file"), "x");
  cache = path("file");
  try {
    works();
    FAIL() << "no error";
  } catch (const DataError& refusal) {
    EXPECT_THAT(refusal.what(), AllOf(HasSubstr(path("file").string()), HasSubstr("XDG_CACHE")));
  }
}

}  // namespace unpack_test
}  // namespace gps
