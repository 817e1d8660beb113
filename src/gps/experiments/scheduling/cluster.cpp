#include "gps/experiments/scheduling/cluster.h"

#include <cstdlib>

#include "gps/core/text/numbers.h"

namespace gps {
namespace {

// Set by Open MPI's mpirun, by srun --mpi=pmix and by srun --mpi=pmi2.
constexpr const char* kRankVariables[] = {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK"};

const char* rank_text() {
  for (const char* name : kRankVariables) {
    if (const char* text = std::getenv(name)) return text;
  }
  return nullptr;
}

}  // namespace

bool is_launched() { return rank_text() != nullptr; }

std::size_t launched_rank() {
  const char* text = rank_text();
  return text == nullptr ? 0 : read_number<std::size_t>(text).value;
}

}  // namespace gps
