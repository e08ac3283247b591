// SPDX-License-Identifier: Apache-2.0
// Places of tensors in one block of memory, held against what can happen in time.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>

#include "core/index.h"
#include "drawn.h"
#include "stretch/schedule.h"

namespace edgeprobe::stretch::testing {
namespace {

std::vector<std::size_t> sizes_of(const model::Graph& graph) {
  std::vector<std::size_t> sizes;
  for (const model::ModelTensor& tensor : graph.tensors)
    sizes.push_back(tensor.spec.byte_size().value());
  return sizes;
}

TEST(Arena, MemoryIsUsedAgainWhereItIsFree) {
  Drawn drawn;
  const Shape small{16}, large{64};
  const int input = drawn.input("input", small);
  const int a = drawn.layer("a", {input}, large), b = drawn.layer("b", {a}, small);
  const int c = drawn.layer("c", {b}, large), d = drawn.layer("d", {c}, small);
  const int inner = drawn.layer("inner", {d}, large);
  const int output = drawn.layer("output", {inner}, small);
  drawn.graph.outputs = {output};
  const auto made = schedule_of(plan_of(drawn.graph,
                                        {{"a", {"input"}, {"a"}},
                                         {"b", {"a"}, {"b"}},
                                         {"c", {"b"}, {"c"}},
                                         {"d", {"c"}, {"d"}},
                                         {"e", {"d"}, {"output"}}},
                                        {{run("a"), run("b"), run("c"), run("d"), run("e")}}),
                                drawn.graph);
  ASSERT_TRUE(made) << made.error().what;
  const Arena arena = arena_of(*made, drawn.graph, sizes_of(drawn.graph));
  EXPECT_EQ(arena.offsets[at(a)], 0u);
  EXPECT_EQ(arena.offsets[at(c)], 0u);  // Reuses the memory of a, whose reader has finished.
  EXPECT_EQ(arena.offsets[at(input)], 256u);
  EXPECT_EQ(arena.offsets[at(b)], 320u);
  EXPECT_EQ(arena.offsets[at(d)], 320u);
  EXPECT_EQ(arena.offsets[at(output)], 384u);
  EXPECT_EQ(arena.offsets[at(inner)], Arena::kNowhere);  // Inside of a piece.
  EXPECT_EQ(arena.size, 448u);
}

TEST(Arena, WhatMayRunAtTheSameTimeSharesNone) {
  Drawn drawn;
  const int input = drawn.input("input");
  const int a = drawn.layer("a", {input}), b = drawn.layer("b", {input});
  const int c = drawn.layer("c", {a}), d = drawn.layer("d", {b});
  drawn.graph.outputs = {drawn.layer("output", {c, d})};
  const std::vector<Piece> pieces{{"a", {"input"}, {"a"}},
                                  {"b", {"input"}, {"b"}},
                                  {"c", {"a"}, {"c"}},
                                  {"d", {"b"}, {"d"}},
                                  {"output", {"c", "d"}, {"output"}}};
  const auto alone = schedule_of(
      plan_of(drawn.graph, pieces, {{run("a"), run("c"), run("b"), run("d"), run("output")}}),
      drawn.graph);
  const auto beside = schedule_of(
      plan_of(drawn.graph, pieces,
              {{run("a"), run("c"), wait("d"), run("output")}, {run("b"), run("d"), signal("d")}}),
      drawn.graph);
  ASSERT_TRUE(alone && beside);
  const std::vector<std::size_t> sizes = sizes_of(drawn.graph);
  // If one processor runs everything, b can reuse the memory of a.
  EXPECT_EQ(arena_of(*alone, drawn.graph, sizes).size, 5u * 64);
  EXPECT_EQ(arena_of(*beside, drawn.graph, sizes).size, 6u * 64);
}

TEST(Arena, SlicesLieInTheirWholesAndLiveAsLong) {
  Drawn drawn;
  const int x = drawn.input("x", {1, 16});
  const int a = drawn.layer("a", {x}, {1, 3, 5}), b = drawn.layer("b", {x}, {1, 2, 5});
  const int inner = drawn.layer("inner", {a, b}, {1, 5, 5}, "Concat");
  const int c = drawn.layer("c", {x}, {1, 1, 5});
  const int outer = drawn.layer("outer", {c, inner}, {1, 6, 5}, "Concat");
  const int output = drawn.layer("output", {outer}, {1, 6, 5});
  drawn.graph.outputs = {output};
  const auto made = schedule_of(
      plan_of(drawn.graph,
              {{"a", {"x"}, {"a"}},
               {"b", {"x"}, {"b"}},
               {"c", {"x"}, {"c"}},
               {"output", {"outer"}, {"output"}}},
              {{run("a"), run("b"), run("c"), run("output")}},
              {{"outer", {{"c", 0, 1}, {"inner", 1, 5}}}, {"inner", {{"a", 0, 3}, {"b", 3, 2}}}}),
      drawn.graph);
  ASSERT_TRUE(made) << made.error().what;
  const Arena arena = arena_of(*made, drawn.graph, sizes_of(drawn.graph));
  const std::size_t whole = arena.offsets[at(outer)];
  EXPECT_EQ(arena.offsets[at(c)], whole);
  EXPECT_EQ(arena.offsets[at(inner)], whole + 20);
  EXPECT_EQ(arena.offsets[at(a)], whole + 20);
  EXPECT_EQ(arena.offsets[at(b)], whole + 20 + 60);
  EXPECT_EQ(arena.size, 128u + 128u + 64u);
}

/// A random model and plan: layers that read any earlier ones, in pieces of one or two layers on
/// three processors; Concats as merges.
struct Chance {
  Drawn drawn;
  Plan plan;

