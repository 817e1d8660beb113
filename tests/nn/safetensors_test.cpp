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
using ::testing::Not;

class Safetensors : public ::testing::Test {
 protected:
  void write(const std::string& bytes) const { std::ofstream(file, std::ios::binary) << bytes; }
  // The file of a header and the numbers after it.
  void write(const std::string& header, const std::string& numbers) const {
    std::string bytes(8, '\0');
    bytes[0] = static_cast<char>(header.size());
    write(bytes + header + numbers);
  }
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
  write(R"({"b":{"dtype":"F32","shape":[2],"data_offsets":[0,4]}})", "1234");
  EXPECT_THAT(refusal(), HasSubstr("'b' has the wrong size"));
}

TEST_F(Safetensors, RefusesSizesWhoseProductIsNotANumberOfBytes) {
  for (const char* shape : {"[1,16,1073741824,1073741824]", "[4294967296,4294967296]",
                            "[9223372036854775807,3]", "[18446744073709551615]"}) {
    write(R"({"b":{"dtype":"U8","shape":)" + std::string(shape) + R"(,"data_offsets":[0,0]}})", "");
    EXPECT_THAT(refusal(), HasSubstr("'b' is too large")) << shape;
  }
  write(R"({"b":{"dtype":"I64","shape":[2305843009213693952],"data_offsets":[0,0]}})", "");
  EXPECT_THAT(refusal(), HasSubstr("'b' is too large")) << "8 bytes each";
}

TEST_F(Safetensors, RefusesOffsetsAndSizesThatAreNoCounts) {
  for (const char* entry :
       {R"("shape":[-1],"data_offsets":[0,4])", R"("shape":[1.5],"data_offsets":[0,4])",
        R"("shape":[4],"data_offsets":[-4,0])", R"("shape":[4],"data_offsets":[0,4.5])",
        R"("shape":["4"],"data_offsets":[0,4])", R"("shape":4,"data_offsets":[0,4])",
        R"("shape":[4],"data_offsets":[4])", R"("shape":[4],"data_offsets":[1,5])",
        R"("shape":[4],"data_offsets":[4,0])"}) {
    write(R"({"b":{"dtype":"U8",)" + std::string(entry) + "}}", "1234");
    EXPECT_THAT(refusal(), HasSubstr("not a safetensors file")) << entry;
    EXPECT_THAT(refusal(), Not(HasSubstr("\n"))) << entry;
  }
  write(R"({"b":{"dtype":"U9","shape":[4],"data_offsets":[0,4]}})", "1234");
  EXPECT_THAT(refusal(), HasSubstr("'b' is of the unknown type 'U9'"));
  write("[]", "");
  EXPECT_THAT(refusal(), HasSubstr("its header is not a JSON object"));
}

TEST_F(Safetensors, TakesOnlyFloatsForWeights) {
  write_safetensors(file, {stored("b", "U8", {2}, std::vector<std::uint8_t>{7, 8})});
  EXPECT_THROW(read_weights(file), DataError);
}

}  // namespace safetensors_test
}  // namespace gps
