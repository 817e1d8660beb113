#include "gps/nn/safetensors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "gps/core/errors.h"
#include "support/temporary_folder.h"

namespace gps {
namespace safetensors_test {

using ::testing::HasSubstr;

class Safetensors : public ::testing::Test {
 protected:
  void write(const std::string& bytes) const { std::ofstream(file, std::ios::binary) << bytes; }
  std::string refusal() const {
    try {
      read_safetensors(file);
    } catch (const DataError& error) {
      return error.what();
    }
    return "(accepted)";
  }

  testing::TemporaryFolder folder;
  std::filesystem::path file = folder.path() / "a.safetensors";
};

TEST_F(Safetensors, IsALengthAHeaderAndTheNumbers) {
  write_safetensors(file, {stored("b", "U8", {2}, std::vector<std::uint8_t>{7, 8})});
  std::ifstream in(file, std::ios::binary);
  const std::string bytes(std::istreambuf_iterator<char>(in), {});
  const std::string header = R"({"b":{"dtype":"U8","shape":[2],"data_offsets":[0,2]}})";
  ASSERT_EQ(header.size(), 53u);
  EXPECT_EQ(bytes, std::string("\x38\0\0\0\0\0\0\0", 8) + header + "   \x07\x08");
}

TEST_F(Safetensors, ComesBackAsItWasWritten) {
  const NamedTensors weights = {
      {"z.weight", {2, 3}, {1, 2, 3, 4, 5, -6.5f}}, {"a.bias", {1}, {0.25f}}, {"none", {0, 4}, {}}};
  std::vector<StoredTensor> tensors;
  for (const NamedTensor& weight : weights) tensors.push_back(stored(weight));
  write_safetensors(file, tensors, {{"format", "pt"}});
  EXPECT_EQ(read_weights(file), weights);
}

TEST_F(Safetensors, SaysWhatIsWrongWithAFile) {
  EXPECT_THAT(refusal(), HasSubstr("cannot be read"));
  write("short");
  EXPECT_THAT(refusal(), HasSubstr("too short"));
  write(std::string("\xff\0\0\0\0\0\0\0", 8) + "{}");
  EXPECT_THAT(refusal(), HasSubstr("header is cut off"));
  write(std::string("\x02\0\0\0\0\0\0\0", 8) + "[}");
  EXPECT_THAT(refusal(), HasSubstr("not a safetensors file"));
  const std::string header = R"({"b":{"dtype":"F32","shape":[2],"data_offsets":[0,4]}})";
  std::string bytes(8, '\0');
  bytes[0] = static_cast<char>(header.size());
  bytes += header;
  bytes += "1234";
  write(bytes);
  EXPECT_THAT(refusal(), HasSubstr("'b' has the wrong size"));
}

TEST_F(Safetensors, TakesOnlyFloatsForWeights) {
  write_safetensors(file, {stored("b", "U8", {2}, std::vector<std::uint8_t>{7, 8})});
  EXPECT_THROW(read_weights(file), DataError);
}

}  // namespace safetensors_test
}  // namespace gps
