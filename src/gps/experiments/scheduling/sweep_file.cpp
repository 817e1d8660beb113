#include "gps/experiments/scheduling/sweep_file.h"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <iterator>
#include <system_error>

#include "gps/core/errors.h"
#include "gps/core/text/nearest.h"
#include "gps/core/text/text.h"

namespace gps {
namespace {

namespace fs = std::filesystem;

int line_of(const toml::source_region& source) { return static_cast<int>(source.begin.line); }

class Reader {
 public:
  Reader(fs::path path, const std::map<std::string, SweepKind>& options,
         const std::map<std::string, std::string>& elsewhere)
      : path_(std::move(path)), options_(options), elsewhere_(elsewhere) {}

  SweepFile read() const {
    const toml::table root = parse();
    SweepFile file{path_, path_.stem().string(), "", {}};
    for (const auto& [key, node] : root) {
      const int line = line_of(key.source());
      if (key == "name" || key == "title") {
        const auto text = node.value_exact<std::string>();
        if (!text) fail(line, fmt::format("{} must be a string in quotes", key.str()));
        (key == "name" ? file.name : file.title) = *text;
      } else if (key != "defaults" && key != "grid") {
        const std::vector<std::string> known = {"name", "title", "defaults", "grid"};
        const bool is_option = options_.contains(std::string(key.str()));
        fail(line, fmt::format("unknown key '{}'; {}", key.str(),
                               is_option ? "options belong below [defaults] or [[grid]]"
                                         : "known here: " + join(known)));
      }
    }
    const std::vector<SweepSetting> defaults = read_defaults(root);
    const toml::node* grids = root.get("grid");
    if (grids == nullptr) {
      if (defaults.empty()) fail(1, "has no [[grid]], so there is nothing to run");
      file.grids.push_back({defaults, line_of(root.get("defaults")->source())});
      return file;
    }
    if (!grids->is_array_of_tables())
      fail(line_of(grids->source()), "grid must be written as [[grid]], one or several times");
    for (const toml::node& grid : *grids->as_array()) {
      file.grids.push_back({settings_in(*grid.as_table(), false), line_of(grid.source())});
      std::vector<SweepSetting>& settings = file.grids.back().settings;
      for (const SweepSetting& setting : defaults) {
        const bool is_replaced = std::any_of(
            settings.begin(), settings.end(),
            [&](const SweepSetting& own) { return concern_the_same(own.key, setting.key); });
        if (!is_replaced) settings.push_back(setting);
      }
    }
    return file;
  }

 private:
  [[noreturn]] void fail(int line, const std::string& what) const {
    throw UsageError(fmt::format("{}:{}: {}", path_.string(), line, what));
  }

  static bool concern_the_same(const std::string& a, const std::string& b) {
    const auto is_seeds = [](const std::string& key) { return key == "seed" || key == "seeds"; };
    return a == b || (is_seeds(a) && is_seeds(b));
  }

  toml::table parse() const {
    std::error_code ignored;
    if (fs::is_directory(path_, ignored))
      throw DataError(fmt::format("{}: is a folder; expected a TOML file", path_.string()));
    errno = 0;
    std::ifstream in(path_, std::ios::binary);
    const int why = errno;
    const std::string text(std::istreambuf_iterator<char>(in), {});
    if (!in) {
      throw DataError(fmt::format("{}: cannot be read: {}", path_.string(),
                                  std::generic_category().message(why)));
    }
    try {
      return toml::parse(text);
    } catch (const toml::parse_error& error) {
      fail(line_of(error.source()), std::string(error.description()));
    }
  }

  std::vector<SweepSetting> read_defaults(const toml::table& root) const {
    const toml::node* defaults = root.get("defaults");
    if (defaults == nullptr) return {};
    if (!defaults->is_table())
      fail(line_of(defaults->source()), "defaults must be written as [defaults]");
    return settings_in(*defaults->as_table(), true);
  }

  std::vector<SweepSetting> settings_in(const toml::table& table, bool is_default) const {
    std::vector<SweepSetting> settings;
    for (const auto& [key, node] : table) {
      const std::string name(key.str());
      const int line = line_of(key.source());
      check_known(name, line);
      SweepSetting setting{name, {}, line, node.is_array(), is_default};
      if (const toml::array* values = node.as_array()) {
        for (const toml::node& value : *values) setting.values.push_back(value_of(name, value));
      } else {
        setting.values.push_back(value_of(name, node));
      }
      if (setting.values.empty()) fail(line, fmt::format("{} has no value", name));
      settings.push_back(std::move(setting));
    }
    // Use the order of the file; the order of the table differs.
    std::stable_sort(settings.begin(), settings.end(),
                     [](const auto& a, const auto& b) { return a.line < b.line; });
    check_seeds(settings);
    return settings;
  }

  void check_seeds(const std::vector<SweepSetting>& settings) const {
    const SweepSetting* first = nullptr;
    for (const SweepSetting& setting : settings) {
      if (!concern_the_same(setting.key, "seeds")) continue;
      if (first != nullptr) {
        fail(setting.line,
             fmt::format("{} and {} cannot be used together; seeds = [3, 7] names several",
                         setting.key, first->key));
      }
      first = &setting;
    }
  }

  void check_known(const std::string& key, int line) const {
    if (options_.contains(key)) return;
    const auto at = elsewhere_.find(key);
    if (at != elsewhere_.end())
      fail(line, fmt::format("{} is not allowed here; {}", key, at->second));
    std::vector<std::string> known;
    for (const auto& [name, kind] : options_) known.push_back(name);
    fail(line, fmt::format("unknown key '{}'; did you mean '{}'? Keys are the options of gpscl run "
                           "without their dashes",
                           key, nearest(key, known)));
  }

  SweepValue value_of(const std::string& key, const toml::node& node) const {
    const int line = line_of(node.source());
    const bool is_flag = options_.at(key) == SweepKind::flag;
    if (const auto truth = node.value_exact<bool>()) {
      if (!is_flag) fail(line, fmt::format("{} must be a string or a number, got {}", key, *truth));
      return {*truth ? "true" : "false", line};
    }
    if (is_flag) fail(line, fmt::format("{} must be true or false", key));
    if (const auto text = node.value_exact<std::string>()) return {*text, line};
    if (const auto whole = node.value_exact<std::int64_t>())
      return {fmt::format("{}", *whole), line};
    if (const auto real = node.value_exact<double>()) {
      const std::string text = fmt::format("{}", *real);
      const bool looks_whole = text.find_first_not_of("+-0123456789") == std::string::npos;
      return {looks_whole ? text + ".0" : text, line};  // 1000.0 must not be read as a whole number
    }
    fail(line, fmt::format("{} must be a string, a number, or an array of these", key));
  }

  fs::path path_;
  const std::map<std::string, SweepKind>& options_;
  const std::map<std::string, std::string>& elsewhere_;
};

}  // namespace

SweepFile read_sweep(const fs::path& path, const std::map<std::string, SweepKind>& options,
                     const std::map<std::string, std::string>& elsewhere) {
  return Reader(path, options, elsewhere).read();
}

}  // namespace gps
