// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "core/result.h"
#include "model/cut.h"
#include "model/graph.h"
#include "stretch/plan.h"

namespace edgeprobe::stretch {

/// A plan resolved to the tensors and layers of one model. Indices refer to the plan's lists.
struct Schedule {
  struct Action {
    Step::Kind kind = Step::Kind::kRun;
    std::size_t index = 0;  ///< Index of a piece, or of a flag.
  };
  /// By piece of the plan: the Part for cut(). Its outputs are those of the plan in order, then
  /// outputs of the model that only its layers make (captured layers); its inputs are those of
  /// cut().
  std::vector<model::Part> parts;
  std::vector<std::size_t> program_of;  ///< Indexed by piece.
  /// Indexed by program of the plan.
  std::vector<std::vector<Action>> programs;
  std::size_t flags = 0;
  /// Pieces in an order in which one processor could run all of them.
  std::vector<std::size_t> order;
  /// before[a][b]: piece a has finished before piece b begins, whatever the processors' speed.
  std::vector<std::vector<bool>> before;
  /// A tensor inside another one's memory.
  struct View {
    int tensor = -1, whole = -1;
    std::size_t offset = 0;  ///< Offset in the whole, in elements.
  };
  std::vector<View> views;  ///< In the order of the plan's merges and their slices.
};

/// kUsage for a plan of another format or with other layers (names the first that differs);
/// kUnsupported for a model that keeps a state.
Status check_model(const Plan& plan, const model::Graph& graph);

/// `graph`: the model, with the splits of the plan applied (fit.h). kUsage for a plan that does not
/// fit it: a tensor that it lacks; a piece that needs more or fewer inputs than it lists, or reads
/// a tensor that is not made in time; an output of the model that no piece makes; a merge that is
/// not a Concat of its slices, or whose slices are not contiguous in memory. Without splits, also
/// the errors of check_model().
Result<Schedule> schedule_of(const Plan& plan, const model::Graph& graph);

/// Offsets of tensors in one block of memory, aligned to 64 bytes.
struct Arena {
  static constexpr std::size_t kAlignment = 64;  ///< Alignment of each offset, as engines require.
  std::size_t size = 0;                          ///< Bytes.
  std::vector<std::size_t> offsets;  ///< By tensor of the model; kNowhere for those not in it.
  static constexpr std::size_t kNowhere = static_cast<std::size_t>(-1);
};

/// Returns offsets for the inputs of the model and all tensors that pieces pass on. Two tensors
/// share memory only if all readers of one have finished before the maker of the other begins;
/// inputs and outputs of the model share none. Views are inside their wholes. `bytes`: by tensor of
/// the model. Places the largest tensor first, each at the lowest free offset.
Arena arena_of(const Schedule& schedule, const model::Graph& graph,
               const std::vector<std::size_t>& bytes);

}  // namespace edgeprobe::stretch
