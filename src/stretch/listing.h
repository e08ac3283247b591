// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "stretch/flow.h"
#include "stretch/groups.h"
#include "stretch/tasks.h"

namespace edgeprobe::stretch {

/// Tasks on processors.
struct Listing {
  std::vector<std::size_t> processors;  ///< By task.
  std::vector<std::size_t> order;       ///< In which tasks begin, each behind those before it.
  double seconds = 0;                   ///< The end of the last one.
};

/// Begins, again and again, one of the tasks whose inputs are made (list scheduling): the one from
/// which the way to the end is longest, or of those that can begin first; what ends earlier. What a
/// task of another processor made is had `handing_over` seconds later. The best over all
/// assignments to processors up to 4096 of them, above that the first processor on which each task
/// ends, then each move of one task that is a gain. `cost`: by task and processor.
Listing list_schedule(const std::vector<Task>& tasks, const std::vector<std::vector<double>>& cost,
                      double handing_over);
/// The same for given processors.
Listing listed(const std::vector<Task>& tasks, const std::vector<std::vector<double>>& cost,
               const std::vector<std::size_t>& processors, double handing_over);

/// Tasks that a processor runs one behind the other as one group, unless it has to wait between
/// them. kEarly: a group also ends behind each task that another processor waits for, so that this
/// one waits for no other task; kLate: what runs until somebody waits stays together, in fewer
/// pieces.
enum class HandingOn { kEarly, kLate };
std::vector<Group> groups_of(const std::vector<Task>& tasks, const Listing& listing,
                             HandingOn handing_on);

/// The end of the last of these groups, each with its own cost, in their order.
double end_of(const Flow& flow, const std::vector<Group>& groups, const std::vector<double>& cost,
              double handing_over);

}  // namespace edgeprobe::stretch
