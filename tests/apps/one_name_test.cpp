// A name stands for one type, in the library and in the program: two definitions of one name in
// namespace gps would break the rule that a program defines each type once, and the compiler does
// not notice if no source sees both.
#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "apps/matches.h"

namespace gps {
namespace one_name_test {

namespace fs = std::filesystem;

using ::testing::ElementsAre;

// The types that a file defines outside of functions and other types, such as
// "gps::kernels::Branch"; "gps::::Local" is in an unnamed namespace. clang-format puts what opens
// or closes a namespace, and such a definition, at the beginning of a line. A declaration ends in a
// semicolon, and a specialisation has an angle bracket after its name.
std::vector<std::string> types_defined_in(std::istream& text) {
  const std::string opens = R"(^(inline )?namespace ([A-Za-z0-9_:]*) ?\{)";
  const std::string type =
      R"(^(template.*> )?(enum class|enum|struct|class|union) ([A-Za-z0-9_]+)( final)?( :[^;]*)?( \{.*)?$)";
  const std::string alias = R"(^using ([A-Z][A-Za-z0-9_]+) =)";  // one letter: in vector kernels
  std::vector<std::string> scopes;
  std::vector<std::string> found;
  for (std::string line; std::getline(text, line);) {
    if (line.empty() || line.front() == ' ' || line.front() == '/') continue;
    for (const std::string& scope : testing::all_matches(line, opens, /*group=*/2))
      scopes.push_back(scope);
    if (line.starts_with("}  // namespace") && !scopes.empty()) scopes.pop_back();
    std::vector<std::string> names = testing::all_matches(line, type, /*group=*/3);
    for (const std::string& name : testing::all_matches(line, alias, /*group=*/1))
      names.push_back(name);
    for (const std::string& name : names) {
      std::string qualified;
      for (const std::string& scope : scopes) qualified += scope + "::";
      found.push_back(qualified + name);
    }
  }
  return found;
}

// The files with this extension below src/gps and apps/gpscl, by the types that they define.
std::map<std::string, std::vector<std::string>> files_by_type(const std::string& extension) {
  const fs::path root = GPSCL_SOURCE_DIR;
  std::map<std::string, std::vector<std::string>> files;
  for (const char* folder : {"src/gps", "apps/gpscl"}) {
    for (const auto& entry : fs::recursive_directory_iterator(root / folder)) {
      if (entry.path().extension() != extension) continue;
      std::ifstream in(entry.path());
      for (const std::string& type : types_defined_in(in))
        files[type].push_back(entry.path().lexically_relative(root).string());
    }
  }
  return files;
}

std::string last_part(const std::string& type) { return type.substr(type.rfind(':') + 1); }

TEST(OneName, FindsDefinitionsAndNothingElse) {
  std::istringstream text(
      "namespace gps {\n"
      "struct Declared;  // elsewhere\n"
      "struct Plain {\n"
      "  struct Inner {};\n"
      "};\n"
      "class Derived final : public Plain {};\n"
      "enum class Kind { one, two };\n"
      "namespace kernels {\n"
      "template <typename T>\n"
      "struct Branch {\n"
      "};\n"
      "template <>\n"
      "struct Branch<float> {\n"
      "};\n"
      "}  // namespace kernels\n"
      "namespace {\n"
      "class Local\n"
      "    : public Plain {};\n"
      "using Alias = Plain;\n"
      "using std::string;\n"
      "}  // namespace\n"
      "}  // namespace gps\n");
  EXPECT_THAT(types_defined_in(text),
              ElementsAre("gps::Plain", "gps::Derived", "gps::Kind", "gps::kernels::Branch",
                          "gps::::Local", "gps::::Alias"));
}

TEST(OneName, NoTypeIsDefinedInTwoHeaders) {
  const auto headers = files_by_type(".h");
  EXPECT_GT(headers.size(), 200u) << "the types are not found any more";
  for (const auto& [type, files] : headers)
    EXPECT_EQ(files.size(), 1u) << type << " is defined in " << ::testing::PrintToString(files);
}

TEST(OneName, TheProgramUsesNoNameOfTheLibrary) {
  const auto headers = files_by_type(".h");
  std::size_t types = 0;
  for (const auto& [type, files] : headers) {
    if (!type.starts_with("gps::cli::")) continue;
    ++types;
    EXPECT_FALSE(headers.contains("gps::" + last_part(type)))
        << ::testing::PrintToString(files) << " must not define " << type;
  }
  EXPECT_GT(types, 20u) << "the types are not found any more";
}

TEST(OneName, NoSourceUsesTheNameOfAHeadersType) {
  const auto headers = files_by_type(".h");
  for (const auto& [type, files] : files_by_type(".cpp")) {
    const std::string name = last_part(type);
    EXPECT_FALSE(headers.contains("gps::" + name) || headers.contains("gps::cli::" + name))
        << ::testing::PrintToString(files) << " must not define " << name
        << ", which is a type of a header";
  }
}

}  // namespace one_name_test
}  // namespace gps
