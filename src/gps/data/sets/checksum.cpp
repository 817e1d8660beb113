#include "gps/data/sets/checksum.h"

#include <fmt/format.h>
#include <openssl/evp.h>
#include <zlib.h>

#include <array>
#include <cerrno>
#include <fstream>
#include <stdexcept>
#include <system_error>
#include <vector>

#include "gps/core/errors.h"

namespace gps {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kBlock = std::size_t{1} << 16;

[[noreturn]] void refuse_reading(const fs::path& path, int reason) {
  throw DataError(fmt::format("{}: cannot be read: {}", path.string(),
                              std::generic_category().message(reason)));
}

}  // namespace

struct Sha256::State {
  std::unique_ptr<EVP_MD_CTX, void (*)(EVP_MD_CTX*)> context{EVP_MD_CTX_new(), &EVP_MD_CTX_free};

  static void require(int is_done) {
    if (is_done != 1) throw std::runtime_error("SHA-256 is not available; expected OpenSSL's");
  }
};

Sha256::Sha256() : state_(std::make_unique<State>()) {
  State::require(EVP_DigestInit_ex(state_->context.get(), EVP_sha256(), nullptr));
}

Sha256::~Sha256() = default;

void Sha256::add(std::string_view bytes) {
  State::require(EVP_DigestUpdate(state_->context.get(), bytes.data(), bytes.size()));
}

std::string Sha256::digits() {
  std::array<unsigned char, EVP_MAX_MD_SIZE> value{};
  unsigned size = 0;
  State::require(EVP_DigestFinal_ex(state_->context.get(), value.data(), &size));
  std::string text;
  for (unsigned k = 0; k < size; ++k) text += fmt::format("{:02x}", value[k]);
  return text;
}

std::string sha256_of(const fs::path& file, const LoadHooks& hooks) {
  errno = 0;
  std::ifstream in(file, std::ios::binary);
  if (!in) refuse_reading(file, errno);
  Sha256 sum;
  std::vector<char> block(kBlock);
  while (in) {
    hooks.check_stop();
    in.read(block.data(), static_cast<std::streamsize>(block.size()));
    sum.add({block.data(), static_cast<std::size_t>(in.gcount())});
  }
  if (!in.eof()) refuse_reading(file, errno == 0 ? EIO : errno);
  return sum.digits();
}

std::optional<std::string> sha256_of_content(const fs::path& file, std::uint64_t most,
                                             const LoadHooks& hooks) {
  errno = 0;
  const std::unique_ptr<gzFile_s, int (*)(gzFile)> in(gzopen(file.c_str(), "rb"), &gzclose);
  if (!in) refuse_reading(file, errno);
  Sha256 sum;
  std::vector<char> block(kBlock);
  std::uint64_t size = 0;
  while (true) {
    hooks.check_stop();
    const int got = gzread(in.get(), block.data(), static_cast<unsigned>(block.size()));
    int code = Z_OK;
    gzerror(in.get(), &code);
    if (code == Z_ERRNO) refuse_reading(file, errno);
    if (code != Z_OK && code != Z_STREAM_END) return std::nullopt;
    if (got <= 0) return sum.digits();
    size += static_cast<std::uint64_t>(got);
    if (size > most) return std::nullopt;
    sum.add({block.data(), static_cast<std::size_t>(got)});
  }
}

}  // namespace gps
