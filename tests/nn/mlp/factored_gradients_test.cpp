// Gradients of single examples, kept as factors: they add up, multiply and square as the flat ones.
#include "gps/nn/mlp/factored_gradients.h"

#include <gmock/gmock.h>

#include "nn/mlp/reference_mlp.h"
#include "nn/targets.h"

namespace gps {
namespace factored_gradients_test {

using testing::for_each_target;
using ::testing::Pointwise;
using testing::RandomBatch;
using Sizes = std::vector<std::size_t>;
using Floats = std::vector<float>;

// Entries of a gradient are below 1 and sums have a few dozen of them, each rounded by 6e-8.
constexpr float kTolerance = 2e-6f;
MATCHER(IsClose, "") { return std::abs(std::get<0>(arg) - std::get<1>(arg)) <= kTolerance; }

const std::vector<Sizes>& shapes() {
  static const std::vector<Sizes> all = {{5, 3}, {20, 7, 3}, {40, 17, 33, 10}, {65, 130, 2}};
  return all;
}

class Example {
 public:
  explicit Example(const Sizes& sizes, std::size_t rows = 9, std::uint64_t seed = 1)
      : net(sizes, Initialisation::pytorch, Rng(1)),
        batch(rows, sizes.front(), sizes.back(), seed),
        gradients(net.no_gradients()) {
    const LossTerm all{0, batch.labels, static_cast<float>(rows)};
    loss = net.example_gradients(batch.images, {&all, 1}, *gradients);
  }

  // Each row's gradient of -log p(label|x), in the order of parameters().
  std::vector<Floats> flat() const {
    std::vector<Floats> all;
    for (std::size_t r = 0; r < batch.images.size(); ++r) {
      const auto copy = net.clone();
      const LossTerm one{0, std::span(batch.labels).subspan(r, 1), 1};
      copy->accumulate(ImageRows(batch.images).subspan(r, 1), {&one, 1});
      all.push_back(copy->gradient());
    }
    return all;
  }

  // From the order of weights() to that of parameters().
  Floats reordered(const AlignedFloats& values) const {
    FusedMlp copy = net;
    std::copy_n(values.data(), values.size(), copy.weights().data());
    return copy.parameters();
  }

