// The folders of src/gps are layers: each may include itself and the layers below it.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <set>

#include "apps/matches.h"

namespace gps {
namespace layering_test {

namespace fs = std::filesystem;

// For each folder, those that it may include besides itself.
std::map<std::string, std::set<std::string>> layers() {
  std::map<std::string, std::set<std::string>> below;
  below["core"] = {};
  below["data"] = {"core"};
  below["benchmarks"] = {"core", "data"};
  std::set<std::string> sees = {"core", "data"};
  for (const char* folder : {"nn", "memory", "learners", "policies", "training"}) {
    below[folder] = sees;
    sees.insert(folder);
  }
  sees.insert("benchmarks");  // what the oracle's future and the experiments are made of
  for (const char* folder :
       {"simulation", "experiments", "probes", "deployment", "report", "reproduce"}) {
    below[folder] = sees;
    sees.insert(folder);
  }
  below["gps.h"] = sees;  // the list of all public headers
  return below;
}

TEST(Layering, NoFolderIncludesALayerAboveIt) {
  const fs::path root = fs::path(GPSCL_SOURCE_DIR) / "src" / "gps";
  const auto allowed = layers();
  const std::string include = R"(^[ \t]*#[ \t]*include[ \t]*"gps/([^/"]+)/[^"]*")";
  std::size_t includes = 0;
  for (const auto& entry : fs::recursive_directory_iterator(root)) {
    const std::string extension = entry.path().extension().string();
    if (extension != ".h" && extension != ".cpp") continue;
    const fs::path file = entry.path().lexically_relative(root);
    const auto own = allowed.find(file.begin()->string());
    ASSERT_NE(own, allowed.end()) << file << " is in a folder that is no layer";
    std::ifstream in(entry.path());
    for (std::string line; std::getline(in, line);) {
      for (const std::string& folder : testing::all_matches(line, include, /*group=*/1)) {
        ++includes;
        EXPECT_TRUE(folder == own->first || own->second.contains(folder))
            << file.string() << " must not have " << line;
      }
    }
  }
  EXPECT_GT(includes, 50u) << "the includes are not found any more";
}

}  // namespace layering_test
}  // namespace gps
