#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <nlohmann/json.hpp>

#include "actions.h"
#include "commands.h"
#include "gps/core/tell_user.h"
#include "gps/core/text/printable.h"
#include "gps/data/sets/install.h"
#include "gps/data/sets/locate.h"
#include "gps/report/tables/table.h"
#include "patience.h"
#include "signals.h"
#include "terminal/bytes_text.h"
#include "terminal/load_display.h"
#include "terminal/option_text.h"
#include "terminal/wrapped.h"

namespace gps::cli {
namespace {

struct DataOptions {
  bool wants_help = false;
  bool wants_json = false;
  bool anew = false;
  double timeout = 30;
  std::string mirror;
  std::string data;
  std::vector<std::string> names;
};

const OptionTable<DataOptions>& data_options() {
  static const OptionTable<DataOptions> table = {
      option("mirror", &DataOptions::mirror,
             "download only from here: files are at URL/SET/FILE under their official names")
          .called("URL")
          .usually("$GPSCL_MIRROR"),
      option("force", &DataOptions::anew, "download again even if the set is installed"),
      option("timeout", &DataOptions::timeout,
             "give up on a source that sends less than 1 KiB per second for S seconds")
          .between(0.1, 86400)
          .called("S"),
      option("data", &DataOptions::data, "for verify and where: look in DIR first").called("DIR"),
      option("json", &DataOptions::wants_json, "for list and where: print JSON"),
  };
  return table;
}

std::vector<std::string> set_names() {
  std::vector<std::string> known;
  for (const PublishedSet& set : published_sets()) known.push_back(set.name);
  return known;
}

std::vector<PublishedSet> chosen(const DataOptions& options) {
  std::vector<PublishedSet> sets;
  for (const std::string& name : options.names) sets.push_back(published_set(name));
  return sets;
}

std::vector<PublishedSet> chosen_or_all(const DataOptions& options) {
  return options.names.empty() ? published_sets() : chosen(options);
}

std::vector<PublishedSet> some(const DataOptions& options) {
  if (!options.names.empty()) return chosen(options);
  throw UsageError("no data set given; known: " + join(set_names()));
}

nlohmann::json place_as_json(const std::optional<FoundSet>& found) {
  if (!found) return {{"path", nullptr}, {"place", nullptr}};
  return {{"path", found->path.string()}, {"place", with_dashes(found->place)}};
}

int list(const DataOptions& options) {
  Table table = {"set", "download", "contents", "where"};
  nlohmann::json all = nlohmann::json::array();
  for (const PublishedSet& set : published_sets()) {
    const std::optional<FoundSet> found = find_set(set, {});
    table.rows.push_back({set.name,
                          Cell::said(static_cast<double>(set.bytes()), bytes_text(set.bytes())),
                          set.summary, found ? found->path.string() : "not found"});
    nlohmann::json entry = place_as_json(found);
    entry.update({{"name", set.name},
                  {"title", set.title},
                  {"bytes", set.bytes()},
                  {"summary", set.summary},
                  {"origin", set.origin},
                  {"terms", set.terms},
                  {"sources", set.sources},
                  {"installed", is_installed(set, user_cache())}});
    all.push_back(entry);
  }
  fmt::print("{}", options.wants_json ? all.dump(1) + "\n" : text_table(table));
  return 0;
}

int where(const DataOptions& options) {
  Table table = {"set", "path", "place"};
  nlohmann::json all = nlohmann::json::object();
  for (const PublishedSet& set : chosen_or_all(options)) {
    const std::optional<FoundSet> found = find_set(set, options.data);
    if (!found && !options.names.empty()) refuse_missing(set, options.data);
    table.rows.push_back(
        {set.name, found ? found->path.string() : Cell::missing(),
         found ? with_dashes(found->place) : "not found; get it with: gpscl data get " + set.name});
    all[set.name] = place_as_json(found);
  }
  fmt::print("{}", options.wants_json ? all.dump(1) + "\n" : text_table(table));
  return 0;
}

// Shows what will be downloaded, and says if the set is already elsewhere on this machine.
void show_terms(const PublishedSet& set) {
  constexpr std::size_t kIndent = 10;
  constexpr std::size_t kWidth = 100;
  fmt::print("{}: {}; {} to download\n", set.title, set.summary, bytes_text(set.bytes()));
  fmt::print("  origin  {}\n", wrapped(set.origin, kIndent, kWidth));
  fmt::print("  terms   {}\n", wrapped(set.terms, kIndent, kWidth));
  const std::optional<FoundSet> found = find_set(set, {});
  if (found && found->path.parent_path() != user_cache())
    fmt::print("  note    {} is also in {} ({})\n", set.name, printable(found->path.string()),
               with_dashes(found->place));
  std::fflush(stdout);
}

// Does the work for each set. A failure for one set does not stop the work for the others.
template <typename Work>
int for_each_set(const std::vector<PublishedSet>& sets, const Work& work) {
  int exit_code = 0;
  StopFlag& stop = stop_on_signals();
  for (const PublishedSet& set : sets) {
    std::string failure;
    {
      LoadDisplay display(isatty(STDERR_FILENO) != 0);
      const LoadHooks hooks{.stop = &stop,
                            .progress = [&](const LoadProgress& now) { display.update(now); }};
      try {
        work(set, hooks);
      } catch (const DataError& error) {
        failure = error.what();
      }
    }
    if (failure.empty()) continue;
    tell_user("gpscl: {}", with_dashes(failure));
    exit_code = 1;
  }
  return exit_code;
}

int get(const DataOptions& options) {
  const std::vector<PublishedSet> sets = some(options);
  const char* mirror =
      std::getenv("GPSCL_MIRROR");  // NOLINT(concurrency-mt-unsafe): there is one thread
  const bool is_asked = !options.mirror.empty() || mirror == nullptr;
  InstallOptions how{
      .mirror = is_asked ? options.mirror : mirror, .anew = options.anew, .download = {}};
  how.download.stall = std::chrono::milliseconds(std::llround(1000 * options.timeout));
  how.download.connect =
      std::max(how.download.connect, patience_as_told().value_or(std::chrono::milliseconds(0)));
  validate(how);
  const std::filesystem::path cache = user_cache();
  try {
    return for_each_set(sets, [&](const PublishedSet& set, const LoadHooks& hooks) {
      const std::filesystem::path place = cache / set.folder;
      const bool is_ours = is_installed(set, cache);
      std::error_code unreachable;
      if (!options.anew && !is_ours && std::filesystem::is_directory(place, unreachable)) {
        fmt::print("{}: already exists and was not installed by gpscl, so it is not changed: {}\n",
                   set.name, printable(place.string()));
        return;
      }
      if (options.anew || !is_ours) show_terms(set);
      const bool is_new = install(set, cache, how, hooks);
      fmt::print("{}: {} {}{}\n", set.name, is_new ? "is now in" : "is already installed in",
                 printable(place.string()), is_new ? "" : " (--force downloads it again)");
      std::fflush(stdout);
    });
  } catch (const Interrupted&) {
    tell_user("gpscl: interrupted; the downloaded part is kept; run the same command to continue");
    return signal_exit_code();
  }
}

// Without names: all sets that the user has put somewhere. Debian checks its packages itself.
std::vector<PublishedSet> sets_to_verify(const DataOptions& options) {
  if (!options.names.empty()) return chosen(options);
  const std::filesystem::path of_debian = data_folders({}).back();
  std::vector<PublishedSet> sets = published_sets();
  std::erase_if(sets, [&](const PublishedSet& set) {
    const std::optional<FoundSet> found = find_set(set, options.data);
    return !found || found->path.parent_path() == of_debian;
  });
  if (!sets.empty()) return sets;
  std::vector<std::string> looked_in;
  for (const std::filesystem::path& folder : data_folders(options.data)) {
    if (folder != of_debian) looked_in.push_back(folder.string());
  }
  throw DataError(fmt::format(
      "{}: no data set is installed here; install one with: gpscl data get SET", join(looked_in)));
}

int verify(const DataOptions& options) {
  return for_each_set(
      sets_to_verify(options), [&](const PublishedSet& set, const LoadHooks& hooks) {
        const std::optional<FoundSet> found = find_set(set, options.data);
        if (!found) refuse_missing(set, options.data);
        const std::string answer = verify_found(set, found->path, hooks);
        fmt::print("{}: {} ({})\n", set.name, answer, printable(found->path.string()));
      });
}

int remove(const DataOptions& options) {
  return for_each_set(some(options), [&](const PublishedSet& set, const LoadHooks& hooks) {
    const std::uint64_t freed = remove_installed(set, user_cache(), hooks);
    if (freed == 0) {
      throw DataError(
          fmt::format("{}: gpscl did not install {} here, so nothing was removed; gpscl data where "
                      "shows where it is",
                      user_cache().string(), set.name));
    }
    fmt::print("{}: removed, {} freed\n", set.name, bytes_text(freed));
  });
}

const Actions<DataOptions>& data_actions() {
  static const Actions<DataOptions> actions = {
      "data",
      "names of sets",
      "it always covers all sets",
      {},
      {{"list", list, false, {"--json"}},
       {"get", get, true, {"--mirror", "--force", "--timeout"}},
       {"verify", verify, true, {"--data"}},
       {"where", where, true, {"--data", "--json"}},
       {"rm", remove, true, {}}}};
  return actions;
}

}  // namespace

const CommandTable& data_table() {
  static const CommandTable table = {
      R"(gpscl data: download public data sets, check them, and show where they are

Usage: gpscl data list [--json]
       gpscl data get SET... [--mirror URL] [--force]
       gpscl data verify [SET...] [--data DIR]
       gpscl data where [SET...] [--data DIR] [--json]
       gpscl data rm SET...

  list      the sets: mnist, fashion-mnist, cifar-10, cifar-100, tiny-imagenet
  get       download, check and unpack into the user's cache, where gpscl run looks. Shows owner
            and terms first. Run the same command to continue an interrupted download
  verify    compare sets with their checksums, where they are found (default: all that you have)
  where     where gpscl run finds the sets: --data, $GPSCL_DATA, the cache, or Debian's packages
  rm        remove installed sets and show how much space that freed

)",
      {place("action", "ACTION", data_actions().names()), place("names", "SET", set_names())},
      data_options().rows(),
      R"(
The cache is $XDG_CACHE_HOME/gpscl or ~/.cache/gpscl. Proxies: $https_proxy, $http_proxy, $no_proxy.

Example: download CIFAR-10 and use it
  gpscl data get cifar-10 && gpscl run s-cifar-10 --width 8 --epochs 1
)"};
  return table;
}

void add_data_command(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand("data", data_table().help());
  command->set_help_flag();
  const auto options = std::make_shared<DataOptions>();
  const auto action = std::make_shared<std::string>();
  command->add_option("action", *action);
  command->add_option("names", options->names);
  command->add_flag("-h,--help", options->wants_help);
  bind(*command, data_options(), *options);
  command->callback([options, action, command, &exit_code] {
    if (options->wants_help) {
      fmt::print("{}", data_table().help());
    } else {
      exit_code = data_actions().execute(*action, options->names, *command, *options);
    }
  });
}

}  // namespace gps::cli