  FusedMlp net;
  RandomBatch batch;
  std::unique_ptr<ExampleGradients> gradients;
  double loss = 0;
};

TEST(FactoredGradients, AddUpToTheFlatGradients) {
  for_each_target([] {
    for (const Sizes& sizes : shapes()) {
      const Example example(sizes);
      const std::vector<Floats> flat = example.flat();
      Floats factors;
      Floats expected(flat[0].size());
      for (std::size_t r = 0; r < flat.size(); ++r) {
        factors.push_back(0.25f * static_cast<float>(r) - 1);
        for (std::size_t k = 0; k < expected.size(); ++k) expected[k] += factors[r] * flat[r][k];
      }
      AlignedFloats sum(example.net.clone()->weights().size());
      example.gradients->add_to(factors, sum);
      EXPECT_THAT(example.reordered(sum), Pointwise(IsClose(), expected));
    }
  });
}

TEST(FactoredGradients, SquaresAddUpToThoseOfTheFlatGradients) {
  for_each_target([] {
    for (const Sizes& sizes : shapes()) {
      const Example example(sizes);
      const std::vector<Floats> flat = example.flat();
      Floats expected(flat[0].size());
      for (const Floats& gradient : flat) {
        for (std::size_t k = 0; k < expected.size(); ++k)
          expected[k] += 0.5f * gradient[k] * gradient[k];
      }
      AlignedFloats sum(example.net.clone()->weights().size());
      example.gradients->add_squares_to(0.5f, sum);
      EXPECT_THAT(example.reordered(sum), Pointwise(IsClose(), expected));
    }
  });
}

TEST(FactoredGradients, LeaveThePaddingOfTheWeightsAlone) {
  const Example example({20, 7, 3});
  AlignedFloats sum(example.net.clone()->weights().size());
  example.gradients->add_to(Floats(example.gradients->size(), 1.0f), sum);
  example.gradients->add_squares_to(1, sum);
  std::size_t nonzero = 0;
  for (std::size_t k = 0; k < sum.size(); ++k) nonzero += sum[k] != 0 ? 1 : 0;
  EXPECT_LE(nonzero, example.net.parameters().size());
}

TEST(FactoredGradients, MultiplyAsTheFlatGradients) {
  for_each_target([] {
    for (const Sizes& sizes : shapes()) {
      const Example one(sizes, 9, 1);
      const Example other(sizes, 6, 2);
      const std::vector<Floats> a = one.flat();
      const std::vector<Floats> b = other.flat();
      Floats products(a.size() * b.size());
      one.gradients->inner_products(*other.gradients, products);
      for (std::size_t i = 0; i < a.size(); ++i) {
        for (std::size_t j = 0; j < b.size(); ++j) {
          double expected = 0;
          for (std::size_t k = 0; k < a[i].size(); ++k)
            expected += static_cast<double>(a[i][k]) * static_cast<double>(b[j][k]);
          EXPECT_NEAR(products[i * b.size() + j], expected, 1e-5 * (1 + std::abs(expected)));
        }
      }
    }
  });
}

TEST(FactoredGradients, AppendKeepsBothAndClearNone) {
  const Example one({20, 7, 3}, 4, 1);
  const Example other({20, 7, 3}, 5, 2);
  const auto both = one.gradients->clone();
  both->append(*other.gradients);
  ASSERT_EQ(both->size(), 9u);
  EXPECT_EQ(one.gradients->size(), 4u);
  AlignedFloats expected(one.net.clone()->weights().size());
  one.gradients->add_to(Floats(4, 1.0f), expected);
  other.gradients->add_to(Floats(5, 1.0f), expected);
  AlignedFloats sum(expected.size());
  both->add_to(Floats(9, 1.0f), sum);
  EXPECT_THAT(one.reordered(sum), Pointwise(IsClose(), one.reordered(expected)));
  both->clear();
  EXPECT_EQ(both->size(), 0u);
}

TEST(FactoredGradients, TakeTheWeightOfTheTermThatTheirRowIsIn) {
  Example example({20, 7, 3}, 3);
  const std::span<const Label> labels = example.batch.labels;
  const std::vector<LossTerm> terms = {{0, labels.subspan(0, 1), 3}, {2, labels.subspan(2, 1), -1}};
  const double loss =
      example.net.example_gradients(example.batch.images, terms, *example.gradients);
  const std::vector<Floats> flat = example.flat();
  AlignedFloats sum(example.net.weights().size());
  example.gradients->add_to(Floats(3, 1.0f), sum);
  Floats expected(flat[0].size());
  for (std::size_t k = 0; k < expected.size(); ++k) expected[k] = 3 * flat[0][k] - flat[2][k];
  EXPECT_THAT(example.reordered(sum), Pointwise(IsClose(), expected));

  const auto copy = example.net.clone();
  EXPECT_NEAR(loss, copy->accumulate(example.batch.images, terms), 1e-6);
}

TEST(FactoredGradients, AreReadOnlyWithInputsThatTheNetworkHas) {
  Example example({5, 3}, 1);
  Archive written;
  example.gradients->persist(written);
  const auto read = [&](const std::string& bytes) {
    Archive archive(bytes);
    const auto gradients = example.net.no_gradients();
    gradients->persist(archive);
    archive.finish();
    return gradients->size();
  };
  std::string bytes = written.bytes();
  EXPECT_EQ(read(bytes), 1u);
  // The mask of the only layer comes last; a weight of input 63 would lie behind all weights.
  bytes.back() = static_cast<char>(0x80);
  EXPECT_THROW(read(bytes), DataError);
}

// What stands in padding would be added to the padding of the weights: hidden units that do not
// exist would then have outputs, and the next layer reads a row of weights for each.
TEST(FactoredGradients, AreReadOnlyWithZerosInPadding) {
  Example example({5, 3, 2}, 2);
  Archive written;
  example.gradients->persist(written);
  const auto with = [&](std::size_t at) {
    std::string bytes = written.bytes();
    const float one = 1;
    bytes.replace(at, sizeof(one), reinterpret_cast<const char*>(&one), sizeof(one));
    Archive archive(bytes);
    try {
      example.net.no_gradients()->persist(archive);
    } catch (const DataError& error) {
      return std::string(error.what());
    }
    return std::string("(fine)");
  };
  // Each block begins with its number of values (8 bytes); the rows of both layers have 16 floats.
  const std::size_t row = 16 * sizeof(float);
  const std::size_t first_errors = 8 + 17 + 8 + (8 + 2 * 5) + 8;
  const std::size_t second_inputs = first_errors + 2 * row + (8 + 2 * 8) + 8;
  const std::size_t second_errors = second_inputs + 2 * row + 8;
  for (const auto& [block, used] : std::vector<std::pair<std::size_t, std::size_t>>{
           {first_errors, 3}, {second_inputs, 3}, {second_errors, 2}}) {
    for (std::size_t value = 0; value < 2 * 16; ++value) {
      const bool is_padding = value % 16 >= used;
      EXPECT_EQ(with(block + value * sizeof(float)),
                is_padding
                    ? "saved state: example gradients have units that the network does not have"
                    : "(fine)")
          << block << " " << value;
    }
  }
}

TEST(FactoredGradients, AreNotMadeForMoreRowsThanTheirBytesHold) {
  Example example({784, 100}, 1);
  Archive written;
  example.gradients->persist(written);
  std::string bytes = written.bytes();
  constexpr std::size_t kCount = 8 + 17;  // after the section's name
  ASSERT_EQ(bytes[kCount], 1);
  bytes[kCount + 3] = 1;  // 2^24 more rows, of which each would take more than a kilobyte
  bytes.append(std::size_t{1} << 25, '\0');
  Archive archive(bytes);
  try {
    example.net.no_gradients()->persist(archive);
    FAIL();
  } catch (const DataError& error) {
    EXPECT_STREQ(error.what(), "saved state: cut short");
  }
}

}  // namespace factored_gradients_test
}  // namespace gps
