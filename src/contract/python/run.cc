// SPDX-License-Identifier: Apache-2.0
#include "contract/python/run.h"

#include <poll.h>

#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "core/text.h"
#include "pipeline/function/user_function.h"
#include "process/child.h"
#include "process/output.h"
#include "process/pipe.h"
#include "process/wait.h"

namespace edgeprobe::contract {
namespace {

using nlohmann::json;
using namespace std::chrono_literals;

constexpr std::size_t kMostOutput = std::size_t{1} << 24, kLongestLine = 100'000;

/// Collected replies of one function.
struct Heard {
  std::uint64_t holds = 0, fails = 0, errors = 0;
  std::optional<std::uint32_t> first_failing, first_error, newest;
  std::string why_failing, why_error,
      sample;           // Sample of the first failing frame, else of the first error.
  std::string failure;  // Reason why nothing could be run, or the run stopped.
  bool done = false;

  std::uint64_t frames() const { return holds + fails + errors; }
};

void hear(const std::string& line, Heard& heard) {
  const json said = json::parse(line, nullptr, false);
  if (!said.is_object()) {
    heard.failure = "its process sent an invalid answer";
    return;
  }
  const auto text = [&](const char* key) {
    const auto found = said.find(key);
    return found != said.end() && found->is_string() ? sanitized(found->get<std::string>(), 1000)
                                                     : std::string();
  };
  if (said.contains("done")) heard.done = true;
  if (said.contains("failure")) heard.failure = text("failure");
  if (!said.contains("frame") || !said["frame"].is_number_unsigned()) return;
  const auto frame = said["frame"].get<std::uint32_t>();
  heard.newest = frame;
  const std::string state = text("state");
  if (state == "holds") {
    ++heard.holds;
  } else if (state == "fails") {
    if (heard.fails++ == 0) {
      heard.first_failing = frame;
      heard.why_failing = text("why");
      heard.sample = text("sample");
    }
  } else if (heard.errors++ == 0) {
    heard.first_error = frame;
    heard.why_error = text("why");
    if (heard.fails == 0) heard.sample = text("sample");
  }
}

// "after frame 7": names the last frame with a reply.
std::string at_frame(const Heard& heard) {
  return heard.newest ? "after frame " + std::to_string(*heard.newest)
                      : "before the first frame was judged";
}

Result<Heard> run(const process::Command& command, process::Ends pipe, const PythonOptions& options,
                  const Control& control) {
  Heard heard;
  auto started = process::Child::start(command);
  if (!started) {
    heard.failure = "the Python interpreter '" + sanitized(command.program) +
                    "' cannot be started: " + started.error().what +
                    "; name one with --python or EDGEPROBE_PYTHON";
    return heard;
  }
  process::Child child = *std::move(started);
  pipe.theirs.close();
  process::Output output(std::move(pipe.ours), kMostOutput);
  std::string pending;
  auto deadline = process::deadline_after(options.limit);
  while (heard.failure.empty() && output.descriptor() >= 0) {
    const auto ready = process::wait_for(output.descriptor(), POLLIN, {deadline, control.stop});
    if (ready == process::Transfer::kStopped) return interrupted();
    if (ready == process::Transfer::kLate) {
      heard.failure = "it took longer than the limit of " +
                      number(static_cast<double>(options.limit.count()) / 1000) + " s " +
                      at_frame(heard) + " and was stopped (--time-limit)";
      break;
    }
    output.drain();
    pending += output.take();
    std::size_t begin = 0;
    for (std::size_t end; (end = pending.find('\n', begin)) != std::string::npos; begin = end + 1) {
      hear(pending.substr(begin, end - begin), heard);
      deadline = process::deadline_after(options.limit);
    }
    pending.erase(0, begin);
    if (pending.size() > kLongestLine) heard.failure = "its process sent an invalid answer";
  }
  const process::Exit exit = child.end(heard.failure.empty() ? 2000ms : 0ms);
  if (heard.failure.empty() && !heard.done)
    heard.failure = "its process ended with " + exit.name() + " " + at_frame(heard);
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
  std::string interpreter = options.interpreter;
  if (const char* given = std::getenv("EDGEPROBE_PYTHON"); interpreter.empty() && given)
    interpreter = given;
  if (interpreter.empty()) interpreter = "python3";
  std::filesystem::path script;
  for (const std::filesystem::path& path : pipeline::child_scripts()) {
    std::error_code failure;
    const auto beside = path.parent_path() / "assertion_child.py";
    if (script.empty() && std::filesystem::is_regular_file(beside, failure)) script = beside;
  }
  for (const std::string& function : functions) {
    Heard heard;
    const std::size_t colon = function.rfind(':');
    const auto file = options.folder / function.substr(0, colon);
    std::error_code failure;
    if (script.empty()) {
      heard.failure = "the Python part of edgeprobe is not installed";
    } else if (!std::filesystem::is_regular_file(file, failure)) {
      heard.failure = "'" + sanitized(file.string(), 300) + "': there is no such file";
    } else {
      EP_TRY(auto pipe, process::pipe_from_child());
      process::Command command;
      command.program = interpreter;
      command.arguments = {interpreter, script.string(), file.string(), function.substr(colon + 1),
                           trace.string()};
      command.descriptors = {{pipe.theirs.get(), 1}};
      EP_TRY(heard, run(command, std::move(pipe), options, control));
    }
    findings.push_back(finding_of(function, heard));
  }
  return findings;
}

}  // namespace edgeprobe::contract
