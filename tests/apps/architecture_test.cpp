// docs/architecture.md lists every source file of src/gps and apps/gpscl once, in a line of its own
// folder.
#include <gmock/gmock.h>

#include <filesystem>
#include <set>
#include <sstream>

#include "apps/known_options.h"
#include "apps/program.h"

namespace gps {
namespace architecture_test {

namespace fs = std::filesystem;

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

TEST(Architecture, HasShortLinesAndSmallFolders) {
  for (const std::string& line :
       lines_of(text_of(fs::path(GPSCL_SOURCE_DIR) / "docs/architecture.md")))
    EXPECT_LE(line.size(), 170u) << line;
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
