// Tables of options that are bound to a struct. A plug-in keeps its options in a struct of its own
// and binds a table to it, beside its class:
//
//   struct Options {
//     float alpha = 0.5f;
//     DerLogits logits = DerLogits::step;
//   };
//   const OptionTable<Options> kOptions = {
//       option("alpha", &Options::alpha, "weight of the logits' squared error").at_least(0),
//       choice("der_logits", &Options::logits, {{"step", DerLogits::step}, …}, "when …"),
//   };
//   Options options = kOptions.read(settings);
#pragma once

#include <functional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "gps/core/option.h"
#include "gps/core/settings.h"

namespace gps {
namespace detail {

template <typename T>
OptionValue to_value(const T& value) {
  if constexpr (std::is_same_v<T, float>) {
    return shortest(value);
  } else if constexpr (std::is_same_v<T, std::size_t>) {
    return static_cast<int>(value);
  } else {
    return value;
  }
}

// REQUIRES: check() has accepted the value.
template <typename T>
T from_value(const OptionValue& value) {
  if constexpr (std::is_same_v<T, float> || std::is_same_v<T, double>) {
    if (const int* whole = std::get_if<int>(&value)) return static_cast<T>(*whole);
    return static_cast<T>(std::get<double>(value));
  } else if constexpr (std::is_same_v<T, std::size_t>) {
    return static_cast<T>(std::get<int>(value));
  } else {
    return std::get<T>(value);
  }
}

template <typename T>
constexpr OptionKind kind_of() {
  if constexpr (std::is_same_v<T, bool>) return OptionKind::flag;
  if constexpr (std::is_same_v<T, int> || std::is_same_v<T, std::size_t>) return OptionKind::whole;
  if constexpr (std::is_same_v<T, float> || std::is_same_v<T, double>) return OptionKind::real;
  if constexpr (std::is_same_v<T, std::string>) return OptionKind::text;
  if constexpr (std::is_same_v<T, std::vector<int>>) return OptionKind::wholes;
  if constexpr (std::is_same_v<T, std::vector<double>>) return OptionKind::reals;
}

}  // namespace detail

// An option row and the struct member that it sets. The functions below return the changed option,
// so that tables can chain them.
template <typename Owner>
struct BoundOption {
  Option row;
  std::function<OptionValue(const Owner&)> get;
  std::function<void(Owner&, const OptionValue&)> set;

