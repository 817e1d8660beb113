// Numbers and options in text. The first byte chooses an option of a run.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "fuzz/fuzz.h"
#include "gps/core/text/numbers.h"
#include "gps/experiments/method_options.h"
#include "gps/experiments/spec/spec_options.h"

namespace gps::fuzz {
namespace {

template <typename Number>
void check_number(std::string_view text) {
  require(read_number<Number>(text).length <= text.size(), "a number is within its text");
  const std::optional<Number> value = parse_number<Number>(text);
  if (!value || *value != *value) return;  // not a number
  require(parse_number<Number>(fmt::format("{}", *value)) == value, "a number keeps its value");
}

void check_option(const Option& row, const std::string& text) {
  OptionValue value;
  const bool is_valid = is_accepted([&] {
    value = parse(row, text);
    check(row, value);
  });
  if (!is_valid) return;
  const OptionValue same = normalised(row, value);
  nlohmann::json json;
  write_value(json, row, same);
  require(known_value(json, row).value_or(row.usual) == same, "JSON keeps the value of an option");
  if (row.kind != OptionKind::flag)  // "true" stands for the opposite of the default
    require(normalised(row, parse(row, gps::text_of(same))) == same,
            "text keeps the value of an option");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string text = text_of(data + 1, size - 1);
  check_number<int>(text);
  check_number<std::uint64_t>(text);
  check_number<double>(text);
  const std::vector<SpecOption>& options = spec_options();
  const Option& row = options[data[0] % options.size()].row;
  check_option(row, text);
  Spec spec;
  if (is_accepted([&] { set_option(spec, row.flag, text); })) is_accepted([&] { validate(spec); });
  return 0;
}

}  // namespace gps::fuzz
