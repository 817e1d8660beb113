// The ranks of an MPI job: mpirun or srun has started this program several times, on one machine or
// on many (docs/cluster.md). No other source than cluster_mpi.cpp knows of MPI.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "gps/core/work/team.h"

namespace gps {

// All ranks leave when they destroy it. Rank 0 decides when that is: the others are told.
class Cluster : public Team {
 public:
  struct Message {
    std::size_t from = 0;
    std::string text;
  };
  // Messages from one rank to another arrive in the order in which they were sent. Neither waits;
  // what is sent goes on its way as long as somebody calls receive(). Both may be called from any
  // thread, and while another one is in exchange().
  virtual void send(std::size_t to, std::string text) = 0;
  virtual std::optional<Message> receive() = 0;

  // Whether rank 0 has left; known after receive().
  virtual bool is_closed() const = 0;

  // How many ranks share this machine, this one included.
  virtual std::size_t ranks_here() const = 0;
};

// Whether mpirun or srun has started this process, and as which rank (else 0), as far as its
// environment tells.
bool is_launched();
std::size_t launched_rank();

// Null, at no cost, unless mpirun or srun has started this process, and more than one of it. Throws
// TeamError where a rank is another build than rank 0, or its CPU has another instruction set:
// results would not be the same bits.
std::unique_ptr<Cluster> join_cluster();

}  // namespace gps
