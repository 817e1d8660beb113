#include "gps/deployment/remove_class.h"

#include <fmt/format.h>

#include "gps/core/errors.h"

namespace gps {
namespace {

// Removes the class from an earlier version.
void remove_from(StateFolder& folder, int version, const std::string& name, ClassRemoval& removal) {
  const std::string file = folder.file(version).string();
  try {
    LearnState state = folder.load(version);
    if (!has_class(state, name)) return;
    if (state.classes.size() == 1) {
      folder.remove(version);
      removal.removed.push_back(version);
      return;
    }
    remove_class(state, name);
    folder.rewrite(version, state);
    removal.rewritten.push_back(version);
  } catch (const DataError& error) {
    removal.untouched.emplace_back(error.what());
  } catch (const UsageError& error) {  // this machine lacks what its network needs
    removal.untouched.push_back(fmt::format("{}: {}", file, error.what()));
  }
}

}  // namespace

ClassRemoval remove_class_for_good(StateFolder& folder, const std::string& name,
                                   const BeforeKept& before) {
  LearnState newest = folder.load();
  ClassRemoval removal{.version = folder.newest()};
  const bool has_it = has_class(newest, name);
  if (has_it) {
    removal.images = remove_class(newest, name);
    Committed committed = folder.commit_change(newest, before);
    removal.version = committed.version;
    removal.is_new = true;
    removal.untouched = std::move(committed.not_removed);
  }
  for (const int version : folder.versions()) {
    if (version != removal.version) remove_from(folder, version, name, removal);
  }
  if (!has_it && removal.rewritten.empty() && removal.removed.empty())
    remove_class(newest, name);  // throws: there is no such class
  return removal;
}

}  // namespace gps
