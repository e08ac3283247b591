// SPDX-License-Identifier: Apache-2.0
#include "contract/python/run.h"

#include "core/text.h"
#include "pipeline/function/assertion.h"

namespace edgeprobe::contract {
namespace {

/// Collected replies of one function.
struct Heard {
  std::uint64_t holds = 0, fails = 0, errors = 0;
  std::optional<std::uint32_t> first_failing, first_error, newest;
  std::string why_failing, why_error,
      sample;           // Sample of the first failing frame, else of the first error.
  std::string failure;  // Reason why nothing could be run, or the run stopped.

  std::uint64_t frames() const { return holds + fails + errors; }
};

void hear(const pipeline::Judgement& judgement, Heard& heard) {
  using State = pipeline::Judgement::State;
  heard.newest = judgement.frame;
  if (judgement.state == State::kHolds) {
    ++heard.holds;
  } else if (judgement.state == State::kFails) {
    if (heard.fails++ == 0) {
      heard.first_failing = judgement.frame;
      heard.why_failing = judgement.why;
      heard.sample = judgement.sample;
    }
  } else if (heard.errors++ == 0) {
    heard.first_error = judgement.frame;
    heard.why_error = judgement.why;
    if (heard.fails == 0) heard.sample = judgement.sample;
  }
}

// "after frame 7": names the last frame with a reply.
std::string at_frame(const Heard& heard) {
  return heard.newest ? "after frame " + std::to_string(*heard.newest)
                      : "before the first frame was judged";
}

/// Runs one function over all frames of the trace.
Result<Heard> run(const pipeline::AssertionSpec& spec, const Control& control) {
  Heard heard;
  const auto failed = [&](const Error& error) -> Result<Heard> {
    if (error.kind == ErrorKind::kInterrupted) return interrupted();
    heard.failure = error.what;
    constexpr std::string_view kStopped = " and was stopped (--time-limit)";
    if (heard.failure.ends_with(kStopped))
      heard.failure.insert(heard.failure.size() - kStopped.size(), " " + at_frame(heard));
    else if (heard.failure.starts_with("its process ended")) heard.failure += " " + at_frame(heard);
    return heard;
  };
  const auto assertion = pipeline::UserAssertion::start(spec, control);
  if (!assertion) return failed(assertion.error());
  for (std::uint64_t i = 0; i < (*assertion)->frames(); ++i) {
    if (control.stopped()) return interrupted();
    const auto judgement = (*assertion)->judge(i, control);
    if (!judgement) return failed(judgement.error());
    hear(*judgement, heard);
  }
  return heard;
}

Finding finding_of(const std::string& function, const Heard& heard) {
  Finding finding;
  finding.id = "python." + function;
  finding.frames = heard.frames();
  finding.failing = heard.fails;
  finding.sample = heard.sample;
  if (heard.fails > 0) {
    finding.state = State::kFails;
    finding.frame = heard.first_failing;
    finding.why = heard.why_failing;
    finding.cure = "look at the frame: edgeprobe trace cat TRACE --frame " +
                   std::to_string(*heard.first_failing);
  } else if (heard.errors > 0 || !heard.failure.empty() || heard.frames() == 0) {
    finding.state = State::kCannotTell;
    finding.frame = heard.first_error;
    finding.why = heard.errors > 0 ? heard.why_error + ", in " + std::to_string(heard.errors) +
                                         " of " + std::to_string(heard.frames()) + " frames"
                  : !heard.failure.empty() ? heard.failure
                                           : "the trace has no frame";
    finding.cure = "fix the function, or remove it from 'python'";
  }
  if (heard.errors > 0 && !heard.failure.empty()) finding.why += "; " + heard.failure;
  return finding;
}

}  // namespace

Result<std::vector<Finding>> check_python(const std::vector<std::string>& functions,
                                          const std::filesystem::path& trace,
                                          const PythonOptions& options, const Control& control) {
  std::vector<Finding> findings;
  for (const std::string& function : functions) {
    Heard heard;
    const std::size_t colon = function.rfind(':');
    const auto file = options.folder / function.substr(0, colon);
    std::error_code failure;
    if (!std::filesystem::is_regular_file(file, failure)) {
      heard.failure = "'" + sanitized(file.string(), 300) + "': there is no such file";
    } else {
      EP_TRY(heard,
             run({file, function.substr(colon + 1), trace, options.interpreter, options.limit},
                 control));
    }
    findings.push_back(finding_of(function, heard));
  }
  return findings;
}

}  // namespace edgeprobe::contract
