// What the documentation promises: links lead somewhere, and commands are ones that gpscl takes.
#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>
#include <sstream>

#include "apps/known_options.h"
#include "apps/program.h"
#include "support/own_images.h"
#include "support/temporary_folder.h"
#include "support/tiny_data.h"

namespace gps {
namespace documentation_test {

namespace fs = std::filesystem;

using testing::all_matches;
using ::testing::Contains;
using ::testing::ElementsAre;
using testing::gpscl;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::lines_of;
using ::testing::Not;
using testing::options_in;
using testing::options_in_help;
using testing::Outcome;
using testing::text_of;

std::vector<fs::path> documents() {
  const fs::path root = GPSCL_SOURCE_DIR;
  std::vector<fs::path> found;
  for (const char* name : {"README.md", "CONTRIBUTING.md", "CHANGELOG.md"}) {
    if (fs::exists(root / name)) found.push_back(root / name);
  }
  if (fs::exists(root / "docs")) {
    for (const auto& entry : fs::recursive_directory_iterator(root / "docs")) {
      if (entry.path().extension() == ".md") found.push_back(entry.path());
    }
  }
  return found;
}

// The targets of [text](target) that are files of this repository.
std::vector<std::string> relative_links(const std::string& text) {
  std::vector<std::string> found;
  for (const std::string& target : all_matches(text, R"re(\]\(([^() ]+)\))re", /*group=*/1)) {
    const bool is_elsewhere = !all_matches(target, "^([a-z]+:|#)").empty();
    if (!is_elsewhere) found.push_back(target.substr(0, target.find('#')));
  }
  return found;
}

// The arguments of every call of gpscl in the ```sh blocks, lines that end in \ joined.
std::vector<std::vector<std::string>> calls_in(const std::string& text) {
  std::vector<std::vector<std::string>> calls;
  bool is_shell = false;
  std::string pending;
  for (const std::string& line : lines_of(text)) {
    if (line.starts_with("```")) {
      is_shell = !is_shell && line.starts_with("```sh");
      continue;
    }
    if (!is_shell) continue;
    if (line.ends_with('\\')) {
      pending += line.substr(0, line.size() - 1) + " ";
      continue;
    }
    std::istringstream words(pending + line);
    pending.clear();
    bool is_call = false;
    for (std::string word; words >> word;) {
      if (word == "|" || word == "&&" || word == "||" || word == ";" || word == "&") {
        is_call = false;
      } else if (word.starts_with('#') || word.starts_with('>') || word.starts_with("2>")) {
        break;
      } else if (is_call) {
        std::erase_if(word, [](char c) { return c == '\'' || c == '"'; });
        calls.back().push_back(word);
      } else if (fs::path(word).filename() == "gpscl") {
        is_call = true;
        calls.emplace_back();
      }
    }
  }
  return calls;
}

// The repository as a reader has it who has images of their own beside it.
void settle(const fs::path& home) {
  fs::create_directories(home);
  for (const auto& entry : fs::directory_iterator(GPSCL_SOURCE_DIR))
    fs::create_symlink(entry.path(), home / entry.path().filename());
  for (const char* folder : {"week1/cat", "week1/dog", "week2/cat", "week2/fox"}) {
    for (const char* name : {"1.png", "2.png"})
      testing::write_file(home / "photos" / folder / name, testing::plain_png({90, 60, 30}, 8, 8));
  }
  testing::write_file(home / "photos/list.csv",
                      "path,label,task\nweek1/cat/1.png,cat,1\nweek1/cat/2.png,cat,1\n");
  testing::write_classes(home / "flowers", {"aster", "daisy", "lily", "poppy", "rose", "tulip"}, 2);
  testing::write_idx_pair(home / "digits", "train", testing::tiny_dataset(4, 2));
  for (const char* backbone : {"my.pt", "resnet50.pt", "features.pt"})
    testing::write_file(home / backbone, "a network");
}

TEST(Documentation, LinksAndCallsAreFoundInMarkdown) {
  EXPECT_THAT(relative_links("[a](docs/a.md#part) ![b](b.png) [c](https://c) [d](#d)"),
              ElementsAre("docs/a.md", "b.png"));
  EXPECT_THAT(calls_in("gpscl outside\n```sh\n$ build/gpscl run a \\\n  --seed '3' > x\n"
                       "GPSCL_DATA=d gpscl list | head  # all\n```\n```\ngpscl neither\n```\n"),
              ElementsAre(ElementsAre("run", "a", "--seed", "3"), ElementsAre("list")));
}

TEST(Documentation, TheReadmeShowsHowToCallTheProgram) {
  EXPECT_THAT(calls_in(text_of(fs::path(GPSCL_SOURCE_DIR) / "README.md")), Not(IsEmpty()));
}

TEST(Documentation, RelativeLinksLeadToFilesOfTheRepository) {
  for (const fs::path& document : documents()) {
    for (const std::string& link : relative_links(text_of(document))) {
      EXPECT_TRUE(fs::exists(document.parent_path() / link))
          << document << " links to " << link << ", which does not exist";
    }
  }
}

TEST(Documentation, CommandsUseOptionsThatExist) {
  std::set<std::string> known = options_in_help();
  known.insert({"--help", "--version"});
  for (const char* command : {"plan", "sweep", "reproduce", "runs", "probe", "report", "learn",
                              "predict", "export", "data"})
    known.merge(options_in(gpscl({command, "--help"}).out));
  known.merge(options_in(gpscl({"learn", "--help-all"}).out));
  for (const fs::path& document : documents()) {
    for (const auto& call : calls_in(text_of(document))) {
      for (const std::string& option : options_in(join(call, " ")))
        EXPECT_THAT(known, Contains(option)) << document << ": gpscl " << join(call, " ");
    }
  }
}

TEST(Documentation, CommandsAreOnesThatTheProgramWouldCarryOut) {
  // A run is refused only after all of it has been read and found possible, for a folder that
  // cannot be made; of a sweep only the plan is made; there are no runs to be told of, and no data
  // is got from a mirror that is none. States are looked for where there are none, and so are
  // images.
  const testing::TemporaryFolder folder;
  const std::string impossible = (folder.path() / "file" / "below").string();
  testing::write_file(folder.path() / "file", "in the way");
  const fs::path home = folder.path() / "home";
  settle(home);
  for (const fs::path& document : documents()) {
    for (auto call : calls_in(text_of(document))) {
      SCOPED_TRACE(document.string() + ": gpscl " + join(call, " "));
      const auto begins_with = [&](const char* word) {
        return !call.empty() && call.front() == word;
      };
      if (begins_with("learn") || begins_with("predict") || begins_with("export")) {
        const Outcome outcome = gpscl(call, {.folder = folder.path()});
        EXPECT_EQ(outcome.exit_code, 2) << outcome.err;
        EXPECT_THAT(outcome.err,
                    ::testing::AnyOf(HasSubstr("contains no state"),
                                     HasSubstr("'" + call.at(2) + "' does not exist")));
        continue;
      }
      if (begins_with("plan")) {  // which takes the options of a run, and would plan for seconds
        call.front() = "run";
        const auto budget = std::find(call.begin(), call.end(), "--budget");
        if (call.end() - budget >= 2) call.erase(budget, budget + 2);
        const auto knobs = std::find(call.begin(), call.end(), "--knobs");
        if (knobs != call.end()) *knobs = "--plan";
      }
      const bool is_probe = call.size() > 1 && call.front() == "probe";
      const bool is_run = is_probe || (!call.empty() && call.front() == "run");
      const auto out = std::find(call.begin(), call.end(), "--out");
      if (call.end() - out >= 2) call.erase(out, out + 2);
      if (is_run) call.insert(call.end(), {"--out", impossible});
      const bool is_sweep =
          !call.empty() && (call.front() == "sweep" || call.front() == "reproduce");
      if (is_sweep && std::find(call.begin(), call.end(), "--dry-run") == call.end())
        call.emplace_back("--dry-run");
      const bool is_runs = !call.empty() && call.front() == "runs";
      const auto store = std::find(call.begin(), call.end(), "--store");
      if (is_runs && call.end() - store >= 2) call.erase(store, store + 2);
      if (is_runs) call.insert(call.end(), {"--store", impossible});
      const bool is_report = !call.empty() && call.front() == "report";
      if (is_report && call.size() > 1 && !call[1].starts_with('-')) call.erase(call.begin() + 1);
      if (is_report) call.insert(call.begin() + 1, impossible);
      if (is_report && std::find(call.begin(), call.end(), "--format") == call.end())
        call.insert(call.end(), {"--format", "md"});
      const bool is_get = call.size() > 1 && call[0] == "data" && call[1] == "get";
      const auto mirror = std::find(call.begin(), call.end(), "--mirror");
      if (is_get && call.end() - mirror >= 2) call.erase(mirror, mirror + 2);
      if (is_get) call.insert(call.end(), {"--mirror", impossible});
      const bool is_about_got_data =
          call.size() > 1 && call[0] == "data" && (call[1] == "verify" || call[1] == "rm");
      const bool needs_store = is_runs || is_report;
      const Outcome outcome = gpscl(call, {.folder = home, .cache = folder.path()});
      EXPECT_EQ(outcome.exit_code, is_run || is_get                   ? 2
                                   : needs_store || is_about_got_data ? 1
                                                                      : 0)
          << outcome.err;
      // A build without LibTorch, as for sanitizers, refuses models that need it before that.
      if (is_run && outcome.err.find("was built without LibTorch") != std::string::npos) continue;
      EXPECT_THAT(outcome.err,
                  is_run || needs_store || is_get ? HasSubstr(impossible) : HasSubstr(""));
    }
  }
}

}  // namespace documentation_test
}  // namespace gps
