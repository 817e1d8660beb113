// The C++ that the documents show is that of the examples, which install.examples builds and runs.
#include <gmock/gmock.h>

#include <algorithm>

#include "apps/known_options.h"

namespace gps {
namespace library_documentation_test {

using ::testing::HasSubstr;
using testing::text_of;

// The first block of C++ in a Markdown text.
std::string first_cpp_block(const std::string& text) {
  const std::string fence = "```cpp\n";
  const std::size_t begin = text.find(fence);
  if (begin == std::string::npos) return "no block";
  const std::size_t first = begin + fence.size();
  return text.substr(first, text.find("```", first) - first);
}

TEST(LibraryDocumentation, ShowsTheRunOfTheExamples) {
  const std::filesystem::path root = GPSCL_SOURCE_DIR;
  const std::string example = text_of(root / "examples/cpp/run.cpp");
  EXPECT_THAT(example, HasSubstr(first_cpp_block(text_of(root / "README.md"))));
  EXPECT_THAT(example, HasSubstr(first_cpp_block(text_of(root / "docs/library.md"))));
}

TEST(LibraryDocumentation, ExamplesFitAPage) {
  for (const char* name : {"run.cpp", "own_policy.cpp", "own_learner.cpp"}) {
    const std::string text =
        text_of(std::filesystem::path(GPSCL_SOURCE_DIR) / "examples/cpp" / name);
    EXPECT_LT(std::count(text.begin(), text.end(), '\n'), 80) << name;
  }
}

}  // namespace library_documentation_test
}  // namespace gps
