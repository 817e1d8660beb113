// Answers of a web server to a download: the bytes that are there already, and what the server
// sends to the first request and to the second. The connection stays on this machine.
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <deque>
#include <mutex>
#include <thread>

#include "fuzz/fuzz.h"
#include "gps/data/sets/download.h"
#include "support/http_server.h"

namespace gps::fuzz {
namespace {

// Answers each connection with the next reply, byte for byte, and closes it.
class RawServer {
 public:
  RawServer() {
    require(listen(port_.socket_descriptor(), 16) == 0, "there is a port to listen on");
    thread_ = std::thread([this] { serve(); });
  }
  ~RawServer() {
    shutdown(port_.socket_descriptor(), SHUT_RDWR);  // ends accept()
    thread_.join();
  }
  RawServer(const RawServer&) = delete;
  RawServer& operator=(const RawServer&) = delete;

  std::string url() const { return port_.url() + "/file.bin"; }

  void will_send(std::deque<std::string> replies) {
    const std::lock_guard lock(mutex_);
    replies_ = std::move(replies);
  }

 private:
  void serve() {
    while (true) {
      const int connection = accept4(port_.socket_descriptor(), nullptr, nullptr, SOCK_CLOEXEC);
      if (connection < 0) return;
      read_request(connection);
      send_all(connection, next_reply());
      close(connection);
    }
  }

  static void read_request(int connection) {
    std::string request;
    std::array<char, 1024> buffer{};
    while (request.find("\r\n\r\n") == std::string::npos) {
      const ssize_t got = recv(connection, buffer.data(), buffer.size(), 0);
      if (got <= 0) return;
      request.append(buffer.data(), static_cast<std::size_t>(got));
    }
  }

  static void send_all(int connection, std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t sent = send(connection, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent <= 0) return;
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
  }

  std::string next_reply() {
    const std::lock_guard lock(mutex_);
    if (replies_.empty()) return {};
    std::string reply = std::move(replies_.front());
    replies_.pop_front();
    return reply;
  }

  testing::LocalPort port_;
  std::mutex mutex_;
  std::deque<std::string> replies_;
  std::thread thread_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::uint64_t kMost = 4096;
  static RawServer server;
  const std::vector<std::string> parts = parts_of(text_of(data, size), 3);
  const std::filesystem::path file = folder() / "file.part";
  put(file, parts[0]);
  server.will_send({parts[1], parts[2]});
  DownloadOptions options;
  options.redirects = 0;  // never to another machine
  if (is_readable([&] { download(server.url(), file, kMost, options, {}); }))
    require(std::filesystem::file_size(file) <= kMost, "a download is not longer than allowed");
  shown(parts[1]);
  return 0;
}

}  // namespace gps::fuzz
