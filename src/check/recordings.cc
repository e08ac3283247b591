// SPDX-License-Identifier: Apache-2.0
#include "check/recordings.h"

#include <utility>

#include "check/recording.h"
#include "check/together.h"

namespace edgeprobe::check {
namespace {

void say_problems(const pipeline::RunSummary& ran, const Observer& observer) {
  if (const std::string problems = problems_text(ran); !problems.empty()) observer.say(problems);
}

Status open_target(const std::vector<dataset::Sample>& samples, Recordings& recordings) {
  EP_TRY(auto reader, trace::Reader::open(recordings.target_file.path()));
  recordings.target.emplace(std::move(reader));
  EP_TRY(recordings.raw, pipeline::raw_inputs(*recordings.target, samples));
  return {};
}

Status record_reference(const RunsOfBoth& runs, OpenReference& reference,
                        const pipeline::RunOptions& options, const Observer& observer,
                        Recordings& recordings) {
  EP_TRY(recordings.reference_path,
         reference_trace(reference, *recordings.target, recordings.raw, runs.data,
                         recordings.reference_file.path(), options, observer));
  return {};
}

/// The reference's frames for those that the target finished before `ended`. Errors do not matter.
void record_rest(const Error& ended, const RunsOfBoth& runs, OpenReference& reference,
                 const Observer& observer, Recordings& recordings) {
  const bool is_recorded = !reference.golden.empty() || !reference.trace.empty();
  const bool may_run = ended.kind == ErrorKind::kTarget;
  if (!recordings.target_file.is_written() || !(is_recorded || may_run)) return;
  if (!is_recorded)
    observer.say("warning: " + ended.what + "; the reference runs on the frames before");
  pipeline::RunOptions options = runs.options;
  options.level = pipeline::Level::kIo;
  if (open_target(runs.samples, recordings))
    static_cast<void>(record_reference(runs, reference, options, observer, recordings));
}

}  // namespace

Recordings::Recordings(const std::filesystem::path& folder)
    : target_file(folder / "target.mcap"), reference_file(folder / "reference.mcap") {}

Result<diagnose::Verdict> Recordings::cut_short(const diagnose::Case& known,
                                                diagnose::CutShort why) const {
  if (!target_file.is_written() || !(reference_path || reference_file.is_written()))
    return std::move(why.error);
  return check::cut_short(known, target_file.path(), reference_path.value_or(reference_file.path()),
                          std::move(why));
}

Status record_both(const RunsOfBoth& runs, pipeline::Pipeline& target, OpenReference& reference,
                   const Observer& observer, Recordings& recordings) {
  const std::filesystem::path& path = recordings.target_file.path();
  std::optional<Together> together;
  if (!runs.undisturbed && may_run_together(runs.given, runs.samples, target, reference)) {
    EP_TRY(together, record_together(target, *reference.pipeline, runs.samples, path.parent_path(),
                                     runs.options, observer));
    recordings.ran = std::move(together->target);
  } else {
    auto ran = record(target, runs.samples, path, runs.options, "target", observer);
    if (!ran) {
      record_rest(ran.error(), runs, reference, observer, recordings);
      return std::move(ran.error());
    }
    recordings.ran = *std::move(ran);
  }
  say_problems(recordings.ran, observer);
  EP_CHECK(open_target(runs.samples, recordings));
  if (together) {
    EP_TRY(recordings.reference_path,
           usable_reference(*together, *recordings.target, recordings.raw, path.parent_path(),
                            recordings.told));
    if (recordings.reference_path) say_problems(together->reference, observer);
  }
  if (!recordings.reference_path)
    EP_CHECK(record_reference(runs, reference, runs.options, observer, recordings));
  EP_TRY(auto reader, trace::Reader::open(*recordings.reference_path));
  recordings.reference.emplace(std::move(reader));
  return {};
}

}  // namespace edgeprobe::check
