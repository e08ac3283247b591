// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include "stretch/course.h"
#include "stretch/plan.h"
#include "stretch/wording.h"

namespace edgeprobe::stretch {
namespace {

template <class T>
std::vector<std::string> names_of(const std::vector<T>& all) {
  std::vector<std::string> names;
  for (const T& one : all) names.push_back(one.name);
  return names;
}

/// Names must not be empty or repeated.
Status check_names(const std::vector<std::string>& names, const std::string& list,
                   const std::string& key) {
  std::unordered_map<std::string, std::size_t> seen;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i].empty()) return wrong(item(list, i) + key, "is empty");
    const auto [first, is_new] = seen.emplace(names[i], i);
    if (!is_new)
      return wrong(item(list, i) + key,
                   in_quotes(names[i]) + " is also " + item(list, first->second) + key);
  }
  return {};
}

Status check_size(std::size_t count, std::size_t most, const char* what) {
  if (count <= most) return {};
  return Error{ErrorKind::kLimit,
               std::to_string(count) + " " + what + ", a plan has at most " + std::to_string(most)};
}

Status check_processor(const Processor& one, const std::string& here) {
  if (one.engine.empty())
    return wrong(here + ".engine", "is empty; expected what --engine takes, such as onnxruntime");
  if (one.cpus.empty())
    return wrong(here + ".cpus", "is empty; expected the CPUs that it may use, such as [0]");
  std::set<int> seen;
  for (const int cpu : one.cpus) {
    if (cpu < 0)
      return wrong(here + ".cpus", std::to_string(cpu) + " is not a CPU; CPU numbers begin at 0");
    if (!seen.insert(cpu).second)
      return wrong(here + ".cpus", "CPU " + std::to_string(cpu) + " appears twice");
  }
  if (one.threads < 1 || static_cast<std::size_t>(one.threads) > one.cpus.size())
    return wrong(here + ".threads", std::to_string(one.threads) + "; expected 1 to " +
                                        std::to_string(one.cpus.size()) +
                                        ", as many as it has CPUs");
  if (!(one.emulated_slowdown >= 1) || !(one.emulated_slowdown <= kMostSlowdown))
    return wrong(here + ".emulated_slowdown", number(one.emulated_slowdown, 9) +
                                                  "; expected a number from 1 to " +
                                                  std::to_string(kMostSlowdown));
  return {};
}

Status check_split(const Split& split, const std::string& here) {
  if (split.from.empty()) return wrong(here + ".from", "is empty");
  if (split.to.empty()) return wrong(here + ".to", "is empty");
  if (split.from == split.to)
    return wrong(here + ".to", in_quotes(split.to) + " is also what the layers read");
  if (split.parts.size() < 2)
    return wrong(here + ".parts", "expected at least two; there is nothing to divide");
  EP_CHECK(check_size(split.parts.size(), kMostProcessors, "parts"));
  for (std::size_t i = 0; i < split.parts.size(); ++i)
    if (split.parts[i] < 1)
      return wrong(item(here + ".parts", i),
                   std::to_string(split.parts[i]) + "; expected at least 1");
  return {};
}

/// Maps each tensor that is passed on to the place of its maker: "pieces[0]", "merges[1]".
using Makers = std::unordered_map<std::string, std::string>;

Status check_pieces(const Plan& plan, Makers& makers) {
  if (plan.pieces.empty()) return wrong("pieces", "is empty; a plan has at least one");
  EP_CHECK(check_names(names_of(plan.pieces), "pieces", ".name"));
  for (std::size_t i = 0; i < plan.pieces.size(); ++i) {
    const Piece& piece = plan.pieces[i];
    const std::string here = item("pieces", i);
    if (piece.outputs.empty())
      return wrong(here + ".outputs", "is empty; a piece makes at least one tensor");
    EP_CHECK(check_names(piece.inputs, here + ".inputs", ""));
    EP_CHECK(check_names(piece.outputs, here + ".outputs", ""));
    const std::unordered_set<std::string> inputs(piece.inputs.begin(), piece.inputs.end());
    for (std::size_t j = 0; j < piece.outputs.size(); ++j) {
      const std::string& output = piece.outputs[j];
      if (inputs.count(output))
        return wrong(item(here + ".outputs", j),
                     in_quotes(output) + " is also an input of this piece");
      if (const auto [first, is_new] = makers.emplace(output, here); !is_new)
        return wrong(item(here + ".outputs", j),
                     in_quotes(output) + " is made by " + first->second + " already");
    }
  }
  return {};
}

