#include "gps/data/sets/published_sets.h"

#include <gmock/gmock.h>

#include <set>

#include "gps/core/errors.h"

namespace gps {
namespace published_sets_test {

using ::testing::AnyOf;
using ::testing::Each;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::SizeIs;
using ::testing::StartsWith;

TEST(PublishedSets, HaveSeveralSourcesSumsOriginAndTerms) {
  std::set<std::string> folders;
  for (const PublishedSet& set : published_sets()) {
    SCOPED_TRACE(set.name);
    EXPECT_GE(set.sources.size(), 3u);
    EXPECT_THAT(set.sources, Each(AnyOf(StartsWith("https://"), StartsWith("http://"))));
    EXPECT_THAT(set.sources, Each(EndsWith("/")));
    EXPECT_THAT(set.files, SizeIs(set.is_archive() ? 1 : 4));
    for (const PublishedFile& file : set.files) {
      EXPECT_THAT(file.sha256, MatchesRegex("[0-9a-f]+"));
      EXPECT_EQ(file.sha256.size(), 64u);
      EXPECT_GT(file.bytes, 1000u);
    }
    EXPECT_THAT(set.origin, HasSubstr("Cite"));
    EXPECT_NE(set.terms, "");
    EXPECT_TRUE(folders.insert(set.folder).second) << "two sets in one place";
    EXPECT_EQ(&published_set(set.name), &set);
  }
}

TEST(PublishedSets, RefuseAnUnknownNameAndListTheKnownOnes) {
  try {
    published_set("cifar10");
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_STREQ(
        error.what(),
        "unknown data set 'cifar10'; did you mean 'cifar-10'? known: mnist, fashion-mnist, "
        "cifar-10, cifar-100, tiny-imagenet");
  }
}

}  // namespace published_sets_test
}  // namespace gps
