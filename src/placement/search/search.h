// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/control.h"
#include "core/result.h"
#include "model/graph.h"
#include "placement/search/found.h"
#include "placement/search/options.h"
#include "stretch/plan.h"

/// The search for the fastest way to run one model on several processors. All decisions rest on
/// measurements; "do not branch" is a valid answer.
namespace edgeprobe::placement {

/// kUsage for an engine that is unknown, is itself a plan, or does not load the format.
Status check_engines(const std::vector<stretch::Processor>& processors, const std::string& format);

/// kUsage for processors whose engine does not open the model; errors of regions_of(), errors of
/// the engines if no plain option runs, and kInterrupted, after which the cache keeps the
/// measurements. `says` reports progress, one line each.
Result<Found> search(const model::Graph& graph, ByteView file, const SearchOptions& options,
                     const std::function<void(const std::string&)>& says, const Control& control);

}  // namespace edgeprobe::placement
