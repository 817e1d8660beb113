// A web server on 127.0.0.1 that answers as a test wants it to: well, badly, or not at all. It
// waits for its clients without a time limit, until it is destroyed.
#pragma once

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <functional>
#include <list>
#include <map>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace gps::testing {

struct HttpRequest {
  std::string path;                 // "/set/file"
  std::optional<std::size_t> from;  // the first byte asked for, if not all were
};

struct HttpReply {
  int status = 200;
  std::string body = {};
  std::vector<std::string> headers = {};      // "Location: …"
  std::optional<std::size_t> announced = {};  // as Content-Length; otherwise that of the body
  bool announces = true;                      // a Content-Length at all
  std::size_t sent = std::string::npos;       // bytes of the body, after which …
  // … it closes the connection, sends nothing more, or sends one byte for each call of
  // HttpServer::send_one_more(), before or after it gets here.
  enum class Then { closes, stalls, trickles } then = Then::closes;
};

// All of `content`, or what follows the byte that was asked for.
inline HttpReply whole_or_rest(const HttpRequest& request, const std::string& content) {
  if (!request.from) return {.body = content};
  if (*request.from >= content.size())
    return {.status = 416, .headers = {fmt::format("Content-Range: bytes */{}", content.size())}};
  return {.status = 206,
          .body = content.substr(*request.from),
          .headers = {fmt::format("Content-Range: bytes {}-{}/{}", *request.from,
                                  content.size() - 1, content.size())}};
}

// A port of 127.0.0.1 that nobody else has as long as this exists. Whoever wants to connect to it
// is refused unless somebody listens.
class LocalPort {
 public:
  LocalPort() : socket_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    setenv("no_proxy", "127.0.0.1", 1);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof(address);
    auto* generic = reinterpret_cast<sockaddr*>(&address);
    if (socket_ < 0 || bind(socket_, generic, size) != 0 ||
        getsockname(socket_, generic, &size) != 0)
      throw std::runtime_error("cannot have a port of 127.0.0.1");
    number_ = ntohs(address.sin_port);
  }
  ~LocalPort() { close(socket_); }
  LocalPort(const LocalPort&) = delete;
  LocalPort& operator=(const LocalPort&) = delete;

  int socket_descriptor() const { return socket_; }
  std::string url() const { return fmt::format("http://127.0.0.1:{}", number_); }

 private:
  int socket_;
  unsigned number_ = 0;
};

class HttpServer {
 public:
  using Handler = std::function<HttpReply(const HttpRequest&)>;

  explicit HttpServer(Handler handler) : handler_(std::move(handler)) {
    if (listen(port_.socket_descriptor(), 64) != 0)
      throw std::runtime_error("cannot listen on 127.0.0.1");
    thread_ = std::thread([this] { accept_all(); });
  }
  // A server of files by path; everything else is not found.
  explicit HttpServer(std::map<std::string, std::string> files)
      : HttpServer([files = std::move(files)](const HttpRequest& request) -> HttpReply {
          const auto file = files.find(request.path);
          if (file == files.end()) return {.status = 404, .body = "no such file"};
          return whole_or_rest(request, file->second);
        }) {}
  ~HttpServer() {
    eventfd_write(end_, 1);
    thread_.join();
    for (std::thread& answer : answers_) answer.join();
    close(end_);
    close(allowed_);
  }
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  std::string url() const { return port_.url(); }

  // For a reply that trickles.
  void send_one_more() const { eventfd_write(allowed_, 1); }

  std::vector<HttpRequest> requests() const {
    const std::lock_guard lock(mutex_);
    return requests_;
  }
  // Bytes of bodies handed to the system so far.
  std::size_t bytes_sent() const {
    const std::lock_guard lock(mutex_);
    return bytes_sent_;
  }

 private:
  // False when the server is to end.
  bool wait_for(int descriptor, short events) const {
    std::array<pollfd, 2> waiting = {{{end_, POLLIN, 0}, {descriptor, events, 0}}};
    return poll(waiting.data(), waiting.size(), /*forever*/ -1) > 0 && waiting[0].revents == 0;
  }

  void accept_all() {
    const int listener = port_.socket_descriptor();
    while (wait_for(listener, POLLIN)) {
      const int connection = accept4(listener, nullptr, nullptr, SOCK_CLOEXEC);
      if (connection < 0) continue;
      answers_.emplace_back([this, connection] {
        answer(connection);
        close(connection);
      });
    }
  }

  std::optional<HttpRequest> read_request(int connection) const {
    std::string text;
    while (text.find("\r\n\r\n") == std::string::npos) {
      std::array<char, 4096> buffer{};
      if (!wait_for(connection, POLLIN)) return std::nullopt;
      const ssize_t got = recv(connection, buffer.data(), buffer.size(), 0);
      if (got <= 0) return std::nullopt;
      text.append(buffer.data(), static_cast<std::size_t>(got));
    }
    HttpRequest request{text.substr(4, text.find(' ', 4) - 4), {}};  // after "GET "
    const std::size_t range = text.find("Range: bytes=");
    if (range != std::string::npos) request.from = std::stoull(text.substr(range + 13));
    return request;
  }

  bool send_all(int connection, std::string_view bytes) {
    while (!bytes.empty()) {
      if (!wait_for(connection, POLLOUT)) return false;
      const ssize_t sent =
          send(connection, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
      if (sent < 0 && errno == EAGAIN) continue;
      if (sent <= 0) return false;
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
  }

  void answer(int connection) {
    const std::optional<HttpRequest> request = read_request(connection);
    if (!request) return;
    HttpReply reply;
    {
      const std::lock_guard lock(mutex_);
      requests_.push_back(*request);
      reply = handler_(*request);
      bytes_sent_ += std::min(reply.body.size(), reply.sent);
    }
    std::string head = fmt::format("HTTP/1.1 {} Whatever\r\nConnection: close\r\n", reply.status);
    if (reply.announces)
      head += fmt::format("Content-Length: {}\r\n", reply.announced.value_or(reply.body.size()));
    for (const std::string& header : reply.headers) head += header + "\r\n";
    const std::string_view body = std::string_view(reply.body).substr(0, reply.sent);
    if (!send_all(connection, head + "\r\n") || !send_all(connection, body)) return;
    if (reply.then == HttpReply::Then::stalls) wait_for(end_, 0);
    while (reply.then == HttpReply::Then::trickles && wait_for(allowed_, POLLIN)) {
      eventfd_t one = 0;
      eventfd_read(allowed_, &one);
      if (!send_all(connection, "x")) return;
    }
  }

  Handler handler_;
  LocalPort port_;
  int end_ = eventfd(0, EFD_CLOEXEC);
  int allowed_ = eventfd(0, EFD_CLOEXEC | EFD_SEMAPHORE);
  mutable std::mutex mutex_;
  std::vector<HttpRequest> requests_;
  std::size_t bytes_sent_ = 0;
  std::list<std::thread> answers_;
  std::thread thread_;
};

}  // namespace gps::testing
