// SPDX-License-Identifier: Apache-2.0
#include "check/cut_short.h"

#include <utility>

#include "diagnose/comparison.h"
#include "trace/read/reader.h"

namespace edgeprobe::check {
namespace {

namespace fs = std::filesystem;

std::optional<fs::file_time_type> written_at(const fs::path& path) {
  std::error_code failure;
  const auto at = fs::last_write_time(path, failure);
  return failure ? std::nullopt : std::optional(at);
}

}  // namespace

OwnTrace::OwnTrace(fs::path path) : path_(std::move(path)), before_(written_at(path_)) {}

bool OwnTrace::is_written() const {
  const auto now = written_at(path_);
  return now && now != before_;
}

Result<diagnose::Verdict> cut_short(diagnose::Case known, const fs::path& target,
                                    const fs::path& reference, diagnose::CutShort why) {
  if (why.error.kind != ErrorKind::kInterrupted && why.error.kind != ErrorKind::kTarget)
    return std::move(why.error);
  const auto finished = trace::Reader::open(target);
  const auto trusted = trace::Reader::open(reference);
  if (!finished || !trusted) return std::move(why.error);
  known.target = &*finished;
  known.reference = &*trusted;
  const Error ended = why.error;
  auto verdict = diagnose::cut_short(known, std::move(why));
  // The reason of the end matters more than a comparison that fails as well.
  if (!verdict) return ended;
  return verdict;
}

}  // namespace edgeprobe::check
