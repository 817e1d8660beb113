// Used in builds without MPI (GPSCL_MPI=OFF).
#include "gps/core/errors.h"
#include "gps/experiments/scheduling/cluster.h"

namespace gps {

std::unique_ptr<Cluster> join_cluster() {
  if (!is_launched()) return nullptr;
  throw UsageError(
      "started by mpirun or srun, but this gpscl was built without MPI; install libopenmpi-dev and "
      "build it with GPSCL_MPI=ON");
}

}  // namespace gps
