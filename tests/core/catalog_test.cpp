#include "gps/core/catalog.h"

#include <gmock/gmock.h>

namespace gps {
namespace catalog_test {

const Catalog& catalog() {
  static const Catalog entries = {{"ring", "Ring", "Newest of each class."},
                                  {"reservoir", "RS", "Every example alike."}};
  return entries;
}

TEST(Catalog, ListsNamesInItsOwnOrder) {
  EXPECT_THAT(names(catalog()), ::testing::ElementsAre("ring", "reservoir"));
}

TEST(Catalog, FindsAnEntryByName) {
  EXPECT_EQ(find(catalog(), "policy", "reservoir").paper, "RS");
  EXPECT_EQ(&find(catalog(), "policy", "ring"), catalog().data());
}

TEST(Catalog, AnswersAnUnknownNameWithTheKnownOnes) {
  for (const std::string name : {"best", "re", ""}) {
    try {
      find(catalog(), "policy", name);
      ADD_FAILURE() << name << " was found";
    } catch (const UsageError& error) {
      EXPECT_EQ(error.what(), "unknown policy '" + name + "'; known: ring, reservoir");
    }
  }
}

TEST(Catalog, SuggestsTheNameThatWasProbablyMeant) {
  const std::vector<std::pair<std::string, std::string>> mistakes = {
      {"resevoir", "reservoir"}, {"Ring", "ring"}, {"rin", "ring"}, {"rings", "ring"}};
  for (const auto& [name, meant] : mistakes) {
    try {
      find(catalog(), "policy", name);
      ADD_FAILURE() << name << " was found";
    } catch (const UnknownName& error) {
      EXPECT_EQ(error.what(), "unknown policy '" + name + "'; did you mean '" + meant +
                                  "'? known: ring, reservoir");
      EXPECT_EQ(error.name(), name);
    }
  }
}

}  // namespace catalog_test
}  // namespace gps
