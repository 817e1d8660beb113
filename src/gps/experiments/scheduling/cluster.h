// The ranks of an MPI job: mpirun or srun has started this program several times, on one machine or
// on many (docs/cluster.md). Only cluster_mpi.cpp uses MPI.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "gps/core/work/team.h"

namespace gps {

// All ranks leave the cluster in the destructor. Rank 0 decides when; is_closed() tells the others.
class Cluster : public Team {
 public:
  struct Message {
    std::size_t from = 0;
    std::string text;
  };
  // Messages from one rank to another arrive in the order in which they were sent. Neither function
  // waits; sent messages make progress only while receive() is called. Both may be called from any
  // thread, also while another thread is in exchange().
  virtual void send(std::size_t to, std::string text) = 0;
  virtual std::optional<Message> receive() = 0;

  // Returns whether rank 0 has left. It is updated by receive().
  virtual bool is_closed() const = 0;

  // Returns how many ranks are on this machine, including this one.
  virtual std::size_t ranks_here() const = 0;
};

// Return whether mpirun or srun has started this process, and as which rank (otherwise 0),
// according to its environment.
bool is_launched();
std::size_t launched_rank();

// Returns null, at no cost, unless mpirun or srun has started more than one of this process. Throws
// TeamError if a rank is another build than rank 0, or its CPU has another instruction set: then
// results would not be bit-identical.
std::unique_ptr<Cluster> join_cluster();

}  // namespace gps
