// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "core/result.h"
#include "model/cut.h"
#include "model/graph.h"
#include "stretch/plan.h"

namespace edgeprobe::stretch {

/// A plan over the tensors and layers of one model. Indices are those of the plan's lists.
struct Schedule {
  struct Action {
    Step::Kind kind = Step::Kind::kRun;
    std::size_t index = 0;  ///< Of a piece, or of a flag.
  };
  /// By piece of the plan: what cut() makes a model of. Its outputs are those of the plan in their
  /// order, then outputs of the model that only its layers make (captured layers); its inputs those
  /// of cut().
  std::vector<model::Part> parts;
  std::vector<std::size_t> program_of;  ///< By piece.
  /// By program of the plan.
  std::vector<std::vector<Action>> programs;
  std::size_t flags = 0;
  /// Pieces in an order in which one processor could run them all.
  std::vector<std::size_t> order;
  /// before[a][b]: piece a has ended before piece b begins, whatever the processors' speed.
  std::vector<std::vector<bool>> before;
  /// A tensor that lies inside another one's memory.
  struct View {
    int tensor = -1, whole = -1;
    std::size_t offset = 0;  ///< Elements of the whole in front of it.
  };
  std::vector<View> views;  ///< By merges of the plan and their slices.
};

/// kUsage for a plan of another format or of other layers, the first of which is named;
/// kUnsupported for a model that keeps a state.
Status check_model(const Plan& plan, const model::Graph& graph);

/// `graph`: the model, with the splits of the plan carried out (fit.h). kUsage for a plan that does
/// not suit it: a tensor that it lacks, a piece that needs more or less than its inputs, or reads
/// what nothing before it in time makes; an output of the model that no piece makes; a merge that
/// is no Concat of its slices, or whose slices are not one behind the other in memory. Without
/// splits also what check_model() says.
Result<Schedule> schedule_of(const Plan& plan, const model::Graph& graph);

/// Where tensors lie in one block of memory, aligned to 64 bytes.
struct Arena {
  static constexpr std::size_t kAlignment = 64;  ///< Of each place, as engines want it.
  std::size_t size = 0;                          ///< Bytes.
  std::vector<std::size_t> offsets;  ///< By tensor of the model; kNowhere for those not in it.
  static constexpr std::size_t kNowhere = static_cast<std::size_t>(-1);
};

/// Places for the inputs of the model and all that pieces hand on. Two tensors share memory only
/// where all that reads the one has ended before what makes the other begins; inputs and outputs of
/// the model share none. Views lie in their wholes. `bytes`: by tensor of the model. The largest
/// tensor is placed first, each at the lowest free offset.
Arena arena_of(const Schedule& schedule, const model::Graph& graph,
               const std::vector<std::size_t>& bytes);

}  // namespace edgeprobe::stretch
