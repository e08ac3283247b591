// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "stretch/flow.h"
#include "stretch/groups.h"
#include "stretch/tasks.h"

namespace edgeprobe::stretch {

/// An assignment of tasks to processors.
struct Listing {
  std::vector<std::size_t> processors;  ///< Indexed by task.
  std::vector<std::size_t> order;       ///< The order in which tasks begin, a topological one.
  double seconds = 0;                   ///< End time of the last task.
};

/// Repeatedly starts one of the tasks whose inputs are ready (list scheduling): the one with the
/// longest path to the end, or the best of those that can start first; keeps the faster schedule. A
/// result from another processor is available `handing_over` seconds later. Tries all assignments
/// to processors up to 4096; above that, puts each task on the processor where it ends first, then
/// applies every single move that gains time. `cost`: by task and processor.
Listing list_schedule(const std::vector<Task>& tasks, const std::vector<std::vector<double>>& cost,
                      double handing_over);
/// Same for given processors.
Listing listed(const std::vector<Task>& tasks, const std::vector<std::vector<double>>& cost,
               const std::vector<std::size_t>& processors, double handing_over);

/// Forms groups from tasks that a processor runs in succession without waiting. kEarly: a group
/// also ends after each task that another processor waits for, so that it does not wait for further
/// tasks; kLate: tasks stay together until a wait is needed, in fewer pieces.
enum class HandingOn { kEarly, kLate };
std::vector<Group> groups_of(const std::vector<Task>& tasks, const Listing& listing,
                             HandingOn handing_on);

/// End time of the last of these groups, each with its own cost, in their order.
double end_of(const Flow& flow, const std::vector<Group>& groups, const std::vector<double>& cost,
              double handing_over);

}  // namespace edgeprobe::stretch
