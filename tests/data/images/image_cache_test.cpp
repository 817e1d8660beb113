#include "gps/data/images/image_cache.h"

#include <gmock/gmock.h>

#include <atomic>
#include <csignal>
#include <fstream>
#include <thread>

#include "gps/core/errors.h"
#include "support/child.h"
#include "support/moment.h"
#include "support/temporary_folder.h"
#include "support/tiny_sets.h"

namespace gps {
namespace image_cache_test {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::start_child;
using testing::wait_for;
namespace fs = std::filesystem;

constexpr std::size_t kCount = 300;
constexpr std::size_t kHeader = 56;
constexpr std::size_t kFirstImage = 4096;

class ImageCache : public ::testing::Test {
 protected:
  ImageCache() {
    for (std::size_t i = 0; i < kCount; ++i) labels.push_back(static_cast<Label>(i % 7));
  }

  ImageCacheContent content() {
    return {"a set", key, shape, labels, [this](std::size_t i, std::span<std::uint8_t> out) {
              ++decoded;
              for (std::size_t k = 0; k < out.size(); ++k) out[k] = pixel(i, k);
            }};
  }

  static std::uint8_t pixel(std::size_t i, std::size_t k) {
    return static_cast<std::uint8_t>(i * 31 + k);
  }

  // Opens the cache and checks every byte of it; returns how many images had to be decoded.
  std::size_t open(const LoadHooks& hooks = {}) {
    decoded = 0;
    const ImageStore images = cached_images(path, content(), hooks);
    for (std::size_t i = 0; i < labels.size(); ++i) {
      for (std::size_t k = 0; k < shape.bytes(); ++k) {
        if (images.get()[i * shape.bytes() + k] != pixel(i, k)) {
          ADD_FAILURE() << "image " << i << ", byte " << k;
          return decoded;
        }
      }
    }
    return decoded;
  }

  std::vector<std::string> files() {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(path.parent_path())) {
      const std::string name = entry.path().filename().string();
      if (!name.ends_with(".lock")) names.push_back(name);
    }
    return names;
  }

  testing::TemporaryFolder folder{testing::in_memory()};
  fs::path path = folder.path() / "cache" / "a.images";
  std::uint64_t key = 17;
  ImageShape shape{3, 5, 4};
  std::vector<Label> labels;
  std::atomic<std::size_t> decoded = 0;
};

TEST_F(ImageCache, DecodesOnce) {
  EXPECT_EQ(open(), kCount);
  EXPECT_EQ(open(), 0u);
  EXPECT_THAT(files(), ElementsAre("a.images"));
  EXPECT_EQ(fs::file_size(path), kFirstImage + kCount * shape.bytes());
}

TEST_F(ImageCache, IsTheSameForAnyNumberOfWorkers) {
  open();
  const std::string alone = testing::read_file(path);
  fs::remove(path);
  Executor executor(3);
  EXPECT_EQ(open({.executor = &executor}), kCount);
  EXPECT_EQ(testing::read_file(path), alone);
}

TEST_F(ImageCache, TellsHowFarItIs) {
  Executor executor(3);
  std::vector<std::uint64_t> done;
  open({.executor = &executor, .progress = [&](const LoadProgress& now) {
          EXPECT_EQ(now.what, "decoding a set");
          EXPECT_EQ(now.total, kCount);
          done.push_back(now.done);
        }});
  EXPECT_TRUE(std::is_sorted(done.begin(), done.end()));
  EXPECT_GE(done.size(), 4u);
  EXPECT_EQ(done.back(), kCount);
}

TEST_F(ImageCache, IsMadeAnewForOtherContent) {
  open();
  key = 18;
  EXPECT_EQ(open(), kCount);
  EXPECT_EQ(open(), 0u);
  shape = {3, 4, 5};  // as many bytes
  EXPECT_EQ(open(), kCount);
  labels[5] = 6;
  EXPECT_EQ(open(), kCount);
  labels.pop_back();
  EXPECT_EQ(open(), kCount - 1);
  EXPECT_EQ(open(), 0u);
}

TEST_F(ImageCache, DamagedInAnyPartIsMadeAnew) {
  open();
  const std::string whole = testing::read_file(path);
  std::vector<std::size_t> places = {kHeader,     kHeader + 2 * kCount - 1, kFirstImage - 1,
                                     kFirstImage, whole.size() / 2,         whole.size() - 1};
  for (std::size_t at = 0; at < kHeader; at += 8) places.push_back(at);  // a part each
  for (const std::size_t at : places) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ 1);
    testing::write_file(path, damaged);
    EXPECT_EQ(open(), kCount) << "byte " << at;
  }
}