  explicit Chance(unsigned seed) : random_(seed) {
    std::vector<int> known{drawn.input("input 0", {1, below(20), 3}),
                           drawn.input("input 1", {1, below(20), 3})};
    std::vector<Piece> pieces;
    std::vector<Merge> merges;
    std::set<int> sliced;
    programs_.resize(3);
    for (int i = 0; i < 24; ++i) {
      const std::string name = "t" + std::to_string(i);
      if (i % 5 == 4) {
        merge(name, known, sliced, merges);
        continue;
      }
      std::set<int> read;
      for (int j = 0; j < 2; ++j) read.insert(known[index(known.size())]);
      std::vector<std::string> inputs;
      for (const int tensor : read) inputs.push_back(name_of(tensor));
      int last = drawn.layer(name, {read.begin(), read.end()}, {1, below(20), 3});
      if (below(3) == 1) last = drawn.layer(name + " then", {last}, {1, below(20), 3});
      known.push_back(last);
      pieces.push_back({name, inputs, {name_of(last)}});
      put(name, last, read);
    }
    for (const int tensor : known)
      if (below(4) == 1 || tensor == known.back()) drawn.graph.outputs.push_back(tensor);
    plan = plan_of(drawn.graph, pieces, programs_, merges);
  }

 private:
  std::int64_t below(int most) { return static_cast<std::int64_t>(random_() % unsigned(most)) + 1; }
  std::size_t index(std::size_t count) { return random_() % count; }
  const std::string& name_of(int tensor) const { return drawn.graph.tensors[at(tensor)].spec.name; }

  /// Merges two tensors that are not yet in a whole.
  void merge(const std::string& name, std::vector<int>& known, std::set<int>& sliced,
             std::vector<Merge>& merges) {
    std::vector<int> free;
    for (const int tensor : known)
      if (!sliced.count(tensor)) free.push_back(tensor);
    std::shuffle(free.begin(), free.end(), random_);
    if (free.size() < 2) return;
    std::int64_t end = 0;
    Merge made{name, {}};
    for (const int slice : {free[0], free[1]}) {
      const std::int64_t count = drawn.graph.tensors[at(slice)].spec.shape[1];
      made.slices.push_back({name_of(slice), end, count});
      end += count;
      sliced.insert(slice);
    }
    known.push_back(drawn.layer(name, {free[0], free[1]}, {1, end, 3}, "Concat"));
    makers_[known.back()] = makers_[free[0]];
    makers_[known.back()].insert(makers_[free[1]].begin(), makers_[free[1]].end());
    merges.push_back(std::move(made));
  }

  /// Runs the piece on any processor, after the pieces that make its inputs.
  void put(const std::string& piece, int tensor, const std::set<int>& read) {
    const std::size_t processor = index(programs_.size());
    for (const int one : read)
      for (const std::string& maker : makers_[one])
        if (processor_of_[maker] != processor)
          programs_[processor].push_back(wait(maker + " done"));
    programs_[processor].push_back(run(piece));
    programs_[processor].push_back(signal(piece + " done"));
    makers_[tensor] = {piece};
    processor_of_[piece] = processor;
  }

