#include "gps/deployment/state_folder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <system_error>
#include <thread>

#include "gps/core/files.h"

namespace gps {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kMagic = "gpscl state\n";
constexpr const char* kEnding = ".state";
constexpr const char* kLock = "lock";

struct Header {
  std::array<char, kMagic.size()> magic{};
  std::uint32_t format = kStateFormat;
  std::uint32_t checksum = 0;  // of what comes after the header
  std::uint64_t size = 0;      // likewise

  void persist(Archive& archive) { archive(magic, format, checksum, size); }
};
constexpr std::size_t kHeaderSize = kMagic.size() + 16;

std::string with_header(const std::string& body) {
  Header header;
  std::copy(kMagic.begin(), kMagic.end(), header.magic.begin());
  header.checksum = checksum(body);
  header.size = body.size();
  Archive file;
  file(header);
  return file.bytes() + body;
}

// A whole version that this program cannot read.
class NewerFormat : public DataError {
 public:
  using DataError::DataError;
};

struct Body {
  std::string bytes;
  std::uint32_t format = 0;
};

// Throws DataError saying what is wrong with it.
Body body_of(const std::string& bytes) {
  Header header;
  if (bytes.size() < kHeaderSize) throw DataError("is damaged: too short");
  Archive start(bytes.substr(0, kHeaderSize));
  start(header);
  if (std::string_view(header.magic.data(), header.magic.size()) != kMagic)
    throw DataError("is damaged: it does not begin as a state does");
  if (header.format > kStateFormat) {
    throw NewerFormat(
        fmt::format("was written by a newer gpscl, which is to be used: its format is {}, and this "
                    "one knows {}",
                    header.format, kStateFormat));
  }
  std::string body = bytes.substr(kHeaderSize);
  if (body.size() != header.size)
    throw DataError(fmt::format("is damaged: {} bytes instead of {}", body.size(), header.size));
  if (checksum(body) != header.checksum) throw DataError("is damaged: its checksum is wrong");
  return {std::move(body), header.format};
}

std::string reason(int number) { return std::generic_category().message(number); }

// The version that a file holds; 0: it is none.
int version_of(const fs::path& file) {
  if (file.extension() != kEnding) return 0;
  const std::string stem = file.stem().string();
  int number = 0;
  const auto [end, error] = std::from_chars(stem.data(), stem.data() + stem.size(), number);
  return error == std::errc() && end == stem.data() + stem.size() && number > 0 ? number : 0;
}

// Is there nothing to read? Any other error is one: what cannot be read may well be a state.
bool is_absence(const std::error_code& error) {
  return error == std::errc::no_such_file_or_directory || error == std::errc::not_a_directory;
}

[[noreturn]] void refuse_unreadable(const fs::path& folder, const std::error_code& error) {
  throw DataError(fmt::format("{}: cannot be read: {}", folder.string(), error.message()));
}

bool is_leftover(const fs::path& file) { return file.extension() == ".tmp"; }

}  // namespace

fs::path StateFolder::file(int version) const {
  return folder_ / fmt::format("{:06}{}", version, kEnding);
}

std::vector<int> StateFolder::versions() const {
  std::vector<int> found;
  std::error_code error;
  for (fs::directory_iterator at(folder_, error), end; !error && at != end; at.increment(error)) {
    if (const int version = version_of(at->path()); version > 0) found.push_back(version);
  }
  if (error && !is_absence(error)) refuse_unreadable(folder_, error);
  std::sort(found.begin(), found.end());
  return found;
}

std::uintmax_t StateFolder::bytes() const {
  std::uintmax_t sum = 0;
  std::error_code error;
  for (fs::directory_iterator at(folder_, error), end; !error && at != end; at.increment(error)) {
    std::error_code gone;
    const std::uintmax_t size = at->is_regular_file(gone) ? at->file_size(gone) : 0;
    if (!gone) sum += size;
  }
  return sum;
}

int StateFolder::newest() const {
  const std::vector<int> all = versions();
  if (all.empty()) {
    throw UsageError(fmt::format("{}: no state is here; gpscl learn {} NEW_DATA makes one",
                                 folder_.string(), folder_.string()));
  }
  return all.back();
}

void StateFolder::check_is_free() const {
  std::error_code error;
  if (fs::exists(folder_, error) && !fs::is_directory(folder_, error))
    throw UsageError(fmt::format("{}: is a file, and a state is a folder", folder_.string()));
  for (fs::directory_iterator at(folder_, error), end; !error && at != end; at.increment(error)) {
    const fs::path name = at->path().filename();
    if (name == kLock || name == kModelFile || is_leftover(name)) continue;
    throw UsageError(
        fmt::format("{}: holds {} and no state; a new state wants a new or an empty folder",
                    folder_.string(), name.string()));
  }
  if (error && !is_absence(error)) refuse_unreadable(folder_, error);
}

