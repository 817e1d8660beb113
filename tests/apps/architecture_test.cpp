// docs/architecture.md lists every source file of src/gps and apps/gpscl once, in a line of its own
// folder, and names only functions and members that exist.
#include <gmock/gmock.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <map>
#include <set>
#include <sstream>
#include <utility>

#include "apps/known_options.h"
#include "apps/program.h"

namespace gps {
namespace architecture_test {

namespace fs = std::filesystem;

using testing::all_matches;
using ::testing::IsEmpty;
using testing::lines_of;
using testing::text_of;

// "core/files/framed" for each name of the trees in the document: a line that begins with a name
// and a slash opens a folder; below it, indented, come names with commas between them, and at least
// two blanks before what they are.
std::multiset<std::string> listed() {
  std::multiset<std::string> found;
  std::string folder;
  bool is_tree = false;
  for (const std::string& line :
       lines_of(text_of(fs::path(GPSCL_SOURCE_DIR) / "docs/architecture.md"))) {
    if (line.starts_with("```")) {
      is_tree = line == "```tree";
      folder.clear();
    }
    if (!is_tree || line.empty() || line.starts_with("```")) continue;
    if (line[0] != ' ') {
      folder = line.substr(0, line.find(' '));
      if (!folder.ends_with('/')) folder.clear();  // files that are in no folder of their own
      continue;
    }
    std::istringstream names(line.substr(2, line.find("  ", 2) - 2));
    for (std::string name; std::getline(names, name, ',');) {
      name.erase(0, name.find_first_not_of(' '));
      found.insert(folder + name);
    }
  }
  return found;
}

// Every .cpp and .h, once for both, without its extension.
std::set<std::string> present(const fs::path& root) {
  std::set<std::string> found;
  for (const auto& entry : fs::recursive_directory_iterator(root)) {
    const fs::path& path = entry.path();
    if (path.extension() == ".cpp" || path.extension() == ".h")
      found.insert(path.lexically_relative(root).replace_extension().string());
  }
  return found;
}

TEST(Architecture, ListsEveryFileOnce) {
  const fs::path source = GPSCL_SOURCE_DIR;
  std::multiset<std::string> unknown = listed();
  EXPECT_GT(unknown.size(), 100u) << "the trees are not found any more";
  std::vector<std::string> missing;
  for (const char* root : {"src/gps", "apps/gpscl"}) {
    for (const std::string& file : present(source / root)) {
      const auto at = unknown.find(file);
      if (at == unknown.end()) {
        missing.push_back(file);
      } else {
        unknown.erase(at);
      }
    }
  }
  EXPECT_THAT(missing, IsEmpty()) << "not in docs/architecture.md";
  EXPECT_THAT(unknown, IsEmpty()) << "in docs/architecture.md, but not in the tree, or twice";
}

// "train_task()" and "Future::plan_share" between backticks, without the parentheses.
std::set<std::string> identifiers_in(const std::string& document) {
  std::set<std::string> found;
  const std::string text = text_of(fs::path(GPSCL_SOURCE_DIR) / "docs" / document);
  for (std::string name :
       all_matches(text, "`([A-Za-z_]+::)*[A-Za-z_]+\\(\\)`|`[A-Z][A-Za-z]*::[a-z_]+`")) {
    name = name.substr(1, name.find_first_of("(`", 1) - 1);
    if (!name.starts_with("std::")) found.insert(name);
  }
  return found;
}

// The words of each C++ source.
std::vector<std::set<std::string>> words_of_sources() {
  std::vector<std::set<std::string>> all;
  for (const char* root : {"src/gps", "apps/gpscl", "python/src"}) {
    for (const auto& entry : fs::recursive_directory_iterator(fs::path(GPSCL_SOURCE_DIR) / root)) {
      if (entry.path().extension() != ".cpp" && entry.path().extension() != ".h") continue;
      std::set<std::string>& words = all.emplace_back();
      std::string word;
      for (const char c : text_of(entry.path()) + " ") {
        const bool is_part = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
        if (is_part) word += c;
        if (!is_part && !word.empty()) words.insert(std::exchange(word, ""));
      }
    }
  }
  return all;
}

TEST(Architecture, NamesOnlyFunctionsAndMembersThatExist) {
  const std::vector<std::set<std::string>> sources = words_of_sources();
  std::size_t count = 0;
  for (const char* document : {"architecture.md", "paper-map.md"}) {
    for (const std::string& name : identifiers_in(document)) {
      ++count;
      // `Type::member`: both in one source.
      const std::size_t colons = name.rfind("::");
      const std::string type = colons == std::string::npos ? "" : name.substr(0, colons);
      const std::string last = colons == std::string::npos ? name : name.substr(colons + 2);
      EXPECT_TRUE(std::any_of(sources.begin(), sources.end(),
                              [&](const auto& words) {
                                return words.contains(last) &&
                                       (type.empty() || words.contains(type));
                              }))
          << name << " in docs/" << document;
    }
  }
  EXPECT_GT(count, 5u) << "the identifiers are not found any more";
}

// In characters, not bytes.
std::size_t width_of(const std::string& line) {
  return static_cast<std::size_t>(std::count_if(line.begin(), line.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  }));
}

TEST(Architecture, HasShortLinesAndSmallFolders) {
  for (const std::string& line :
       lines_of(text_of(fs::path(GPSCL_SOURCE_DIR) / "docs/architecture.md")))
    EXPECT_LE(width_of(line), 120u) << line;
  for (const char* root : {"src/gps", "apps/gpscl"}) {
    std::map<std::string, int> ideas;
    for (const std::string& file : present(fs::path(GPSCL_SOURCE_DIR) / root))
      ++ideas[fs::path(file).parent_path().string()];
    for (const auto& [folder, count] : ideas)
      EXPECT_LE(count, 20) << root << "/" << folder
                           << " has too many files to be read at a glance; divide it";
  }
}

}  // namespace architecture_test
}  // namespace gps
