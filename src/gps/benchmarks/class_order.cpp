#include "gps/benchmarks/class_order.h"

#include <fmt/format.h>

#include <numeric>
#include <optional>

#include "gps/core/errors.h"
#include "gps/core/option.h"
#include "gps/core/text/numbers.h"
#include "gps/core/text/text.h"

namespace gps {
namespace {

std::vector<Label> listed(const std::string& text, int classes) {
  const auto refuse = [&](const std::string& reason) {
    throw OptionError(
        "class-order",
        fmt::format("must be natural, random, or each label from 0 to {} once, with commas "
                    "between them; {}",
                    classes - 1, reason));
  };
  std::vector<Label> order;
  std::vector<bool> is_taken(static_cast<std::size_t>(classes));
  for (const std::string& word : split(text, ',')) {
    const std::optional<Label> parsed = parse_number<Label>(word);
    if (!parsed || *parsed >= classes) refuse(fmt::format("got '{}'", word));
    const Label label = *parsed;
    if (is_taken[label]) refuse(fmt::format("got {} twice", label));
    is_taken[label] = true;
    order.push_back(label);
  }
  if (order.size() != is_taken.size()) refuse(fmt::format("got {} labels", order.size()));
  return order;
}

}  // namespace

std::vector<Label> class_order(const std::string& text, int classes, Rng rng) {
  if (text != "natural" && text != "random") return listed(text, classes);
  std::vector<Label> order(static_cast<std::size_t>(classes));
  std::iota(order.begin(), order.end(), Label{0});
  if (text == "random") rng.shuffle(std::span(order));
  return order;
}

}  // namespace gps
