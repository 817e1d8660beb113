#include "gps/core/json_checksum.h"

#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>
#include <set>

namespace gps {
namespace json_checksum_test {

std::string of(const std::string& text, const std::string& except = "") {
  return json_checksum(nlohmann::json::parse(text), except);
}

TEST(JsonChecksum, IsThatOfTheContentHoweverItIsWritten) {
  const std::string expected = of(R"({"a":[1,0.25,"x",null,true],"b":{"c":-3}})");
  EXPECT_EQ(expected.size(), 8u);
  EXPECT_EQ(of(R"({ "b": {"c": -3.0}, "a": [1.0, 2.5e-1, "\u0078", null, true] })"), expected);
}

TEST(JsonChecksum, DiffersForDifferentContent) {
  std::set<std::string> seen;
  const std::vector<std::string> texts = {
      "null",      "true",      "false",    "0",       "1",       "-1",         "0.1",
      "0.2",       "\"\"",      "\"0\"",    "[]",      "[0]",     "[[]]",       "[0,0]",
      "[0,1]",     "[1,0]",     "[[0],1]",  "[[0,1]]", "{}",      "{\"a\":0}",  "{\"b\":0}",
      "{\"a\":1}", "[\"a\",0]", "[\"a0\"]", "[10]",    "[1,0.5]", "{\"a\":{}}", "{\"a\":[]}"};
  for (const std::string& text : texts)
    EXPECT_TRUE(seen.insert(of(text)).second) << text << " is like another";
}

TEST(JsonChecksum, SeesTheLastDigitOfANumber) {
  EXPECT_NE(of("0.30000000000000004"), of("0.3"));
  EXPECT_NE(of("18446744073709551615"), of("18446744073709551614"));
  EXPECT_NE(of("-9007199254740993"), of("-9007199254740992"));
}

TEST(JsonChecksum, LeavesOutAKeyOfTheOutermostObjectOnly) {
  EXPECT_EQ(of(R"({"a":1,"sum":"x"})", "sum"), of(R"({"a":1})"));
  EXPECT_NE(of(R"({"a":1,"sum":"x"})"), of(R"({"a":1})"));
  EXPECT_NE(of(R"({"a":{"sum":1}})", "sum"), of(R"({"a":{"sum":2}})", "sum"));
}

TEST(JsonChecksum, IsTheSameAfterTheWayThroughText) {
  const nlohmann::json json = {{"tenth", 0.1},
                               {"third", 1.0 / 3},
                               {"small", 5e-324},
                               {"large", 1.7976931348623157e308},
                               {"whole", 1e15},
                               {"zero", -0.0},
                               {"seed", std::numeric_limits<std::uint64_t>::max()},
                               {"low", std::numeric_limits<std::int64_t>::min()},
                               {"diverged", std::numeric_limits<double>::infinity()},
                               {"task", 1}};
  for (const int indent : {-1, 1})
    EXPECT_EQ(of(json.dump(indent)), json_checksum(json)) << json.dump(indent);
}

TEST(JsonChecksum, OfDeepJsonDoesNotExhaustTheStack) {
  constexpr std::size_t kDepth = 1000000;
  EXPECT_EQ(of(std::string(kDepth, '[') + std::string(kDepth, ']')).size(), 8u);
}

}  // namespace json_checksum_test
}  // namespace gps
