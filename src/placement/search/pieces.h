// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/control.h"
#include "core/result.h"
#include "engine/engine.h"
#include "model/feeds.h"
#include "model/graph.h"
#include "placement/search/cache.h"
#include "stretch/flow.h"
#include "stretch/groups.h"
#include "stretch/plan.h"

namespace edgeprobe::placement {

/// Times of parts of one model on processors, each measured once; keyed by the result of cut(), the
/// engine's library, its threads, the kind of CPU and the machine.
class PieceTimes {
 public:
  struct Subject {
    const model::Graph& graph;
    const stretch::Flow& flow;
    ByteView file;
    std::vector<model::Feed> feeds;
    /// Options of every session; threads and CPUs come from the processor.
    engine::SessionOptions options;
    double seconds = 0.3;
    bool fresh = false;
    std::filesystem::path plan_file;  ///< Where plans for parallel pieces are written.
  };
  /// `cache` may be null.
  PieceTimes(Subject subject, const Cache* cache) : subject_(std::move(subject)), cache_(cache) {}

  const Subject& subject() const { return subject_; }
  /// Piece times of another model, with the same cache, options and feeds.
  PieceTimes of_other(const model::Graph& graph, const stretch::Flow& flow, ByteView file) const;
  /// Adds the counts of measured and cached pieces of another one.
  void add_counts(const PieceTimes& other) {
    measured_ += other.measured_;
    known_ += other.known_;
  }

  /// Time of these layers, ascending, on this processor, with nothing in parallel.
  Result<Timing> of(const std::vector<int>& layers, const stretch::Processor& processor,
                    const Control& control);

  /// Time of these independent groups, run in parallel as in a plan, including the hand-overs at
  /// begin and end.
  Result<Timing> at_once(const std::vector<stretch::Group>& groups,
                         const std::vector<stretch::Processor>& processors, const Control& control);

  std::size_t measured() const { return measured_; }
  std::size_t known() const { return known_; }  ///< Number of pieces found in the cache.

 private:
  /// Shapes of the open inputs of a part, by name.
  Result<std::map<std::string, Shape>> shapes_of(const model::Part& part,
                                                 const stretch::Processor& processor);
  std::optional<Timing> kept(const std::string& key);
  void keep(const std::string& key, const Timing& timing);
  Result<engine::Engine*> engine_of(const std::string& text);

  Subject subject_;
  const Cache* cache_;
  std::map<std::string, std::unique_ptr<engine::Engine>> engines_;
  std::map<std::string, Timing> times_;
  std::optional<std::map<std::string, Shape>> shapes_;  ///< Of open tensors, once one is needed.
  std::size_t measured_ = 0, known_ = 0;
};

/// Processors of one kind are equally fast: the same engine, threads and slowdown on the same
/// number of CPUs with equal capacity and maximum frequency, if the kernel reports them.
std::string kind_text(const stretch::Processor& processor);

}  // namespace edgeprobe::placement
