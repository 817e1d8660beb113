#include <fmt/format.h>
#include <mpi.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <list>
#include <mutex>
#include <numeric>
#include <thread>

#include "gps/core/build.h"
#include "gps/experiments/scheduling/cluster.h"

namespace gps {
namespace {

// Sleep between tests: MPI's own waiting would keep a core busy that other work may need.
constexpr auto kNap = std::chrono::microseconds(200);

// Tags of messages.
constexpr int kText = 0;
constexpr int kClosed = 1;  // rank 0 leaves

void check(int code, const char* call) {
  if (code == MPI_SUCCESS) return;
  std::array<char, MPI_MAX_ERROR_STRING> text{};
  int length = 0;
  MPI_Error_string(code, text.data(), &length);
  throw std::runtime_error(fmt::format("{}: {}", call, text.data()));
}

std::string host_name() {
  std::array<char, MPI_MAX_PROCESSOR_NAME> name{};
  int length = 0;
  check(MPI_Get_processor_name(name.data(), &length), "MPI_Get_processor_name");
  return {name.data(), static_cast<std::size_t>(length)};
}

class MpiCluster final : public Cluster {
 public:
  MpiCluster() {
    int level = MPI_THREAD_SINGLE;
    check(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &level), "MPI_Init_thread");
    if (level < MPI_THREAD_SERIALIZED)
      throw std::runtime_error("this MPI library does not allow more than one thread");
    check(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
    check(MPI_Comm_rank(MPI_COMM_WORLD, &rank_), "MPI_Comm_rank");
    check(MPI_Comm_size(MPI_COMM_WORLD, &size_), "MPI_Comm_size");
  }
  ~MpiCluster() override {
    try {
      leave();
    } catch (...) {
      MPI_Abort(MPI_COMM_WORLD, 1);  // nobody is left who could be told
    }
  }
  MpiCluster(const MpiCluster&) = delete;
  MpiCluster& operator=(const MpiCluster&) = delete;

  // Waits until all messages have been sent and received before it leaves.
  void leave() {
    if (rank_ == 0) {
      for (int to = 1; to < size_; ++to) start_sending(to, kClosed, "");
    }
    MPI_Request all_sent = MPI_REQUEST_NULL;
    bool is_waiting = false;
    for (int is_done = 0; is_done == 0; std::this_thread::sleep_for(kNap)) {
      receive();
      if (!sending_.empty()) continue;
      if (!is_waiting) MPI_Ibarrier(MPI_COMM_WORLD, &all_sent);
      is_waiting = true;
      MPI_Test(&all_sent, &is_done, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
  }

  void introduce() {
    hosts_ = exchange(host_name());
    const std::vector<std::string> all = exchange(build_identity());
    const auto other = std::find_if(all.begin(), all.end(),
                                    [&](const std::string& text) { return text != all.front(); });
    if (other == all.end()) return;
    throw TeamError(fmt::format(
        "{} is build {}, but {} is {}; all ranks need the same program and the same kind of "
        "CPU to give bit-identical results",
        name_of(static_cast<std::size_t>(other - all.begin())), *other, name_of(0), all.front()));
  }

  std::size_t rank() const override { return static_cast<std::size_t>(rank_); }
  std::size_t size() const override { return static_cast<std::size_t>(size_); }
  std::string name_of(std::size_t member) const override {
    return fmt::format("rank {} on {}", member, hosts_.at(member));
  }

  std::size_t ranks_here() const override {
    return static_cast<std::size_t>(std::count(hosts_.begin(), hosts_.end(), hosts_[rank()]));
  }
  bool is_closed() const override { return is_closed_; }

  void send(std::size_t to, std::string text) override {
    const std::lock_guard lock(mutex_);
    start_sending(static_cast<int>(to), kText, std::move(text));
  }

  std::optional<Message> receive() override {
    const std::lock_guard lock(mutex_);
    sending_.remove_if([](Sending& message) {
      int is_done = 0;
      check(MPI_Test(&message.request, &is_done, MPI_STATUS_IGNORE), "MPI_Test");
      return is_done != 0;
    });
    int is_there = 0;
    MPI_Status status;
    check(MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &is_there, &status),
          "MPI_Iprobe");
    if (is_there == 0) return std::nullopt;
    int size = 0;
    check(MPI_Get_count(&status, MPI_CHAR, &size), "MPI_Get_count");
    Message message{static_cast<std::size_t>(status.MPI_SOURCE),
                    std::string(static_cast<std::size_t>(size), '\0')};
    check(MPI_Recv(message.text.data(), size, MPI_CHAR, status.MPI_SOURCE, status.MPI_TAG,
                   MPI_COMM_WORLD, MPI_STATUS_IGNORE),
          "MPI_Recv");
    if (status.MPI_TAG == kText) return message;
    is_closed_ = true;
    return std::nullopt;
  }

 protected:
  std::vector<std::string> exchange(const std::string& mine) override {
    const int size = static_cast<int>(mine.size());
    std::vector<int> sizes(this->size());
    wait([&](MPI_Request& request) {
      return MPI_Iallgather(&size, 1, MPI_INT, sizes.data(), 1, MPI_INT, MPI_COMM_WORLD, &request);
    });
    std::vector<int> starts(sizes.size() + 1, 0);
    std::partial_sum(sizes.begin(), sizes.end(), starts.begin() + 1);
    std::string bytes(static_cast<std::size_t>(starts.back()), '\0');
    wait([&](MPI_Request& request) {
      return MPI_Iallgatherv(mine.data(), size, MPI_CHAR, bytes.data(), sizes.data(), starts.data(),
                             MPI_CHAR, MPI_COMM_WORLD, &request);
    });
    std::vector<std::string> all;
    for (std::size_t k = 0; k < sizes.size(); ++k)
      all.push_back(
          bytes.substr(static_cast<std::size_t>(starts[k]), static_cast<std::size_t>(sizes[k])));
    return all;
  }

 private:
  struct Sending {
    Sending(std::string message, MPI_Request pending)
        : text(std::move(message)), request(pending) {}
    std::string text;
    MPI_Request request;
  };

  // REQUIRES: the lock is held.
  void start_sending(int to, int tag, std::string text) {
    Sending& message = sending_.emplace_back(std::move(text), MPI_REQUEST_NULL);
    check(MPI_Isend(message.text.data(), static_cast<int>(message.text.size()), MPI_CHAR, to, tag,
                    MPI_COMM_WORLD, &message.request),
          "MPI_Isend");
  }

  template <typename Start>
  void wait(const Start& start) {
    MPI_Request request = MPI_REQUEST_NULL;
    int is_done = 0;
    {
      const std::lock_guard lock(mutex_);
      check(start(request), "MPI_Iallgather");
    }
    while (true) {
      {
        const std::lock_guard lock(mutex_);
        check(MPI_Test(&request, &is_done, MPI_STATUS_IGNORE), "MPI_Test");
      }
      if (is_done != 0) return;
      std::this_thread::sleep_for(kNap);
    }
  }

  std::atomic<bool> is_closed_ = false;
  std::mutex mutex_;  // MPI_THREAD_SERIALIZED: one call at a time
  int rank_ = 0;
  int size_ = 1;
  std::vector<std::string> hosts_;
  std::list<Sending> sending_;
};

}  // namespace

std::unique_ptr<Cluster> join_cluster() {
  if (!is_launched()) return nullptr;
  auto cluster = std::make_unique<MpiCluster>();
  if (cluster->size() == 1) return nullptr;
  cluster->introduce();
  return cluster;
}

}  // namespace gps
