#include "gps/experiments/spec/open_stream.h"

#include "gps/nn/backbone.h"

namespace gps {

std::unique_ptr<BenchmarkSource> open_stream(const BenchmarkOptions& stream,
                                             const NetworkOptions& network,
                                             const std::filesystem::path& data,
                                             const LoadHooks& hooks) {
  if (network.backbone.empty()) return open_benchmark(stream, data, hooks);
  check_backbone_file(network);  // before any image is read
  return open_benchmark(stream, data, hooks, [&](const Dataset& images, const std::string& name) {
    return cached_features_of(images, name, network, hooks);
  });
}

bool see_the_same(const NetworkOptions& a, const NetworkOptions& b) {
  return a.backbone == b.backbone && a.backbone_input == b.backbone_input &&
         a.backbone_fingerprint == b.backbone_fingerprint;
}

}  // namespace gps
