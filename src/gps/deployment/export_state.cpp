#include "gps/deployment/export_state.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "gps/core/files/files.h"
#include "gps/core/text/name_list.h"
#include "gps/nn/backbone.h"
#include "gps/nn/catalog.h"
#include "gps/nn/safetensors.h"

namespace gps {

ExportFormat export_format_from(const std::string& name) {
  check_is_one_of("format", name, {"torchscript", "safetensors"});
  return name == "torchscript" ? ExportFormat::torchscript : ExportFormat::safetensors;
}

void export_state(const LearnState& state, ExportFormat format, const std::filesystem::path& file) {
  const LearnOptions& options = state.options;
  const Network& network = network_of(std::as_const(*state.learner));
  nlohmann::json meaning = {
      {"classes", state.classes},
      {"tasks", state.tasks.size()},
      {"learner", options.method.learner.name},
      {"model", is_file(options.method.network.model) ? "own" : options.method.network.model},
      {"shape", {options.shape.channels, options.shape.height, options.shape.width}},
      {"values", "pixel / 255"},
  };
  const char* const who =
      format == ExportFormat::torchscript ? "the module itself" : "whoever uses the weights";
  if (options.has_backbone()) {
    const Normalisation input = backbone_normalisation(options.method.network);
    // Pixels are normalised for the backbone, its features for the layers of the head.
    meaning["backbone"] = {{"fingerprint", options.method.network.backbone_fingerprint},
                           {"mean", input.mean},
                           {"deviation", input.deviation},
                           {"features", options.features},
                           {"features_mean", options.normalisation.mean},
                           {"features_deviation", options.normalisation.deviation},
                           {"applied_by", who}};
  } else if (!options.normalisation.mean.empty()) {
    meaning["mean"] = options.normalisation.mean;
    meaning["deviation"] = options.normalisation.deviation;
    meaning["normalised_by"] = who;
  }
  // A class name may contain bytes that are not UTF-8.
  const auto text = [&](int indent) {
    return meaning.dump(indent, ' ', false, nlohmann::json::error_handler_t::replace);
  };
  if (format == ExportFormat::torchscript) {
    save_torchscript(network, options.method.network, file);
  } else {
    std::vector<StoredTensor> weights;
    for (const NamedTensor& tensor : all_tensors(network, options.method.network))
      weights.push_back(stored(tensor));
    write_safetensors(file, weights, {{"format", "pt"}, {"gpscl_state", text(-1)}});
  }
  write_file(file.string() + ".json", text(1) + "\n");
}

}  // namespace gps
