// Opens the stream of a spec: its images, or, if its network has a backbone, their features.
#pragma once

#include <filesystem>
#include <memory>

#include "gps/experiments/spec/spec.h"

namespace gps {

// Throws what open_benchmark() and open_backbone() throw.
std::unique_ptr<BenchmarkSource> open_stream(const BenchmarkOptions& stream,
                                             const NetworkOptions& network,
                                             const std::filesystem::path& data,
                                             const LoadHooks& hooks = {});

// Returns whether the streams of two networks have the same rows.
bool see_the_same(const NetworkOptions& a, const NetworkOptions& b);

}  // namespace gps