/// Slices must start at 0 and be contiguous.
Status check_slices(const Merge& merge, const std::string& here) {
  std::int64_t end = 0;
  for (std::size_t j = 0; j < merge.slices.size(); ++j) {
    const Merge::Slice& slice = merge.slices[j];
    const std::string slice_here = item(here + ".slices", j);
    if (slice.tensor.empty()) return wrong(slice_here + ".tensor", "is empty");
    const std::int64_t most = std::numeric_limits<std::int64_t>::max() - end;
    if (slice.count < 1)
      return wrong(slice_here + ".count", std::to_string(slice.count) + "; expected at least 1");
    if (slice.count > most)
      return wrong(slice_here + ".count",
                   std::to_string(slice.count) + "; expected 1 to " + std::to_string(most));
    if (slice.first != end)
      return wrong(slice_here + ".first",
                   std::to_string(slice.first) + ", but what is before it ends at " +
                       std::to_string(end) +
                       (slice.first < end ? ": they overlap" : ": there is a gap"));
    end += slice.count;
  }
  return {};
}

Status check_merges(const Plan& plan, Makers& makers) {
  std::unordered_map<std::string, std::size_t> inside;  // By tensor: the merge that contains it.
  for (std::size_t i = 0; i < plan.merges.size(); ++i) {
    const Merge& merge = plan.merges[i];
    const std::string here = item("merges", i);
    if (merge.tensor.empty()) return wrong(here + ".tensor", "is empty");
    if (const auto [first, is_new] = makers.emplace(merge.tensor, here); !is_new)
      return wrong(here + ".tensor",
                   in_quotes(merge.tensor) + " is made by " + first->second + " already");
    if (merge.slices.size() < 2)
      return wrong(here + ".slices", "expected at least two; there is nothing to merge");
    EP_CHECK(check_slices(merge, here));
    for (std::size_t j = 0; j < merge.slices.size(); ++j)
      if (const auto [first, is_new] = inside.emplace(merge.slices[j].tensor, i); !is_new)
        return wrong(item(here + ".slices", j) + ".tensor",
                     in_quotes(merge.slices[j].tensor) + " is a slice of " +
                         item("merges", first->second) +
                         " already; a tensor can be in only one place");
  }
  for (std::size_t i = 0; i < plan.merges.size(); ++i) {
    std::size_t steps = 0;
    for (auto around = inside.find(plan.merges[i].tensor); around != inside.end();
         around = inside.find(plan.merges[around->second].tensor))
      if (++steps > plan.merges.size())
        return wrong(item("merges", i), in_quotes(plan.merges[i].tensor) + " is a slice of itself");
  }
  return {};
}

std::string step_place(std::size_t program, std::size_t step) {
  return item(item("programs", program) + ".steps", step);
}

/// Names of all steps.
Status check_steps(const Plan& plan) {
  const std::vector<std::string> pieces = names_of(plan.pieces);
  const std::unordered_set<std::string> known(pieces.begin(), pieces.end());
  std::unordered_map<std::string, std::string> run_at, signalled_at;
  for (std::size_t i = 0; i < plan.programs.size(); ++i)
    for (std::size_t j = 0; j < plan.programs[i].steps.size(); ++j) {
      const Step& step = plan.programs[i].steps[j];
      const std::string here = step_place(i, j);
      if (step.name.empty()) return wrong(here, "the name is empty");
      if (step.kind == Step::Kind::kWait) continue;
      const bool is_run = step.kind == Step::Kind::kRun;
      if (is_run && !known.count(step.name))
        return wrong(here, "runs " + in_quotes(step.name) + ", which is not a piece" +
                               suggestion(step.name, pieces));
      const auto [first, is_new] = (is_run ? run_at : signalled_at).emplace(step.name, here);
      if (!is_new)
        return wrong(here, (is_run ? "runs piece " : "signals flag ") + in_quotes(step.name) +
                               ", as " + first->second + " does; each is " +
                               (is_run ? "run" : "signalled") + " once");
    }
  for (std::size_t i = 0; i < pieces.size(); ++i)
    if (!run_at.count(pieces[i]))
      return wrong(item("pieces", i), "no program runs " + in_quotes(pieces[i]));
  for (std::size_t i = 0; i < plan.programs.size(); ++i)
    for (std::size_t j = 0; j < plan.programs[i].steps.size(); ++j) {
      const Step& step = plan.programs[i].steps[j];
      if (step.kind != Step::Kind::kWait || signalled_at.count(step.name)) continue;
      std::vector<std::string> flags;
      for (const auto& [flag, where] : signalled_at) flags.push_back(flag);
      std::sort(flags.begin(), flags.end());
      return wrong(step_place(i, j), "waits for flag " + in_quotes(step.name) +
                                         ", which no program signals" +
                                         suggestion(step.name, flags));
    }
  return {};
}

