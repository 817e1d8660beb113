#include "gps/experiments/scheduling/cluster.h"

#include <charconv>
#include <cstdlib>
#include <cstring>

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
  std::size_t rank = 0;
  if (text != nullptr) std::from_chars(text, text + std::strlen(text), rank);
  return rank;
}

}  // namespace gps