  BoundOption flag(std::string name) && {
    row.flag = std::move(name);
    return std::move(*this);
  }
  BoundOption at_least(double least) && {
    row.least = least;
    return std::move(*this);
  }
  BoundOption above(double least) && {
    row.least = least;
    row.excludes_least = true;
    return std::move(*this);
  }
  BoundOption between(double least, double most) && {
    row.least = least;
    row.most = most;
    return std::move(*this);
  }
  BoundOption up_to(double most) && {
    row.most = most;
    return std::move(*this);
  }
  BoundOption below(double most) && {
    row.most = most;
    row.excludes_most = true;
    return std::move(*this);
  }
  // Sets the help's text for a default that is computed from other options.
  BoundOption usually(std::string text) && {
    row.usual_text = std::move(text);
    return std::move(*this);
  }
  // Sets the defaults of the paper, where they are not the member's initial value.
  BoundOption in_paper(std::vector<PaperValue> values) && {
    row.in_paper = std::move(values);
    return std::move(*this);
  }
  BoundOption short_for(const std::string& short_name, const std::string& name) && {
    row.short_names[short_name] = name;
    return std::move(*this);
  }
  BoundOption silent() && {
    row.is_silent = true;
    return std::move(*this);
  }
  BoundOption called(std::string value_name) && {
    row.value_name = std::move(value_name);
    return std::move(*this);
  }
  BoundOption short_flag(std::string letter) && {
    row.letter = std::move(letter);
    return std::move(*this);
  }
  BoundOption offers(std::vector<std::string> names) && {
    row.offered = std::move(names);
    return std::move(*this);
  }
  BoundOption offers_several(std::vector<std::string> names) && {
    row.offered = std::move(names);
    row.is_list = true;
    return std::move(*this);
  }
  BoundOption only_if(std::string key, OptionValue value) && {
    row.needs_key = std::move(key);
    row.needs_value = std::move(value);
    return std::move(*this);
  }
};

// An option whose default is the member's initial value.
template <typename Owner, typename T>
BoundOption<Owner> option(const std::string& key, T Owner::*member, const std::string& help) {
  BoundOption<Owner> bound;
  bound.row.key = key;
  bound.row.flag = detail::flag_for(key);
  bound.row.kind = detail::kind_of<T>();
  bound.row.is_single = std::is_same_v<T, float>;
  bound.row.usual = detail::to_value(Owner{}.*member);
  bound.row.help = help;
  bound.get = [member](const Owner& owner) { return detail::to_value(owner.*member); };
  bound.set = [member](Owner& owner, const OptionValue& value) {
    owner.*member = detail::from_value<T>(value);
  };
  return bound;
}

// A whole number that needs 64 bits.
template <typename Owner>
BoundOption<Owner> large(const std::string& key, std::uint64_t Owner::*member,
                         const std::string& help) {
  BoundOption<Owner> bound = option(key, member, help);
  bound.row.kind = OptionKind::large;
  bound.row.usual = OptionValue(Owner{}.*member);
  bound.get = [member](const Owner& owner) { return OptionValue(owner.*member); };
  bound.set = [member](Owner& owner, const OptionValue& value) {
    owner.*member = std::get<std::uint64_t>(value);
  };
  return bound;
}

// A number of things (200), or a number of bytes for them (2MB). `bytes` is 0 if things are
// counted.
template <typename Owner>
BoundOption<Owner> count_or_bytes(const std::string& key, int Owner::*count,
                                  std::uint64_t Owner::*bytes, const std::string& help) {
  BoundOption<Owner> bound = option(key, count, help);
  bound.row.kind = OptionKind::size;
  bound.row.value_name = "N|BYTES";
  bound.get = [count, bytes](const Owner& owner) -> OptionValue {
    if (owner.*bytes > 0) return ByteCount{owner.*bytes};
    return owner.*count;
  };
  bound.set = [count, bytes](Owner& owner, const OptionValue& value) {
    const auto* in_bytes = std::get_if<ByteCount>(&value);
    owner.*bytes = in_bytes == nullptr ? 0 : in_bytes->bytes;
    if (in_bytes == nullptr) owner.*count = std::get<int>(value);
  };
  return bound;
}

// An option that takes one of several names, stored as an enumerator.
template <typename Owner, typename Enum>
BoundOption<Owner> choice(const std::string& key, Enum Owner::*member,
                          std::vector<std::pair<std::string, Enum>> names,
                          const std::string& help) {
  const auto name_of = [names](Enum value) {
    for (const auto& [name, enumerator] : names) {
      if (enumerator == value) return name;
    }
    throw UsageError("a value that has no name");
  };
  BoundOption<Owner> bound;
  bound.row.key = key;
  bound.row.flag = detail::flag_for(key);
  bound.row.kind = OptionKind::name;
  bound.row.usual = name_of(Owner{}.*member);
  bound.row.help = help;
  for (const auto& [name, enumerator] : names) bound.row.names.push_back(name);
  bound.get = [member, name_of](const Owner& owner) { return OptionValue(name_of(owner.*member)); };
  bound.set = [member, names](Owner& owner, const OptionValue& value) {
    for (const auto& [name, enumerator] : names) {
      if (name == std::get<std::string>(value)) owner.*member = enumerator;
    }
  };
  return bound;
}

// An option that takes one of several names, stored as text.
template <typename Owner>
BoundOption<Owner> one_of(const std::string& key, std::string Owner::*member,
                          const std::vector<std::string>& names, const std::string& help) {
  BoundOption<Owner> bound = option(key, member, help);
  bound.row.kind = OptionKind::name;
  bound.row.names = names;
  return bound;
}

template <typename Owner>
class OptionTable {
 public:
  OptionTable(std::initializer_list<BoundOption<Owner>> options) : options_(options) {}

  auto begin() const { return options_.begin(); }
  auto end() const { return options_.end(); }

  std::vector<Option> rows() const {
    std::vector<Option> all;
    for (const BoundOption<Owner>& each : options_) all.push_back(each.row);
    return all;
  }

  // Returns the options with the values of these settings. Throws OptionError for an invalid value.
  // Ignores keys that are not in the table: they belong to other tables.
  Owner read(const Settings& settings) const { return read(settings, rows()); }

  // The same with the defaults of `rows`. REQUIRES: `rows` has the same order as the table.
  Owner read(const Settings& settings, const std::vector<Option>& rows) const {
    Owner owner;
    for (std::size_t k = 0; k < options_.size(); ++k) {
      const OptionValue& value = value_in(settings, rows[k]);
      check(rows[k], value);
      options_[k].set(owner, value);
    }
    return owner;
  }

  // Throws OptionError for an invalid value. A default is always valid, even out of range.
  void check_all(const Owner& owner) const {
    for (const BoundOption<Owner>& each : options_) {
      const OptionValue value = each.get(owner);
      if (value != each.row.usual) check(each.row, value);
    }
  }

 private:
  std::vector<BoundOption<Owner>> options_;
};

}  // namespace gps
