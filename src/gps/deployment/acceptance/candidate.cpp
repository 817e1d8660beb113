#include "gps/deployment/acceptance/candidate.h"

#include <fmt/format.h>

#include <limits>
#include <system_error>

#include "gps/core/files/files.h"
#include "gps/core/files/framed.h"
#include "gps/deployment/state_models.h"

namespace gps {
namespace {

namespace fs = std::filesystem;

// The format is that of the state in it.
constexpr FileKind kCandidateKind = {"a candidate", "gpscl candidate\n", kStateFormat};

struct CandidateFile {
  CandidateNote note;
  std::string body;  // the state, as state_from() reads it
  std::uint32_t format = kStateFormat;
};

std::optional<CandidateFile> read_candidate(const StateFolder& folder) {
  const fs::path file = folder.candidate_file();
  std::error_code error;
  if (!fs::exists(fs::symlink_status(file, error))) return std::nullopt;
  try {
    Unframed unframed_file = unframed(kCandidateKind, read_file(file));
    Archive archive(std::move(unframed_file.body));
    CandidateFile candidate;
    candidate.format = unframed_file.format;
    candidate.note.persist(archive);
    archive(candidate.body);
    archive.finish();
    return candidate;
  } catch (const DataError& problem) {
    const std::string what = problem.what();
    if (what.starts_with(file.string())) throw;
    throw DataError(fmt::format("{} {}", file.string(), what));
  }
}

void write_candidate(const StateFolder& folder, CandidateNote& note, LearnState& state) {
  std::string body = to_bytes(state);
  Archive archive;
  note.persist(archive);
  archive(body);
  write_file(folder.candidate_file(), framed(kCandidateKind, archive.bytes()));
}

int newest_or_none(const StateFolder& folder) {
  const std::vector<int> all = folder.versions();
  return all.empty() ? 0 : all.back();
}

std::uint32_t checksum_of_version(const StateFolder& folder, int version) {
  return version == 0 ? 0 : checksum(read_file(folder.file(version)));
}

bool follows_newest(const StateFolder& folder, const CandidateNote& note) {
  const int newest = newest_or_none(folder);
  return note.made_from == newest && note.made_from_checksum == checksum_of_version(folder, newest);
}

}  // namespace

void CandidateNote::persist(Archive& archive) {
  archive.section("candidate");
  archive.between(made_from, 0, std::numeric_limits<int>::max(), "version of a candidate");
  archive(made_from_checksum, when, task, problems, copied);
}

CandidateNote keep_aside(const StateFolder& folder, LearnState& state, std::int64_t when,
                         const std::vector<std::string>& problems) {
  drop_candidate(folder);
  const int newest = newest_or_none(folder);
  CandidateNote note{.made_from = newest,
                     .made_from_checksum = checksum_of_version(folder, newest),
                     .when = when,
                     .task = state.tasks.back().name,
                     .problems = problems};
  if (newest == 0) {
    for (const fs::path& copy : copy_models(state.options, folder.path()))
      note.copied.push_back(copy.filename().string());
  }
  write_candidate(folder, note, state);
  return note;
}

std::optional<CandidateNote> candidate_of(const StateFolder& folder) {
  std::optional<CandidateFile> candidate = read_candidate(folder);
  if (!candidate || !follows_newest(folder, candidate->note)) return std::nullopt;
  return std::move(candidate->note);
}

LearnState load_candidate(const StateFolder& folder) {
  std::optional<CandidateFile> candidate = read_candidate(folder);
  const std::string name = folder.path().string();
  if (!candidate) throw UsageError(fmt::format("{}: no candidate is kept aside", name));
  if (!follows_newest(folder, candidate->note)) {
    throw UsageError(fmt::format(
        "{}: the state has changed since the candidate was made, so it cannot be kept", name));
  }
  return state_from(std::move(candidate->body), folder.path(), candidate->format);
}

std::optional<LearnState> candidate_to_rewrite(const StateFolder& folder) {
  std::optional<CandidateFile> candidate = read_candidate(folder);
  if (!candidate || candidate->note.made_from != newest_or_none(folder)) return std::nullopt;
  return state_from(std::move(candidate->body), folder.path(), candidate->format);
}

void rewrite_candidate(const StateFolder& folder, LearnState& state, std::uint32_t made_from) {
  std::optional<CandidateFile> candidate = read_candidate(folder);
  candidate->note.made_from_checksum = made_from;
  write_candidate(folder, candidate->note, state);
}

void drop_candidate(const StateFolder& folder) {
  const fs::path file = folder.candidate_file();
  std::error_code error;
  if (!folder.has_state()) {
    try {
      if (const auto candidate = read_candidate(folder)) {
        for (const std::string& name : candidate->note.copied) {
          if (name == kModelFile || name == kBackboneFile) fs::remove(folder.path() / name, error);
        }
      }
    } catch (const DataError&) {  // damaged: nobody knows what was copied for it
    }
  }
  fs::remove(file, error);
  if (error)
    throw DataError(fmt::format("{}: cannot be removed: {}", file.string(), error.message()));
}

}  // namespace gps