Status check_progress(const Plan& plan) {
  const Course course = course_of(plan);
  std::string waits;
  for (std::size_t i = 0; i < plan.programs.size(); ++i) {
    const std::size_t step = course.reached[i];
    if (step == plan.programs[i].steps.size()) continue;
    waits += (waits.empty() ? "" : ", ") + step_place(i, step) + " for " +
             in_quotes(plan.programs[i].steps[step].name);
  }
  if (waits.empty()) return {};
  return wrong("programs", "these steps wait for ever: " + waits);
}

/// Programs run at the same time, each on CPUs of its own: on a shared one, a thread that waits
/// would keep the other from its work.
Status check_cpus(const Plan& plan) {
  std::map<int, std::string> user_of;
  for (std::size_t i = 0; i < plan.processors.size(); ++i) {
    const Processor& processor = plan.processors[i];
    if (std::none_of(plan.programs.begin(), plan.programs.end(),
                     [&](const Program& program) { return program.processor == processor.name; }))
      continue;
    for (const int cpu : processor.cpus)
      if (const auto [user, is_new] = user_of.emplace(cpu, processor.name); !is_new)
        return wrong(item("processors", i) + ".cpus",
                     "processor " + in_quotes(user->second) + " runs steps on CPU " +
                         std::to_string(cpu) + " too; give each processor CPUs of its own");
  }
  return {};
}

Status check_programs(const Plan& plan) {
  const std::vector<std::string> processors = names_of(plan.processors);
  std::map<std::string, std::size_t> program_of;
  std::size_t steps = 0;
  for (std::size_t i = 0; i < plan.programs.size(); ++i) {
    const std::string& processor = plan.programs[i].processor;
    const std::string here = item("programs", i) + ".processor";
    if (std::find(processors.begin(), processors.end(), processor) == processors.end())
      return wrong(here, "there is no processor " + in_quotes(processor) +
                             suggestion(processor, processors));
    if (const auto [first, is_new] = program_of.emplace(processor, i); !is_new)
      return wrong(here, in_quotes(processor) + " has " + item("programs", first->second) +
                             " already; put the steps into that one");
    steps += plan.programs[i].steps.size();
  }
  EP_CHECK(check_size(steps, kMostSteps, "steps"));
  EP_CHECK(check_cpus(plan));
  EP_CHECK(check_steps(plan));
  return check_progress(plan);
}

}  // namespace

Status check(const Plan& plan) {
  if (plan.format.empty()) return wrong("model.format", "is empty; expected onnx or tflite");
  EP_CHECK(check_size(plan.processors.size(), kMostProcessors, "processors"));
  EP_CHECK(check_size(plan.pieces.size(), kMostPieces, "pieces"));
  EP_CHECK(check_size(plan.merges.size(), kMostPieces, "merges"));
  EP_CHECK(check_names(names_of(plan.processors), "processors", ".name"));
  for (std::size_t i = 0; i < plan.processors.size(); ++i)
    EP_CHECK(check_processor(plan.processors[i], item("processors", i)));
  EP_CHECK(check_size(plan.splits.size(), kMostPieces, "splits"));
  for (std::size_t i = 0; i < plan.splits.size(); ++i)
    EP_CHECK(check_split(plan.splits[i], item("splits", i)));
  Makers makers;
  EP_CHECK(check_pieces(plan, makers));
  EP_CHECK(check_merges(plan, makers));
  return check_programs(plan);
}

}  // namespace edgeprobe::stretch
