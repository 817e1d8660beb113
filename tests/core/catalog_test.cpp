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
  for (const std::string name : {"resevoir", "Ring", "rin", "rings"}) {
    try {
      find(catalog(), "policy", name);
      ADD_FAILURE() << name << " was found";
    } catch (const UsageError& error) {
      EXPECT_EQ(error.what(), "unknown policy '" + name + "'; known: ring, reservoir");
    }
  }
}

}  // namespace catalog_test
}  // namespace gps
