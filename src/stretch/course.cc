// SPDX-License-Identifier: Apache-2.0
#include "stretch/course.h"

#include <optional>
#include <string_view>
#include <unordered_map>

namespace edgeprobe::stretch {
namespace {

using Set = std::vector<std::uint64_t>;

void add(Set& set, const Set& other) {
  for (std::size_t i = 0; i < set.size(); ++i) set[i] |= other[i];
}

void resolve(const Plan& plan, Course& course) {
  std::unordered_map<std::string_view, std::size_t> pieces, flags;
  for (std::size_t i = 0; i < plan.pieces.size(); ++i) pieces[plan.pieces[i].name] = i;
  for (const Program& program : plan.programs)
    for (const Step& step : program.steps)
      if (step.kind == Step::Kind::kSignal) flags.emplace(step.name, flags.size());
  course.flags = flags.size();
  course.program_of.resize(plan.pieces.size());
  for (std::size_t i = 0; i < plan.programs.size(); ++i) {
    std::vector<Course::Action>& actions = course.programs.emplace_back();
    for (const Step& step : plan.programs[i].steps) {
      const bool is_run = step.kind == Step::Kind::kRun;
      actions.push_back({step.kind, (is_run ? pieces : flags).at(step.name)});
      if (is_run) course.program_of[actions.back().index] = i;
    }
  }
}

}  // namespace

Course course_of(const Plan& plan) {
  Course course;
  resolve(plan, course);
  const std::size_t words = (plan.pieces.size() + 63) / 64;
  course.ended.assign(plan.pieces.size(), Set(words));
  course.reached.assign(plan.programs.size(), 0);
  // Steps that have certainly finished at each program's position, and where each flag was
  // signalled.
  std::vector<Set> here(plan.programs.size(), Set(words));
  std::vector<std::optional<Set>> signalled(course.flags);
  for (bool moves = true; moves;) {
    moves = false;
    for (std::size_t i = 0; i < course.programs.size(); ++i) {
      std::size_t& step = course.reached[i];
      for (; step < course.programs[i].size(); ++step, moves = true) {
        const Course::Action action = course.programs[i][step];
        if (action.kind == Step::Kind::kWait) {
          if (!signalled[action.index]) break;
          add(here[i], *signalled[action.index]);
        } else if (action.kind == Step::Kind::kSignal) {
          signalled[action.index] = here[i];
        } else {
          course.ended[action.index] = here[i];
          here[i][action.index / 64] |= std::uint64_t{1} << (action.index % 64);
          course.order.push_back(action.index);
        }
      }
    }
  }
  return course;
}

}  // namespace edgeprobe::stretch
