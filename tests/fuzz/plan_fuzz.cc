// SPDX-License-Identifier: Apache-2.0
// Any text as a plan. What is read writes a text that reads back the same; laid over a small model,
// no two tensors that are needed at the same time share memory.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "../stretch/drawn.h"
#include "core/index.h"
#include "stretch/plan.h"
#include "stretch/schedule.h"

namespace {

using namespace edgeprobe;

/// The model of tests/golden/stretch/plan.json, with a second Concat.
model::Graph small_model() {
  stretch::testing::Drawn drawn;
  const int input = drawn.input("input");
  const int stem = drawn.layer("stem", {input});
  const int a = drawn.layer("a_out", {stem}, {1, 32, 3}),
            b = drawn.layer("b_out", {stem}, {1, 32, 3});
  const int cat = drawn.layer("cat", {a, b}, {1, 64, 3}, "Concat");
  const int side = drawn.layer("side", {stem}, {1, 8, 3});
  const int all = drawn.layer("all", {cat, side}, {1, 72, 3}, "Concat");
  drawn.graph.outputs = {drawn.layer("output", {cat}), drawn.layer("other", {all})};
  return drawn.graph;
}

void check_memory(const stretch::Schedule& schedule, const model::Graph& graph) {
  std::vector<std::size_t> bytes;
  for (const model::ModelTensor& tensor : graph.tensors)
    bytes.push_back(tensor.spec.byte_size().value());
  const stretch::Arena arena = stretch::arena_of(schedule, graph, bytes);
  for (std::size_t i = 0; i < bytes.size(); ++i)
    if (arena.offsets[i] != stretch::Arena::kNowhere && arena.offsets[i] + bytes[i] > arena.size)
      std::abort();
  // A piece's inputs and outputs must not overlap.
  for (const model::Part& part : schedule.parts)
    for (const int input : part.inputs)
      for (const int output : part.outputs) {
        const std::size_t in = arena.offsets[at(input)], out = arena.offsets[at(output)];
        if (in < out + bytes[at(output)] && out < in + bytes[at(input)]) std::abort();
      }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const model::Graph graph = small_model();
  auto plan = stretch::read_plan({reinterpret_cast<const char*>(data), size});
  if (!plan) {
    if (plan.error().what.empty()) std::abort();
    return 0;
  }
  const auto again = stretch::read_plan(stretch::to_json(*plan));
  if (!again || *again != *plan) std::abort();
  plan->format = graph.format;
  plan->layers = stretch::layer_texts(graph);
  const auto schedule = stretch::schedule_of(*plan, graph);
  if (schedule) check_memory(*schedule, graph);
  else if (schedule.error().what.empty()) std::abort();
  return 0;
}
