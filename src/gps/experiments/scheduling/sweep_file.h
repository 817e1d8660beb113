// A sweep as it stands in a TOML file (docs/sweeps.md): grids over options of `gpscl run`. The
// reader knows the names of the options and the line of each value. The code that reads the command
// line interprets the values.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace gps {

struct SweepValue {
  std::string text;  // as the command line would have it; of a flag, "true" or "false"
  int line = 0;
};

struct SweepSetting {
  std::string key;  // an option without its dashes
  std::vector<SweepValue> values;
  int line = 0;
  bool is_array = false;
  bool is_default = false;  // from [defaults], not from the grid itself
};

struct SweepGrid {
  std::vector<SweepSetting>
      settings;  // those of the grid, and the defaults that it does not replace
  int line = 0;
};

struct SweepFile {
  std::filesystem::path path;
  std::string name;   // that of the file, unless it says another
  std::string title;  // what it is about; may be empty
  std::vector<SweepGrid> grids;
};

enum class SweepKind { value, flag };

// `options` are those that a grid may set, `elsewhere` other options of `gpscl run` and what is
// right for a sweep instead ("use gpscl sweep --out"). Throws UsageError "FILE:LINE: …" for what
// is no TOML, an unknown key (and which one may be meant) or a value of a wrong type; DataError for
// a file that cannot be read.
SweepFile read_sweep(const std::filesystem::path& path,
                     const std::map<std::string, SweepKind>& options,
                     const std::map<std::string, std::string>& elsewhere);

}  // namespace gps
