#include "gps/core/option.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "gps/core/text/nearest.h"
#include "gps/core/text/numbers.h"
#include "gps/core/text/text.h"

namespace gps {
namespace {

template <typename Number>
Number number_for(const std::string& flag, std::string_view text, const char* what) {
  const std::string spelt = std::is_integral_v<Number> ? without_exponent(text) : std::string(text);
  const std::optional<Number> value = parse_number<Number>(spelt);
  if (value && std::isfinite(*value)) return *value;  // "nan" and "inf" are no numbers here
  if (read_number<Number>(spelt).is_out_of_range)
    throw OptionError(flag, fmt::format("is out of range, got '{}'", text));
  throw OptionError(flag, fmt::format("must be {}, got '{}'", what, text));
}

template <typename List>
std::string list_text(const List& list) {
  std::vector<std::string> parts;
  for (const auto& each : list) parts.push_back(fmt::format("{}", each));
  return parts.empty() ? "none" : join(parts, ",");
}

std::string range_text(const Option& option) {
  const bool has_most = std::isfinite(option.most);
  if (!has_most && !std::isfinite(option.least)) return "a finite number";
  if (!has_most) {
    if (option.excludes_least)
      return option.least == 0 ? "a positive number" : "above " + fmt::format("{}", option.least);
    return fmt::format("at least {}", option.least);
  }
  if (option.excludes_least && option.excludes_most)
    return fmt::format("above {} and below {}", option.least, option.most);
  if (option.excludes_least)
    return fmt::format("above {} and at most {}", option.least, option.most);
  if (option.excludes_most)
    return fmt::format("at least {} and below {}", option.least, option.most);
  return fmt::format("between {} and {}", option.least, option.most);
}

// The largest float, written with as few digits as it needs, is a little more than itself.
constexpr double kLargestSingle = 3.4028235e38;

// Parses one number of the option. A value that single precision cannot hold is named as it was
// typed: it would become infinite.
double real_for(const Option& option, std::string_view text, const char* what) {
  const double value = parse_real(option.flag, text, what);
  if (option.is_single && std::abs(value) > kLargestSingle) {
    throw OptionError(option.flag,
                      value > 0
                          ? fmt::format("must be at most {}, got '{}'", kLargestSingle, text)
                          : fmt::format("must be at least {}, got '{}'", -kLargestSingle, text));
  }
  return value;
}

void check_number(const Option& option, double value) {
  constexpr double kLargest = std::numeric_limits<double>::max();
  const bool is_low = option.excludes_least ? !(value > option.least) : !(value >= option.least);
  const bool is_high = option.excludes_most ? !(value < option.most) : !(value <= option.most);
  const bool is_finite = std::abs(value) <= (option.is_single ? kLargestSingle : kLargest);
  if (!is_low && !is_high && is_finite) return;
  throw OptionError(option.flag, fmt::format("must be {}, got {}", range_text(option), value));
}

bool is_kind(OptionKind kind, const OptionValue& value) {
  switch (kind) {
    case OptionKind::flag:
      return std::holds_alternative<bool>(value);
    case OptionKind::whole:
      return std::holds_alternative<int>(value);
    case OptionKind::large:
      return std::holds_alternative<std::uint64_t>(value);
    case OptionKind::real:
      return std::holds_alternative<double>(value) || std::holds_alternative<int>(value);
    case OptionKind::name:
    case OptionKind::text:
      return std::holds_alternative<std::string>(value);
    case OptionKind::wholes:
      return std::holds_alternative<std::vector<int>>(value);
    case OptionKind::reals:
      return std::holds_alternative<std::vector<double>>(value);
    case OptionKind::size:
      return std::holds_alternative<int>(value) || std::holds_alternative<ByteCount>(value);
  }
  return false;
}

const char* name_of(OptionKind kind) {
  switch (kind) {
    case OptionKind::flag:
      return "true or false";
    case OptionKind::whole:
      return "a whole number";
    case OptionKind::large:
      return "a whole number, at least 0";
    case OptionKind::real:
      return "a number";
    case OptionKind::name:
    case OptionKind::text:
      return "text";
    case OptionKind::wholes:
      return "'none' or whole numbers with commas between them";
    case OptionKind::reals:
      return "numbers with commas between them";
    case OptionKind::size:
      return "a whole number, or a size such as 784kB, 20MB or 1GiB";
  }
  return "";
}

}  // namespace

namespace detail {

double shortest(float value) {
  return parse_number<double>(fmt::format("{}", value)).value_or(static_cast<double>(value));
}

std::string flag_for(const std::string& key) {
  std::string flag = key;
  std::replace(flag.begin(), flag.end(), '_', '-');
  return flag;
}

}  // namespace detail

std::string text_of(const OptionValue& value) {
  return std::visit(
      [](const auto& v) -> std::string {
        using T = std::decay_t<decltype(v)>;
        if constexpr (std::is_same_v<T, bool>) return v ? "true" : "false";
        if constexpr (std::is_same_v<T, std::string>) return v;
        if constexpr (std::is_same_v<T, ByteCount>) return text_of(v);
        if constexpr (std::is_same_v<T, int> || std::is_same_v<T, double> ||
                      std::is_same_v<T, std::uint64_t>)
          return fmt::format("{}", v);
        if constexpr (std::is_same_v<T, std::vector<int>> || std::is_same_v<T, std::vector<double>>)
          return list_text(v);
      },
      value);
}

int parse_whole(const std::string& flag, std::string_view text, const char* what) {
  return number_for<int>(flag, text, what);
}
double parse_real(const std::string& flag, std::string_view text, const char* what) {
  return number_for<double>(flag, text, what);
}

OptionValue parse(const Option& option, const std::string& text) {
  const char* what = name_of(option.kind);
  switch (option.kind) {
    case OptionKind::flag:
      if (text != "true" && text != "false")
        throw OptionError(option.flag, fmt::format("must be true or false, got '{}'", text));
      return (text == "true") != std::get<bool>(option.usual);
    case OptionKind::whole:
      return parse_whole(option.flag, text);
    case OptionKind::large:
      return number_for<std::uint64_t>(option.flag, text, what);
    case OptionKind::real:
      return real_for(option, text, what);
    case OptionKind::name:
    case OptionKind::text:
      return text;
    case OptionKind::wholes: {
      std::vector<int> list;
      if (text == "none") return list;
      for (const std::string& part : split(text, ','))
        list.push_back(parse_whole(option.flag, part, what));
      return list;
    }
    case OptionKind::reals: {
      std::vector<double> list;
      for (const std::string& part : split(text, ','))
        list.push_back(parse_real(option.flag, part, what));
      return list;
    }
    case OptionKind::size:
      if (const auto bytes = parse_byte_count(text)) return *bytes;
      return parse_whole(option.flag, text, what);
  }
  return text;
}

void check(const Option& option, const OptionValue& value) {
  if (!is_kind(option.kind, value)) {
    throw OptionError(option.flag,
                      fmt::format("must be {}, got '{}'", name_of(option.kind), text_of(value)));
  }
  if (const int* whole = std::get_if<int>(&value)) check_number(option, *whole);
  if (const double* real = std::get_if<double>(&value)) check_number(option, *real);
  if (const auto* list = std::get_if<std::vector<int>>(&value)) {
    for (const int each : *list) check_number(option, each);
  }
  if (const auto* list = std::get_if<std::vector<double>>(&value)) {
    for (const double each : *list) check_number(option, each);
  }
  if (const auto* size = std::get_if<ByteCount>(&value); size != nullptr && size->bytes == 0)
    throw OptionError(option.flag, "must be at least 1B, got 0B");
  if (option.kind == OptionKind::name) {
    const auto& name = std::get<std::string>(value);
    if (std::find(option.names.begin(), option.names.end(), name) == option.names.end()) {
      const std::string meant = probably_meant(name, option.names);
      throw OptionError(
          option.flag,
          fmt::format("must be one of {}, got '{}'{}", join(option.names), name,
                      meant.empty() ? "" : fmt::format("; did you mean '{}'?", meant)));
    }
  }
}

OptionValue normalised(const Option& option, const OptionValue& value) {
  if (option.kind != OptionKind::real) return value;
  const int* whole = std::get_if<int>(&value);
  const double number = whole != nullptr ? *whole : std::get<double>(value);
  return option.is_single ? detail::shortest(static_cast<float>(number)) : number;
}

nlohmann::json to_json(const OptionValue& value) {
  return std::visit(
      [](const auto& v) -> nlohmann::json {
        if constexpr (std::is_same_v<std::decay_t<decltype(v)>, ByteCount>) {
          return v.bytes;
        } else {
          return v;
        }
      },
      value);
}

namespace {

// A floating-point number that is too large for the type must not be converted to it.
template <typename Number>
Number whole_from(const Option& option, const nlohmann::json& json) {
  if (json.is_number_float()) {
    const double value = json.get<double>();
    const double end = std::ldexp(1.0, std::numeric_limits<Number>::digits);
    const double least = std::is_signed_v<Number> ? -end : 0.0;
    if (!(value >= least && value < end))
      throw OptionError(option.flag, fmt::format("is out of range, got {}", json.dump()));
  }
  return json.get<Number>();
}

}  // namespace

std::string key_of(const Option& option, const OptionValue& value) {
  return std::holds_alternative<ByteCount>(value) ? option.key + "_bytes" : option.key;
}

OptionValue value_from(const Option& option, const nlohmann::json& json) try {
  switch (option.kind) {
    case OptionKind::flag:
      return json.get<bool>();
    case OptionKind::whole:
    case OptionKind::size:
      return whole_from<int>(option, json);
    case OptionKind::large:
      return whole_from<std::uint64_t>(option, json);
    case OptionKind::real:
      return json.get<double>();
    case OptionKind::name:
    case OptionKind::text:
      return json.get<std::string>();
    case OptionKind::wholes: {
      if (!json.is_array()) return json.get<std::vector<int>>();  // throws
      std::vector<int> all;
      for (const nlohmann::json& each : json) all.push_back(whole_from<int>(option, each));
      return all;
    }
    case OptionKind::reals:
      return json.get<std::vector<double>>();
  }
  return false;
} catch (const nlohmann::json::exception&) {
  throw OptionError(option.flag,
                    fmt::format("must be {}, got {}", name_of(option.kind), json.dump()));
}

const Option* find_option(const std::vector<Option>& options, std::string_view key) {
  const auto at = std::find_if(options.begin(), options.end(),
                               [&](const Option& option) { return option.key == key; });
  return at == options.end() ? nullptr : &*at;
}

const OptionValue& paper_value(const Option& option, const std::string& stream,
                               const std::string& learner) {
  for (const PaperValue& each : option.in_paper) {
    const bool is_of_stream = each.stream.empty() || each.stream == stream;
    if (is_of_stream && (each.learner.empty() || each.learner == learner)) return each.value;
  }
  return option.usual;
}

}  // namespace gps
