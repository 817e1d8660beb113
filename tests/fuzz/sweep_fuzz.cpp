// Sweep files: TOML, and the options of a run that it sets.
#include "fuzz/fuzz.h"
#include "gps/experiments/scheduling/sweep_file.h"
#include "gps/experiments/spec/spec_options.h"

namespace gps::fuzz {
namespace {

std::map<std::string, SweepKind> grid_options() {
  std::map<std::string, SweepKind> known;
  for (const char* name : {"benchmark", "learner", "policy", "preset", "seed", "seeds"})
    known[name] = SweepKind::value;
  for (const SpecOption& option : spec_options())
    known[option.row.flag] =
        option.row.kind == OptionKind::flag ? SweepKind::flag : SweepKind::value;
  return known;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::map<std::string, SweepKind> options = grid_options();
  const std::filesystem::path file = folder() / "sweep.toml";
  put(file, text_of(data, size));
  SweepFile sweep;
  if (!is_accepted([&] { sweep = read_sweep(file, options, {{"out", "use another option"}}); }))
    return 0;
  require(!sweep.grids.empty(), "a sweep has grids");
  for (const SweepGrid& grid : sweep.grids) {
    Spec spec;
    for (const SweepSetting& setting : grid.settings) {
      require(!setting.values.empty(), "a setting has values");
      for (const SweepValue& value : setting.values)
        is_accepted([&] { set_option(spec, setting.key, value.text); });
    }
    is_accepted([&] { validate(spec); });
  }
  return 0;
}

}  // namespace gps::fuzz
