// The library does not know how its user spells options: its messages name them between backticks
// (core/option.h), and the program adds the dashes.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "apps/matches.h"

namespace gps {
namespace library_messages_test {

namespace fs = std::filesystem;

// What the paper's tables and figures say is about calls of gpscl, and prints as such; and the
// command that repeats a run is one.
bool is_about_calls(const fs::path& file) {
  return file.parent_path() == "reproduce/items" || file == "reproduce/document.cpp" ||
         file == "experiments/spec/repeat_command.cpp";
}

// The string literals of a line of code.
std::vector<std::string> literals_in(const std::string& line) {
  const std::size_t comment = line.find("// ");
  return testing::all_matches(line.substr(0, comment), R"re("([^"\]|\\.)*")re");
}

TEST(LibraryMessages, NameNoOptionWithDashesUnlessTheyShowACall) {
  const fs::path root = fs::path(GPSCL_SOURCE_DIR) / "src" / "gps";
  std::size_t literals = 0;
  for (const auto& entry : fs::recursive_directory_iterator(root)) {
    const fs::path file = entry.path().lexically_relative(root);
    const std::string extension = file.extension().string();
    if ((extension != ".h" && extension != ".cpp") || is_about_calls(file)) continue;
    std::ifstream in(entry.path());
    for (std::string line; std::getline(in, line);) {
      for (const std::string& literal : literals_in(line)) {
        ++literals;
        const std::size_t dashes = literal.find("gpscl ") == std::string::npos
                                       ? testing::all_matches(literal, "--[a-z]").size()
                                       : 0;
        EXPECT_EQ(dashes, 0u) << file.string() << ": " << line;
      }
    }
  }
  EXPECT_GT(literals, 1000u) << "the literals are not found any more";
}

}  // namespace library_messages_test
}  // namespace gps
