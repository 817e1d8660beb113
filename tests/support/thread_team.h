// A team whose members are threads of this process.
#pragma once

#include <barrier>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include "gps/core/work/team.h"

namespace gps::testing {

class ThreadTeam final : public Team {
 public:
  struct Table {
    explicit Table(std::size_t size) : texts(size), all_there(static_cast<std::ptrdiff_t>(size)) {}
    std::vector<std::string> texts;
    std::barrier<> all_there;
  };

  ThreadTeam(std::size_t rank, Table& table) : rank_(rank), table_(table) {}
  std::size_t rank() const override { return rank_; }
  std::size_t size() const override { return table_.texts.size(); }
  std::string name_of(std::size_t member) const override {
    return "member " + std::to_string(member);
  }

 protected:
  std::vector<std::string> exchange(const std::string& mine) override {
    table_.texts[rank_] = mine;
    table_.all_there.arrive_and_wait();
    std::vector<std::string> all = table_.texts;
    table_.all_there.arrive_and_wait();
    return all;
  }

 private:
  std::size_t rank_;
  Table& table_;
};

// Calls work(team) once for each of `size` members, side by side. Returns what they return.
template <typename Work>
auto in_a_team(std::size_t size, const Work& work) {
  ThreadTeam::Table table(size);
  std::vector<decltype(work(std::declval<Team&>()))> results(size);
  std::vector<std::jthread> threads;
  for (std::size_t rank = 0; rank < size; ++rank) {
    threads.emplace_back([&, rank] {
      ThreadTeam team(rank, table);
      results[rank] = work(team);
    });
  }
  threads.clear();
  return results;
}

}  // namespace gps::testing
