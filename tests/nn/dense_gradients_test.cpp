#include "gps/nn/dense_gradients.h"

#include <gtest/gtest.h>

namespace gps {
namespace dense_gradients_test {

std::string saved(std::size_t length) {
  DenseGradients gradients(length);
  for (int row = 0; row < 2; ++row) gradients.add(std::vector<float>(length, 1.0f));
  Archive archive;
  gradients.persist(archive);
  return archive.bytes();
}

TEST(DenseGradients, AreReadOnlyIfTheyAreAsLongAsTheWeights) {
  for (const std::size_t length : {2U, 3U, 4U}) {
    DenseGradients gradients(3);
    Archive archive(saved(length));
    if (length != 3) {
      EXPECT_THROW(gradients.persist(archive), DataError) << length;
      continue;
    }
    gradients.persist(archive);
    archive.finish();
    std::vector<float> sum(3);
    gradients.add_to(std::vector<float>{1, 10}, sum);
    EXPECT_EQ(sum, std::vector<float>(3, 11));
  }
}

}  // namespace dense_gradients_test
}  // namespace gps