LearnState StateFolder::read(int version) const {
  try {
    Body body = body_of(read_file(file(version)));
    return state_from(std::move(body.bytes), folder_, body.format);
  } catch (const NewerFormat& error) {
    throw NewerFormat(fmt::format("{} {}", file(version).string(), error.what()));
  } catch (const DataError& error) {
    const std::string what = error.what();
    const std::string name = file(version).string();
    throw DataError(what.starts_with(folder_.string()) ? what : fmt::format("{} {}", name, what));
  }
}

LearnState StateFolder::load() const {
  for (int last = 0;;) {
    const int version = newest();
    try {
      return read(version);
    } catch (const NewerFormat&) {
      throw;
    } catch (const DataError& error) {
      // A newer one may have come, and this one gone, in between.
      if (newest() != version && last != version) {
        last = version;
        continue;
      }
      const std::vector<int> all = versions();
      if (all.size() < 2)
        throw DataError(fmt::format("{}; no older version is kept", error.what()));
      const int before = all[all.size() - 2];
      std::string advice;
      try {
        read(before);
        advice = fmt::format("gpscl learn {} --rollback goes back to version {}, which is whole",
                             folder_.string(), before);
      } catch (const DataError&) {
        advice = fmt::format("version {} cannot be used either", before);
      }
      throw DataError(fmt::format("{}; {}", error.what(), advice));
    }
  }
}

// A copy that is what the state was made with; the user's file may have changed since.
void StateFolder::copy_model(const NetworkOptions& network) const {
  const fs::path copy = folder_ / kModelFile;
  write_file(copy, read_file(network.model));
  if (fingerprint(copy.string()) == network.model_fingerprint) return;
  std::error_code ignored;
  fs::remove(copy, ignored);
  throw DataError(fmt::format("{}: has changed since this call began", network.model));
}

Committed StateFolder::commit(LearnState& state) {
  const std::vector<int> all = versions();
  if (!all.empty() && state.tasks.size() == 1) {
    throw DataError(fmt::format("{}: has version {} already, which a first one must not follow",
                                folder_.string(), all.back()));
  }
  Committed result{.version = all.empty() ? 1 : all.back() + 1};
  try {
    if (is_file(state.options.spec.network.model) && all.empty())
      copy_model(state.options.spec.network);
    write_file(file(result.version), with_header(to_bytes(state)));
  } catch (const DataError& error) {
    throw DataError(
        fmt::format("{}; {}", error.what(),
                    all.empty() ? "there is no state yet"
                                : fmt::format("the state is as it was, version {}", all.back())));
  }
  for (const int version : all) {
    if (version >= result.version - state.options.keep) continue;
    std::error_code error;
    fs::remove(file(version), error);
    if (error)
      result.not_removed.push_back(
          fmt::format("{}: cannot be removed: {}", file(version).string(), error.message()));
  }
  sync_folder(folder_);
  return result;
}

int StateFolder::rollback() {
  const std::vector<int> all = versions();
  const int last = newest();
  if (all.size() < 2) {
    throw UsageError(
        fmt::format("{}: version {} is the only one kept, so there is none to go back "
                    "to; --keep says how many are",
                    folder_.string(), last));
  }
  const int before = all[all.size() - 2];
  read(before);
  try {
    body_of(read_file(file(last)));
  } catch (const NewerFormat& newer) {  // good, and not ours to remove
    throw DataError(fmt::format("{} {}", file(last).string(), newer.what()));
  } catch (const DataError&) {  // which is why it is left
  }
  std::error_code error;
  fs::remove(file(last), error);
  if (error) {
    throw DataError(fmt::format("{}: cannot be removed: {}", file(last).string(), error.message()));
  }
  sync_folder(folder_);
  return before;
}

void StateFolder::clean() const {
  std::error_code error;
  std::vector<fs::path> leftovers;
  for (fs::directory_iterator at(folder_, error), end; !error && at != end; at.increment(error)) {
    if (is_leftover(at->path())) leftovers.push_back(at->path());
  }
  for (const fs::path& leftover : leftovers) fs::remove(leftover, error);
}

StateLock::StateLock(const fs::path& folder, const std::function<void()>& wait,
                     const StopFlag& stop) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error)
    throw DataError(fmt::format("{}: cannot be made: {}", folder.string(), error.message()));
  const fs::path path = folder / kLock;
  descriptor_ = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (descriptor_ < 0)
    throw DataError(fmt::format("{}: cannot be made: {}", path.string(), reason(errno)));
  bool has_told = false;
  while (flock(descriptor_, LOCK_EX | LOCK_NB) != 0) {
    const int why = errno;
    try {
      if (why != EWOULDBLOCK && why != EINTR)
        throw DataError(fmt::format("{}: cannot be locked: {}", path.string(), reason(why)));
      if (!wait) {
        throw DataError(
            fmt::format("{}: another gpscl learn is at work; try again later, or without --no-wait",
                        folder.string()));
      }
      if (!has_told) wait();
      has_told = true;
      stop.check();
    } catch (...) {
      close(descriptor_);
      throw;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
}

StateLock::~StateLock() { close(descriptor_); }

}  // namespace gps
