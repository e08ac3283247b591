// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "drawn.h"
#include "stretch/schedule.h"

namespace edgeprobe::stretch::testing {

/// input -> stem -> a, b -> cat -> output, and a plan with the merge of a and b.
struct Towers {
  Drawn drawn;
  int input, stem, a_inner, a, b, cat, output;
  Plan plan;

  explicit Towers(const std::string& format = "onnx", Shape slice = {1, 2, 3},
                  Shape whole = {1, 4, 3}, const std::string& join = "Concat")
      : drawn(format) {
    input = drawn.input("input");
    stem = drawn.layer("stem", {input});
    a_inner = drawn.layer("a_inner", {stem});
    a = drawn.layer("a", {a_inner}, slice);
    b = drawn.layer("b", {stem}, slice);
    cat = drawn.layer("cat", {a, b}, whole, join);
    output = drawn.layer("output", {cat});
    drawn.graph.outputs = {output};
    redraw();
  }
  /// Makes the plan again, after a change of the graph.
  void redraw() {
    plan = plan_of(drawn.graph,
                   {{"first", {"input"}, {"stem"}},
                    {"tower_a", {"stem"}, {"a"}},
                    {"tower_b", {"stem"}, {"b"}},
                    {"head", {"cat"}, {"output"}}},
                   {{run("first"), signal("go"), run("tower_a"), wait("b done"), run("head")},
                    {wait("go"), run("tower_b"), signal("b done")}},
                   {{"cat", {{"a", 0, 2}, {"b", 2, 2}}}});
  }
  Result<Schedule> schedule() const { return schedule_of(plan, drawn.graph); }
  std::string refusal() const {
    const auto made = schedule();
    EXPECT_FALSE(made);
    if (made) return "";
    EXPECT_EQ(made.error().kind, ErrorKind::kUsage);
    return made.error().what;
  }
};

}  // namespace edgeprobe::stretch::testing
