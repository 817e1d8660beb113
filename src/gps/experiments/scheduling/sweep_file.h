// A sweep in a TOML file (docs/sweeps.md): grids over options of `gpscl run`. The reader knows the
// names of the options and the line of each value. The code that reads the command line interprets
// the values.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace gps {

struct SweepValue {
  std::string text;  // as on the command line; "true" or "false" for a flag
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
  std::string name;   // the name of the file by default
  std::string title;  // what it is about; may be empty
  std::vector<SweepGrid> grids;
};

enum class SweepKind { value, flag };

// `options` are those that a grid may set. `elsewhere` has the other options of `gpscl run`, and
// what to use in a sweep instead ("use gpscl sweep --out"). Throws UsageError "FILE:LINE: …" for
// invalid TOML, an unknown key (with the most similar one) or a value of a wrong type; DataError if
// the file cannot be read.
SweepFile read_sweep(const std::filesystem::path& path,
                     const std::map<std::string, SweepKind>& options,
                     const std::map<std::string, std::string>& elsewhere);

}  // namespace gps