TEST_F(ImageCache, OfAnotherLengthIsMadeAnew) {
  open();
  const std::string whole = testing::read_file(path);
  for (const std::size_t length :
       {std::size_t{0}, std::size_t{1}, kHeader - 1, kHeader, kFirstImage, whole.size() - 1}) {
    testing::write_file(path, whole.substr(0, length));
    EXPECT_EQ(open(), kCount) << length;
  }
  testing::write_file(path, whole + "x");
  EXPECT_EQ(open(), kCount);
}

TEST_F(ImageCache, ThatIsReplacedStaysWithThoseWhoHaveIt) {
  const ImageStore old = cached_images(path, content(), {});
  key = 18;
  open();
  EXPECT_EQ(old.get()[0], pixel(0, 0));
  EXPECT_EQ(old.get()[kCount * shape.bytes() - 1], pixel(kCount - 1, shape.bytes() - 1));
}

TEST_F(ImageCache, LeavesNothingWhenDecodingFails) {
  ImageCacheContent bad = content();
  bad.decode = [](std::size_t i, std::span<std::uint8_t>) {
    if (i == 200) throw DataError("image 200 is bad");
  };
  Executor executor(2);
  EXPECT_THROW(cached_images(path, bad, {.executor = &executor}), DataError);
  EXPECT_THAT(files(), IsEmpty());
  EXPECT_EQ(open(), kCount);
}

TEST_F(ImageCache, LeavesNothingWhenInterrupted) {
  StopFlag stop;
  EXPECT_THROW(open({.stop = &stop, .progress = [&](const LoadProgress&) { stop.request(); }}),
               Interrupted);
  EXPECT_THAT(files(), IsEmpty());
}

TEST_F(ImageCache, IsNotTrustedAfterAKillInTheMiddle) {
  const pid_t child = start_child([&] {
    open({.progress = [](const LoadProgress& now) {
      if (now.done > kCount / 2) std::raise(SIGKILL);
    }});
  });
  EXPECT_EQ(wait_for(child), -SIGKILL);
  EXPECT_THAT(files(), ElementsAre("a.images.partial"));
  EXPECT_EQ(open(), kCount);
  EXPECT_THAT(files(), ElementsAre("a.images"));
  EXPECT_EQ(open(), 0u);
}

// One builds, and gets no further until the other has come and waits for it.
class TwoAtOnce : public ImageCache {
 protected:
  void build() {
    cached_images(path, content(), {.progress = [&](const LoadProgress&) {
                    has_begun.comes();
                    is_waited_for.wait();
                  }});
  }
  void wait_for_it() {
    has_begun.wait();
    cached_images(path, content(), {.progress = [&](const LoadProgress& now) {
                    EXPECT_EQ(now.what, "waiting for another process that is decoding a set");
                    is_waited_for.comes();
                  }});
  }

  testing::Moment has_begun;
  testing::Moment is_waited_for;
};

TEST_F(TwoAtOnce, ProcessesHaveItBuiltByOne) {
  const auto exit_with = [](bool is_right) { _exit(is_right && !HasFailure() ? 0 : 2); };
  const pid_t first = start_child([&] {
    build();
    exit_with(decoded == kCount);
  });
  const pid_t second = start_child([&] {
    wait_for_it();
    exit_with(decoded == 0);
  });
  EXPECT_EQ(wait_for(first), 0);
  EXPECT_EQ(wait_for(second), 0);
  EXPECT_THAT(files(), ElementsAre("a.images"));
  EXPECT_EQ(open(), 0u);
}

TEST_F(TwoAtOnce, ThreadsHaveItBuiltByOne) {
  std::thread first([&] { build(); });
  wait_for_it();
  first.join();
  EXPECT_EQ(decoded, kCount);
  EXPECT_EQ(open(), 0u);
}

}  // namespace image_cache_test
}  // namespace gps
