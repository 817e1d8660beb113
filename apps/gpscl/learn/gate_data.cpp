#include "learn/gate_data.h"

#include <fmt/format.h>
#include <unistd.h>

#include "gps/core/tell_user.h"
#include "gps/deployment/confusion.h"
#include "gps/deployment/new_data.h"
#include "learn/labelled_data.h"

namespace gps::cli {
namespace {

template <typename Keep>
Dataset only_images(const Dataset& images, const Keep& keep) {
  std::vector<std::uint32_t> rows;
  for (std::uint32_t row = 0; row < images.size(); ++row) {
    if (keep(row)) rows.push_back(row);
  }
  return images.subset(rows);
}

std::string count_text(std::size_t images) {
  return fmt::format("{} image{}", images, images == 1 ? "" : "s");
}

// Tasks do not matter here, and all images are for testing.
ImageListing listing_of(const LearnRequest& request) {
  ImageListing listing = list_images(request.gate);
  for (ImageFile& file : listing.files) {
    file.task.clear();
    file.split = Split::train;
  }
  check_is_one_task(listing, request.gate);
  for (ImageFile& file : listing.files) file.split = Split::test;
  return listing;
}

double accuracy_of(LearnState& state, const Dataset& images, const StopFlag& stop) {
  return confusion_of(state, images, state.labels(), &stop).accuracy();
}

}  // namespace

Gate gate_of(const LearnRequest& request) {
  Gate gate{.is_strict = request.is_strict};
  if (request.was_given("require-accuracy")) gate.least_accuracy = request.least_accuracy;
  if (request.was_given("max-forgetting")) gate.most_forgetting = request.most_forgetting;
  return gate;
}

Dataset read_gate_images(const LearnRequest& request, const LearnState& state,
                         const std::vector<std::string>& classes, Executor& executor,
                         const StopFlag& stop) {
  if (request.gate.empty()) return {};
  const ImageListing listing = listing_of(request);
  const std::vector<std::string> all = classes_with(classes, listing);
  LoadDisplay display(isatty(STDERR_FILENO) != 0);
  LabelledImages read =
      read_images(listing, all, state.options, hooks_for(executor, stop, display));
  settle_bad(request.gate, read.bad, listing.files.size(), request.skips_bad);
  Dataset known = only_images(
      read.test, [&](std::uint32_t row) { return read.test.label(row) < classes.size(); });
  if (known.size() == 0 && read.test.size() > 0) check_are_known(all, classes.size());
  if (known.size() == 0) throw DataError(fmt::format("{}: no image to test on", request.gate));
  if (known.size() < read.test.size()) {
    tell_user("gpscl: {}: {} of classes that are not learnt are left out", request.gate,
              count_text(read.test.size() - known.size()));
  }
  return known;
}

GateEvidence gate_evidence(const Dataset& images, const TrainedImages& new_data, LearnState& now,
                           LearnState* before, const StopFlag& stop) {
  std::vector<std::uint8_t> scratch(images.shape().bytes());
  const Dataset fresh = only_images(images, [&](std::uint32_t row) {
    return !now.trained.contains({images.image(row, scratch), scratch.size()});
  });
  const std::size_t same = new_data.count(images);
  if (same > 0) {
    tell_user(
        "gpscl: warning: gate: {} of its {} {} the new data; {} left out, because the state was "
        "trained on them, and only {} {} left to judge by",
        same, count_text(images.size()), same == 1 ? "is" : "are", images.size() - fresh.size(),
        fresh.size(), fresh.size() == 1 ? "is" : "are");
  } else if (fresh.size() < images.size()) {
    tell_user("gpscl: gate: {} left out, because the state was trained on them",
              count_text(images.size() - fresh.size()));
  }
  GateEvidence evidence{.images = fresh.size(), .has_version_before = before != nullptr};
  if (fresh.size() == 0) return evidence;
  evidence.accuracy = accuracy_of(now, fresh, stop);
  if (before == nullptr) return evidence;
  const Dataset earlier = only_images(
      fresh, [&](std::uint32_t row) { return fresh.label(row) < before->classes.size(); });
  evidence.earlier_images = earlier.size();
  if (earlier.size() == 0) return evidence;
  evidence.before = accuracy_of(*before, earlier, stop);
  evidence.now = accuracy_of(now, earlier, stop);
  return evidence;
}

}  // namespace gps::cli
