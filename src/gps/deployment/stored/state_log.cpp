#include "gps/deployment/stored/state_log.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <pwd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <optional>

#include "gps/core/build.h"
#include "gps/core/errors.h"
#include "gps/core/files/files.h"
#include "gps/core/files/line_log.h"
#include "gps/core/json_checksum.h"

namespace gps {
namespace {

using nlohmann::json;

// What a line says of the newest version, or what is so.
struct NewestVersion {
  int version = 0;  // 0: there is none
  std::string checksum = {};

  bool operator==(const NewestVersion&) const = default;
};

NewestVersion newest_in(const StateFolder& folder) {
  const std::vector<int> all = folder.versions();
  if (all.empty()) return {};
  return {all.back(), fmt::format("{:08x}", checksum(read_file(folder.file(all.back()))))};
}

std::optional<NewestVersion> newest_by(const json& line) {
  if (!line.contains("version")) return std::nullopt;
  return NewestVersion{line.at("version").get<int>(), line.value("version_checksum", "")};
}

std::string iso_time(std::int64_t when) {
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(static_cast<std::time_t>(when)));
}

// Whether what settle() goes by is of the right types: a checksum does not say who made a line.
bool has_usable_keys(const json& line) {
  const auto is_text = [&](const char* key) {
    return !line.contains(key) || line.at(key).is_string();
  };
  if (!is_text("event") || !is_text("version_checksum")) return false;
  if (line.contains("version") && !line.at("version").is_number_integer()) return false;
  if (line.value("event", "") != "erase") return true;
  const json hashes = line.value("hashes", json());
  return hashes.is_array() && std::all_of(hashes.begin(), hashes.end(),
                                          [](const json& hash) { return hash.is_string(); });
}

// Nothing if the line is not as it was written.
std::optional<json> parsed(const std::string& text) {
  json line = json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!line.is_object() || line.value("checksum", json()) != json_checksum(line, "checksum") ||
      !has_usable_keys(line))
    return std::nullopt;
  return line;
}

// The last change of the state that lines tell of: announced, and what was so before it.
struct LastChange {
  std::optional<json> announced;
  NewestVersion before;
};

LastChange last_change_in(const std::vector<json>& lines) {
  LastChange last;
  NewestVersion now;
  for (const json& line : lines) {
    const std::string event = line.value("event", "");
    if (event == "undone") {
      last.announced.reset();
      now = last.before;
    } else if (const auto newest = newest_by(line)) {
      last.before = now;
      last.announced = line;
      now = *newest;
    } else if (event == "erase") {
      last.before = now;
      last.announced = line;
    }
  }
  if (!last.announced) last.before = now;
  return last;
}

}  // namespace

LogAuthor this_process(const std::string& command) {
  LogAuthor author{.command = command, .build = build_identity()};
  // The user by whose rights files are written; the environment might name another one.
  const uid_t user = geteuid();
  std::array<char, 4096> scratch{};
  passwd entry{};
  passwd* found = nullptr;
  const bool is_known =
      getpwuid_r(user, &entry, scratch.data(), scratch.size(), &found) == 0 && found != nullptr;
  author.user = is_known ? entry.pw_name : std::to_string(user);
  std::array<char, 256> host{};
  if (gethostname(host.data(), host.size() - 1) == 0) author.host = host.data();
  std::error_code error;
  author.folder = std::filesystem::current_path(error).string();
  return author;
}

StateLog::StateLog(const StateFolder& folder, LogAuthor author, std::function<std::int64_t()> clock)
    : folder_(folder), author_(std::move(author)), clock_(std::move(clock)) {}

LogLines StateLog::read() const {
  LogLines found;
  std::string previous;
  std::size_t number = 0;
  for (const std::string& text : read_whole_lines(file())) {
    ++number;
    std::optional<json> line = parsed(text);
    if (!line || line->value("previous", json()) != previous) found.damaged.push_back(number);
    if (!line) continue;
    previous = line->at("checksum").get<std::string>();
    found.lines.push_back(std::move(*line));
  }
  return found;
}

void StateLog::add(const std::string& event, const json& what) {
  json line = {{"when", iso_time(clock_())}, {"event", event},
               {"user", author_.user},       {"host", author_.host},
               {"command", author_.command}, {"folder", author_.folder},
               {"build", author_.build}};
  for (const auto& [key, value] : what.items()) line[key] = value;
  const std::vector<json> before = read().lines;
  line["previous"] = before.empty() ? "" : before.back().at("checksum").get<std::string>();
  // As it will be read: bytes that are no UTF-8 are replaced.
  line = json::parse(line.dump(-1, ' ', false, json::error_handler_t::replace));
  line["checksum"] = json_checksum(line, "checksum");
  append_line(file(), line.dump());
}

BeforeKept StateLog::announcing(const std::string& event, const json& what) {
  return [this, event, what](int version, std::uint32_t sum) {
    json announced = what;
    announced["version"] = version;
    announced["version_checksum"] = fmt::format("{:08x}", sum);
    add(event, announced);
  };
}

void StateLog::add_erased(const std::string& event, const Erasure& erasure) {
  const NewestVersion newest = newest_in(folder_);
  add(event, {{"erased", erasure.erased},
              {"images", {{"replay", erasure.images.replayed}, {"test", erasure.images.tests}}},
              {"rewritten_versions", erasure.rewritten},
              {"candidate_rewritten", erasure.is_candidate_rewritten},
              {"not_changed", erasure.untouched},
              {"version", newest.version},
              {"version_checksum", newest.checksum}});
}

Erasure StateLog::erase(const ImageHashes& hashes) {
  json names = json::array();
  for (const std::uint64_t hash : hashes) names.push_back(hash_text(hash));
  add("erase", {{"hashes", names}});
  try {
    Erasure erasure = erase_for_good(folder_, hashes);
    add_erased("erased", erasure);
    return erasure;
  } catch (const UsageError&) {  // it was refused before anything was changed
    add("undone", json::object());
    throw;
  }
}

Erasure StateLog::expire(std::int64_t now) {
  Erasure erasure = expire_for_good(folder_, now);
  if (erasure.erased > 0) add_erased("expire", erasure);
  return erasure;
}

std::vector<std::string> StateLog::settle() {
  std::vector<std::string> told;
  if (const std::size_t bytes = remove_torn_line(file()); bytes > 0) {
    add("repaired", {{"torn_bytes", bytes}});
    told.push_back(fmt::format("{}: the last line was torn, and is removed", file().string()));
  }
  const LogLines log = read();
  for (const std::size_t number : log.damaged) {
    told.push_back(
        fmt::format("{}: line {} is not as it was written, or lines before it are missing",
                    file().string(), number));
  }
  const LastChange last = last_change_in(log.lines);
  if (last.announced && last.announced->value("event", "") == "erase") {
    std::vector<std::uint64_t> hashes;
    for (const json& name : last.announced->at("hashes")) {
      if (const auto hash = parse_hash(name.get<std::string>())) hashes.push_back(*hash);
    }
    add_erased("erased", erase_for_good(folder_, in_order(std::move(hashes))));
    told.emplace_back("an erasure that was interrupted is ended now");
    return told;
  }
  const NewestVersion now = newest_in(folder_);
  const NewestVersion expected = last.announced ? *newest_by(*last.announced) : last.before;
  if (now == expected) return told;
  if (last.announced && now == last.before) {
    add("undone", json::object());
  } else {
    add("found", {{"version", now.version}, {"version_checksum", now.checksum}});
  }
  return told;
}

}  // namespace gps
