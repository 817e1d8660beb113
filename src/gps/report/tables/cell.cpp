#include "gps/report/tables/cell.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

namespace gps {

Cell Cell::missing(std::string shown) {
  Cell cell(std::move(shown));
  cell.form_ = Form::missing;
  return cell;
}

Cell Cell::number(double value, int digits) {
  return {Form::number, {{value, Notation::fixed, digits}}};
}

Cell Cell::change(double value, int digits) {
  return {Form::number, {{value, Notation::with_sign, digits}}};
}

Cell Cell::significant(double value, int digits) {
  return {Form::number, {{value, Notation::significant, digits}}};
}

Cell Cell::exact(double value) { return {Form::number, {{value, Notation::exact, 0}}}; }

Cell Cell::percent(double share, int digits) { return number(100 * share, digits); }

Cell Cell::percent(const std::optional<double>& share, int digits) {
  return share ? percent(*share, digits) : missing();
}

Cell Cell::seconds(double value, int digits) {
  return {Form::seconds, {{value, Notation::fixed, digits}}};
}

Cell Cell::said(double value, std::string words) {
  Cell cell = exact(value);
  cell.words_ = std::move(words);
  return cell;
}

Cell Cell::mean(const Summary& summary, int digits) {
  if (!summary.deviation || !std::isfinite(*summary.deviation)) return number(summary.mean, digits);
  return {Form::deviation,
          {{summary.mean, Notation::fixed, digits}, {*summary.deviation, Notation::fixed, digits}}};
}

Cell Cell::mean(const std::optional<Summary>& summary, int digits) {
  return summary ? mean(*summary, digits) : missing();
}

Cell Cell::mean(std::span<const double> values, int digits) {
  return values.empty() ? missing() : mean(summarise(values), digits);
}

Cell Cell::mean(const BySeed& values, int digits) { return mean(values_of(values), digits); }

Cell Cell::difference(const std::optional<PairedDifference>& paired, int digits) {
  if (!paired) return missing();
  if (!paired->half_width) return change(paired->mean, digits);
  return {Form::interval,
          {{paired->mean, Notation::with_sign, digits},
           {paired->mean - *paired->half_width, Notation::with_sign, digits},
           {paired->mean + *paired->half_width, Notation::with_sign, digits}}};
}

Cell Cell::within(double value, int digits, const Interval& interval, int interval_digits) {
  return {Form::interval,
          {{value, Notation::fixed, digits},
           {interval.low, Notation::fixed, interval_digits},
           {interval.high, Notation::fixed, interval_digits}}};
}

Cell Cell::share(std::uint64_t some, std::uint64_t all) {
  return {Form::share, {{some, Notation::exact, 0}, {all, Notation::exact, 0}}};
}

Cell Cell::both(double first, double second, int digits) {
  return {Form::both, {{first, Notation::fixed, digits}, {second, Notation::fixed, digits}}};
}

std::string Cell::text_of(const Number& number) {
  if (const auto* whole = std::get_if<std::uint64_t>(&number.value))
    return fmt::format("{}", *whole);
  const double value = std::get<double>(number.value);
  switch (number.notation) {
    case Notation::fixed:
      return fmt::format("{:.{}f}", value, number.digits);
    case Notation::with_sign:
      return fmt::format("{:+.{}f}", value, number.digits);
    case Notation::significant:
      return fmt::format("{:.{}g}", value, number.digits);
    case Notation::exact:
      break;
  }
  return fmt::format("{}", value);
}

std::vector<std::string> Cell::numbers() const {
  std::vector<std::string> texts;
  for (const Number& number : numbers_) texts.push_back(text_of(number));
  return texts;
}

nlohmann::json Cell::json() const {
  if (form_ == Form::missing) return nullptr;
  if (form_ == Form::words) return words_;
  nlohmann::json all = nlohmann::json::array();
  for (const Number& number : numbers_)
    std::visit([&](const auto value) { all.push_back(value); }, number.value);
  return all.size() == 1 ? all.front() : all;
}

std::string Cell::text() const {
  const std::vector<std::string> n = numbers();
  switch (form_) {
    case Form::words:
    case Form::missing:
      break;
    case Form::number:
      return words_.empty() ? n[0] : words_;
    case Form::deviation:
      return fmt::format("{} ± {}", n[0], n[1]);
    case Form::interval:
      return fmt::format("{} [{}, {}]", n[0], n[1], n[2]);
    case Form::share:
      return fmt::format("{} of {}", n[0], n[1]);
    case Form::both:
      return fmt::format("{} and {}", n[0], n[1]);
    case Form::seconds:
      return n[0] + " s";
  }
  return words_;
}

}  // namespace gps