  std::mt19937 random_;
  std::vector<std::vector<Step>> programs_;
  std::map<int, std::set<std::string>> makers_;
  std::map<std::string, std::size_t> processor_of_;
};

/// before[a][b] computed differently from the schedule: the closure over steps, with an edge from
/// each step to the next one of its program, and from a signal to its waits.
std::vector<std::vector<bool>> closure(const Plan& plan) {
  struct Node {
    Step step;
    std::size_t program = 0;
  };
  std::vector<Node> nodes;
  for (std::size_t i = 0; i < plan.programs.size(); ++i)
    for (const Step& step : plan.programs[i].steps) nodes.push_back({step, i});
  std::vector<std::vector<bool>> way(nodes.size(), std::vector<bool>(nodes.size()));
  for (std::size_t a = 0; a < nodes.size(); ++a)
    for (std::size_t b = 0; b < nodes.size(); ++b)
      way[a][b] =
          (nodes[a].program == nodes[b].program && b == a + 1) ||
          (nodes[a].step.kind == Step::Kind::kSignal && nodes[b].step.kind == Step::Kind::kWait &&
           nodes[a].step.name == nodes[b].step.name);
  for (std::size_t k = 0; k < nodes.size(); ++k)
    for (std::size_t a = 0; a < nodes.size(); ++a)
      for (std::size_t b = 0; way[a][k] && b < nodes.size(); ++b)
        if (way[k][b]) way[a][b] = true;
  std::map<std::string, std::size_t> run_at;
  for (std::size_t i = 0; i < nodes.size(); ++i)
    if (nodes[i].step.kind == Step::Kind::kRun) run_at[nodes[i].step.name] = i;
  std::vector<std::vector<bool>> before;
  for (const Piece& a : plan.pieces) {
    before.emplace_back();
    for (const Piece& b : plan.pieces) before.back().push_back(way[run_at[a.name]][run_at[b.name]]);
  }
  return before;
}

/// By name: the pieces that write into a tensor's memory or read from it, according to the plan
/// only.
struct Use {
  std::set<std::size_t> makers, users;
  bool is_kept = false;
};

/// For a tensor and everything inside it, but not for the tensors that contain it.
Use use_of(const Plan& plan, const model::Graph& graph, const std::string& tensor) {
  Use use;
  for (std::size_t i = 0; i < plan.pieces.size(); ++i) {
    const Piece& piece = plan.pieces[i];
    if (std::count(piece.outputs.begin(), piece.outputs.end(), tensor)) {
      use.makers.insert(i);
      use.users.insert(i);
    }
    if (std::count(piece.inputs.begin(), piece.inputs.end(), tensor)) use.users.insert(i);
  }
  for (const std::vector<int>* const list : {&graph.inputs, &graph.outputs})
    for (const int one : *list)
      if (graph.tensors[at(one)].spec.name == tensor) use.is_kept = true;
  for (const Merge& merge : plan.merges)
    if (merge.tensor == tensor)
      for (const Merge::Slice& slice : merge.slices) {
        const Use inner = use_of(plan, graph, slice.tensor);
        use.makers.insert(inner.makers.begin(), inner.makers.end());
        use.users.insert(inner.users.begin(), inner.users.end());
        use.is_kept = use.is_kept || inner.is_kept;
      }
  return use;
}

/// True if one tensor is inside the other, at any depth.
bool holds(const Plan& plan, const std::string& whole, const std::string& tensor) {
  if (whole == tensor) return true;
  for (const Merge& merge : plan.merges)
    if (merge.tensor == whole)
      for (const Merge::Slice& slice : merge.slices)
        if (holds(plan, slice.tensor, tensor)) return true;
  return false;
}

TEST(Arena, OfChanceHoldsWhatHasToBeHeld) {
  std::size_t shared = 0, nested = 0;
  for (unsigned seed = 0; seed < 300; ++seed) {
    const Chance chance(seed);
    const model::Graph& graph = chance.drawn.graph;
    const auto made = schedule_of(chance.plan, graph);
    ASSERT_TRUE(made) << seed << ": " << made.error().what;
    const std::vector<std::vector<bool>> before = closure(chance.plan);
    ASSERT_EQ(made->before, before) << seed;
    const std::vector<std::size_t> sizes = sizes_of(graph);
    const Arena arena = arena_of(*made, graph, sizes);
    const auto all_before = [&](const Use& one, const Use& other) {
      for (const std::size_t user : one.users)
        for (const std::size_t maker : other.makers)
          if (!before[user][maker]) return false;
      return !other.makers.empty();
    };
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      const std::string& a = graph.tensors[i].spec.name;
      const Use use_a = use_of(chance.plan, graph, a);
      const bool is_input = std::count(graph.inputs.begin(), graph.inputs.end(), int(i)) > 0;
      ASSERT_EQ(arena.offsets[i] == Arena::kNowhere, use_a.makers.empty() && !use_a.is_kept) << a;
      if (arena.offsets[i] == Arena::kNowhere) continue;
      ASSERT_LE(arena.offsets[i] + sizes[i], arena.size);
      bool lies_in_a_whole = false;
      for (const Merge& merge : chance.plan.merges)
        lies_in_a_whole =
            lies_in_a_whole || (merge.tensor != a && holds(chance.plan, merge.tensor, a));
      nested += lies_in_a_whole && !is_input ? 1 : 0;
      ASSERT_TRUE(lies_in_a_whole || arena.offsets[i] % 64 == 0) << a;
      for (std::size_t j = 0; j < i; ++j) {
        if (arena.offsets[j] == Arena::kNowhere) continue;
        const bool overlap = arena.offsets[i] < arena.offsets[j] + sizes[j] &&
                             arena.offsets[j] < arena.offsets[i] + sizes[i];
        const std::string& b = graph.tensors[j].spec.name;
        if (holds(chance.plan, a, b) || holds(chance.plan, b, a)) {
          ASSERT_TRUE(overlap) << seed << ": " << a << ", " << b;
        } else if (overlap) {
          const Use use_b = use_of(chance.plan, graph, b);
          ASSERT_FALSE(use_a.is_kept || use_b.is_kept) << seed << ": " << a << ", " << b;
          ASSERT_TRUE(all_before(use_a, use_b) || all_before(use_b, use_a))
              << seed << ": " << a << ", " << b;
          ++shared;
        }
      }
    }
  }
  EXPECT_GT(shared, 1000u);
  EXPECT_GT(nested, 1000u);
}

}  // namespace
}  // namespace edgeprobe::stretch::testing
