// SPDX-License-Identifier: Apache-2.0
#include "placement/search/search.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "bench/load.h"
#include "core/file.h"
#include "core/index.h"
#include "core/text.h"
#include "engine/cpu_affinity.h"
#include "engine/kinds.h"
#include "engine/private_folder.h"
#include "engine/target.h"
#include "placement/search/answer.h"
#include "placement/search/cache.h"
#include "placement/search/candidates.h"
#include "placement/search/pieces.h"
#include "placement/search/quiet.h"
#include "placement/search/rounds.h"
#include "placement/search/splits.h"
#include "placement/search/wrong_piece.h"
#include "stretch/regions.h"

namespace edgeprobe::placement {
namespace {

using model::Graph;

/// A division whose predicted speed is below this share of the best plain option's is not measured
/// end to end; the best one of each kind always is.
constexpr double kPromising = 0.85;
constexpr std::size_t kInputsCompared = 20;

class Search {
 public:
  Search(const Graph& graph, ByteView file, const SearchOptions& options,
         const std::function<void(const std::string&)>& says, const Control& control)
      : graph_(graph),
        file_(file),
        options_(options),
        says_(says),
        control_(control),
        feeds_(model::feeds(graph)) {}

  Result<Found> run();

 private:
  Status prepare();
  /// The inputs that outputs are compared for, in the form of this session's.
  Status take_inputs(const engine::Session& session);
  /// Noise of the reference; measured once, since most divisions are within kSameRelative.
  Result<OwnNoise> noise(const Candidate& reference, engine::Session& session);
  Status time_plain();
  /// "; tflite runs it: give --engine tflite", for other engines of the format that do; else "".
  std::string other_engines_text() const;
  void keep_disjoint();
  /// Adds plans that split layers, and sorts all by predicted time.
  Status add_splits(std::vector<Candidate>& candidates);
  Status check(Candidate& candidate);
  /// Times a candidate in a process of its own.
  Status time_once(Candidate& candidate);
  engine::SessionOptions session_options() const {
    engine::SessionOptions options;
    options.folder = options_.folder;
    options.load_limit = options.invoke_limit = options_.time_limit;
    options.input_shapes = options_.inputs.shapes;
    return options;
  }
  /// Adds the model on this processor, timed once; returns seconds, infinite if it does not run.
  Result<double> add_plain(const stretch::Processor& processor);
  Result<Runs> runs_of(const Candidate& candidate) const;
  Result<Timing> time(const Candidate& candidate);
  const Candidate& reference() const;
  /// Measurements of whole models that follow those of pieces, at least.
  std::size_t whole_models() const {
    return options_.rounds * (found_.candidates.size() + options_.best);
  }
  void tell(const std::string& what) {
    ++steps_;
    if (control_.progress) control_.progress(steps_, std::max(steps_, expected_), what);
  }

  const Graph& graph_;
  ByteView file_;
  const SearchOptions& options_;
  const std::function<void(const std::string&)>& says_;
  const Control& control_;
  std::vector<model::Feed> feeds_;
  stretch::Flow flow_;
  stretch::Regions regions_;
  std::vector<stretch::Processor> processors_;   ///< The fastest first.
  std::map<std::string, double> alone_;          ///< Seconds of the whole model, by kind_text().
  std::optional<engine::PrivateFolder> folder_;  ///< For plans.
  std::optional<Cache> cache_;
  std::optional<PieceTimes> pieces_;
  std::vector<std::vector<Tensor>> inputs_;  ///< kInputsCompared at most.
  std::optional<OwnNoise> noise_;
  Found found_;
  std::size_t steps_ = 0, expected_ = 0;
};

std::int64_t seconds_now() {
  return std::chrono::duration_cast<std::chrono::seconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

Status Search::prepare() {
  if (options_.processors.empty())
    return Error{ErrorKind::kUsage, "no processor was given to search over"};
  EP_CHECK(check_engines(options_.processors, graph_.format));
  for (const stretch::Processor& processor : options_.processors) {
    if (auto there = engine::check_cpus(processor.cpus); !there)
      return std::move(there.error()).during("processor '" + sanitized(processor.name, 60) + "'");
  }
  EP_TRY(flow_, stretch::flow_of(graph_));
  EP_TRY(regions_, stretch::regions_of(graph_));
  EP_TRY(auto folder, engine::PrivateFolder::create());
  folder_.emplace(std::move(folder));
  auto cache =
      Cache::open(control_, [&] { says_("another search runs on this machine; waiting"); });
  if (cache) cache_.emplace(*std::move(cache));
  else if (cache.error().kind == ErrorKind::kInterrupted) return std::move(cache).error();
  else says_("nothing is kept for later searches: " + cache.error().what);
  pieces_.emplace(
      PieceTimes::Subject{graph_, flow_, file_, feeds_, session_options(), options_.seconds,
                          options_.fresh, folder_->path() / "at_once.json"},
      cache_ ? &*cache_ : nullptr);
  return {};
}

/// A division runs from its plan, the only one in the folder.
Result<Runs> Search::runs_of(const Candidate& candidate) const {
  if (candidate.is_plain) return runs_on(candidate.plan.processors.front(), session_options());
  Runs runs{{}, session_options(), 1, cpus_of(candidate.plan)};
  runs.engine.kind = engine::kind_of(engine::EngineId::kStretch).name;
  runs.engine.library = folder_->path() / "plan.json";
  EP_CHECK(write_file(runs.engine.library, view_of(to_json(candidate.plan))));
  return runs;
}

Result<Timing> Search::time(const Candidate& candidate) {
  EP_TRY(auto runs, runs_of(candidate));
  if (options_.inputs.real && inputs_.empty()) {
    EP_TRY(const auto session, load_model(file_, runs));
    EP_CHECK(take_inputs(*session));
  }
  if (options_.inputs.real) runs.inputs = inputs_.front();
  return time_model(file_, runs, feeds_, {options_.seconds, kPatience}, control_);
}

Result<double> Search::add_plain(const stretch::Processor& processor) {
  Candidate candidate = plain_candidate(graph_, flow_, processor);
  auto timing = time(candidate);
  if (!timing && timing.error().kind == ErrorKind::kInterrupted) return std::move(timing).error();
  expected_ = std::max(expected_, steps_ + 1 + whole_models());
  tell("plain options");
  if (timing) candidate.processes.push_back(*timing);
  else candidate.refused = timing.error().what;
  found_.candidates.push_back(std::move(candidate));
  return timing ? timing->median : std::numeric_limits<double>::infinity();
}

/// Each processor separately, and all CPUs of each engine together; one process each, for a first
/// ranking.
Status Search::time_plain() {
  std::map<std::string, stretch::Processor> all;  // Keyed by engine.
  std::set<std::string> slowed;                   // Engines with an artificially slowed processor.
  std::vector<std::pair<double, stretch::Processor>> order;
  for (const stretch::Processor& processor : options_.processors) {
    const std::string kind = kind_text(processor);
    if (alone_.count(kind) == 0) {
      EP_TRY(alone_[kind], add_plain(processor));
    }
    order.emplace_back(alone_[kind], processor);
    if (!processor.delegate.empty()) continue;
    stretch::Processor& together = all.try_emplace(processor.engine, processor).first->second;
    together.cpus.insert(together.cpus.end(), processor.cpus.begin(), processor.cpus.end());
    if (processor.emulated_slowdown > 1) slowed.insert(processor.engine);
  }
  const std::size_t alone = found_.candidates.size();
  for (auto& [engine, together] : all) {
    std::sort(together.cpus.begin(), together.cpus.end());
    together.cpus.erase(std::unique(together.cpus.begin(), together.cpus.end()),
                        together.cpus.end());
    together.threads = static_cast<int>(together.cpus.size());
    together.name = "all";
    // The slowdown is emulated after each piece, which is impossible within a thread pool.
    if (together.threads < 2 || slowed.count(engine) > 0) continue;
    EP_CHECK(add_plain(together));
  }
  if (std::all_of(found_.candidates.begin(), found_.candidates.end(),
                  [](const Candidate& one) { return !one.refused.empty(); }))
    return Error{ErrorKind::kTarget,
                 "no engine runs the model as it is: " + found_.candidates[alone - 1].refused +
                     other_engines_text()};
  std::stable_sort(order.begin(), order.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  for (auto& [seconds, processor] : order)
    if (seconds < std::numeric_limits<double>::infinity())
      processors_.push_back(std::move(processor));
  return {};
}

std::string Search::other_engines_text() const {
  for (const engine::EngineId id : {engine::EngineId::kLiteRt, engine::EngineId::kTflite,
                                    engine::EngineId::kOnnxRuntime, engine::EngineId::kOpenVino}) {
    const engine::EngineKind& kind = engine::kind_of(id);
    if (!kind.opens(graph_.format) || control_.stopped() ||
        std::any_of(options_.processors.begin(), options_.processors.end(),
                    [&](const stretch::Processor& one) { return one.engine == kind.name; }))
      continue;
    const auto works = [&]() -> Status {
      const auto session = load_model(file_, {{kind.name, {}}, session_options(), 1, {}, {}});
      if (!session) return session.error();
      EP_TRY(const auto inputs, bench::random_inputs((*session)->inputs(), 1, feeds_));
      const std::vector<TensorView> views(inputs.begin(), inputs.end());
      EP_TRY(const auto done, (*session)->infer(views));
      static_cast<void>(done);
      return {};
    };
    if (works()) return std::string("; ") + kind.name + " runs it: give --engine " + kind.name;
  }
  return "";
}

/// Of processors that share a CPU, keeps only the fastest: they could not run in parallel. Drops
/// thread pools, which an engine refuses together with other pieces.
void Search::keep_disjoint() {
  std::set<int> taken;
  std::erase_if(processors_,
                [](const stretch::Processor& processor) { return processor.threads > 1; });
  std::erase_if(processors_, [&](const stretch::Processor& processor) {
    if (std::any_of(processor.cpus.begin(), processor.cpus.end(),
                    [&](int cpu) { return taken.count(cpu) > 0; }))
      return true;
    taken.insert(processor.cpus.begin(), processor.cpus.end());
    return false;
  });
}

Status Search::add_splits(std::vector<Candidate>& candidates) {
  if (processors_.size() < 2) return {};
  SplitTask task{*pieces_, processors_, {}, [&](std::size_t further) {
                   expected_ = steps_ + 1 + further + whole_models();
                   tell("parts of layers");
                 }};
  for (const stretch::Processor& processor : processors_)
    task.seconds.push_back(alone_.at(kind_text(processor)));
  auto plans = split_plans(task, control_);
  if (!plans && plans.error().kind == ErrorKind::kInterrupted) return std::move(plans).error();
  if (!plans) {
    says_("layers are not split: " + plans.error().what);
    return {};
  }
  for (SplitPlan& plan : *plans) {
    Candidate& candidate = candidates.emplace_back();
    candidate.kind =
        plan.plan.splits.front().kind == stretch::Split::Kind::kRows ? "rows" : "channels";
    candidate.name = std::move(plan.name);
    candidate.plan = std::move(plan.plan);
    candidate.predicted = plan.seconds;
    candidate.predicted_alone = plan.seconds_alone;
  }
  std::stable_sort(
      candidates.begin(), candidates.end(),
      [](const Candidate& a, const Candidate& b) { return *a.predicted < *b.predicted; });
  return {};
}

/// The plain option that the others must agree with: the format's own engine, if it runs.
const Candidate& Search::reference() const {
  const std::string own = engine::default_engine("model." + graph_.format).name;
  const Candidate* first = nullptr;
  for (const Candidate& one : found_.candidates) {
    if (!one.is_plain || !one.refused.empty()) continue;
    const std::string& engine = one.plan.processors.front().engine;
    if (engine.substr(0, engine.find(':')) == own) return one;
    if (!first) first = &one;
  }
  return *first;
}

Status Search::take_inputs(const engine::Session& session) {
  if (!inputs_.empty()) return {};
  if (options_.inputs.real) {
    EP_TRY(inputs_, options_.inputs.real(session.inputs()));
    if (inputs_.size() > kInputsCompared) inputs_.resize(kInputsCompared);
    if (inputs_.empty()) return Error{ErrorKind::kUsage, "--data has no sample to measure with"};
    return {};
  }
  EP_TRY(inputs_, random_lists(session, feeds_, kInputsCompared));
  return {};
}

Result<OwnNoise> Search::noise(const Candidate& reference, engine::Session& session) {
  if (noise_) return *noise_;
  EP_TRY(auto runs, runs_of(reference));
  if (!take_other_way(runs)) return *(noise_ = OwnNoise{});
  EP_TRY(const auto again, load_model(file_, runs));
  EP_TRY(noise_, own_noise(session, *again, inputs_, control_));
  return *noise_;
}

/// Compares with the reference; excludes a division that computes different results.
Status Search::check(Candidate& candidate) {
  const Candidate& reference = this->reference();
  if (&reference == &candidate) return {};
  const auto load = [&](const Candidate& one) -> Result<std::unique_ptr<engine::Session>> {
    EP_TRY(const auto runs, runs_of(one));
    return load_model(file_, runs);
  };
  EP_TRY(auto theirs, load(reference));
  auto mine = load(candidate);
  if (!mine) {
    candidate.refused = mine.error().what;
    return {};
  }
  EP_CHECK(take_inputs(*theirs));
  auto found = difference(**mine, *theirs, inputs_, control_);
  if (found && !is_same(*found)) {
    const auto own = noise(reference, *theirs);
    if (!own && own.error().kind == ErrorKind::kInterrupted) return own.error();
    // Without a second way to compute there is only kSameRelative.
    if (own && !own->empty()) found = difference(**mine, *theirs, inputs_, control_, *own);
  }
  if (!found && found.error().kind == ErrorKind::kInterrupted) return std::move(found).error();
  if (!found) {
    candidate.refused = found.error().what;
    return {};
  }
  candidate.difference = *found;
  if (is_same(*found)) return {};
  candidate.refused =
      "its outputs are not those of " + reference.name + ": '" + sanitized(found->worst, 60) +
      "' differs by " + number(found->relative) + " of its largest value" +
      (found->own > 0 ? ", and that engine from itself by " + number(found->own) : "");
  EP_TRY(auto choice, engine::engine_choice_from_text(reference.plan.processors.front().engine));
  const auto wrong = first_wrong_piece(
      candidate.plan, {graph_, file_, std::move(choice), session_options(), feeds_}, control_);
  if (wrong && !wrong->empty()) candidate.refused = *wrong;
  if (!wrong && wrong.error().kind == ErrorKind::kInterrupted) return wrong.error();
  return {};
}

Status Search::time_once(Candidate& candidate) {
  if (!candidate.refused.empty()) return {};
  auto timing = time(candidate);
  if (!timing && timing.error().kind == ErrorKind::kInterrupted) return std::move(timing).error();
  tell("whole models");
  if (timing) candidate.processes.push_back(*timing);
  else candidate.refused = timing.error().what;
  return {};
}

Result<Found> Search::run() {
  EP_CHECK(prepare());
  // An answer of other values may be another; they are not part of the key.
  const bool keeps = cache_ && !options_.inputs.real;
  const std::string key = keeps ? answer_key(graph_, options_) : "";
  if (keeps && !options_.fresh)
    if (const auto kept = cache_->answer(key))
      if (auto found = answer_from_text(*kept, graph_, seconds_now())) return *std::move(found);
  EP_CHECK(time_plain());
  for (Candidate& candidate : found_.candidates)
    if (candidate.refused.empty()) EP_CHECK(check(candidate));
  std::erase_if(processors_, [&](const stretch::Processor& processor) {
    return std::any_of(
        found_.candidates.begin(), found_.candidates.end(), [&](const Candidate& one) {
          return !one.refused.empty() && one.plan.processors.front().engine == processor.engine &&
                 one.plan.processors.front().delegate == processor.delegate &&
                 one.plan.processors.front().threads == processor.threads;
        });
  });
  keep_disjoint();
  const Pieced pieced{graph_, flow_, regions_, processors_, *pieces_};
  auto divided = division_candidates(
      pieced, says_,
      [&](const std::string& what, std::size_t further) {
        expected_ = std::max(expected_, steps_ + 1 + further + whole_models());
        tell(what);
      },
      control_);
  if (!divided) return std::move(divided).error();
  EP_CHECK(add_splits(*divided));
  double fastest = std::numeric_limits<double>::infinity();
  for (const Candidate& one : found_.candidates)
    for (const Timing& timing : one.processes) fastest = std::min(fastest, timing.median);
  std::size_t taken = 0;
  std::set<std::string> kinds;
  for (Candidate& candidate : *divided) {
    const bool promising = taken < options_.best && *candidate.predicted <= fastest / kPromising;
    if (!kinds.insert(candidate.kind).second && !promising) continue;
    EP_CHECK(check(candidate));
    ++taken;
    found_.candidates.push_back(std::move(candidate));
  }
  EP_CHECK(measure_rounds(
      options_.rounds, [&] { return ways_of(found_.candidates); },
      [&](std::size_t index) { return time_once(found_.candidates[index]); },
      [&](std::size_t further) { expected_ = steps_ + further; }));
  if (std::none_of(found_.candidates.begin(), found_.candidates.end(), [](const Candidate& one) {
        return one.is_plain && one.refused.empty() && !one.processes.empty();
      }))
    return Error{ErrorKind::kTarget, "no plain option could be measured completely: " +
                                         found_.candidates.front().refused};
  decide(found_, regions_.list.empty()
                     ? "no parts of this model can run side by side, and no split "
                       "of its layers was faster than they are whole"
                 : processors_.size() < 2 ? "there is one processor"
                                          : "no division could be measured");
  found_.pieces_measured = pieces_->measured();
  found_.pieces_known = pieces_->known();
  found_.measured_at = seconds_now();
  if (keeps && is_lasting(found_)) cache_->keep_answer(key, answer_text(found_));
  return std::move(found_);
}

}  // namespace

Status check_engines(const std::vector<stretch::Processor>& processors, const std::string& format) {
  for (const stretch::Processor& processor : processors) {
    const std::string here = "processor '" + sanitized(processor.name, 60) + "'";
    const auto choice = engine::engine_choice_from_text(processor.engine);
    if (!choice) return Error(choice.error()).during(here);
    const engine::EngineKind& kind = *engine::find_kind(choice->kind);
    if (kind.planned)
      return Error{ErrorKind::kUsage, here + ": it cannot be another plan; name an engine"};
    if (!kind.opens(format))
      return Error{ErrorKind::kUsage, here + ": engine " + kind.name + " loads " +
                                          listed(engine::format_names(kind)) + ", the model is " +
                                          format + "; name another engine"};
  }
  return {};
}

Result<Found> search(const Graph& graph, ByteView file, const SearchOptions& options,
                     const std::function<void(const std::string&)>& says, const Control& control) {
  const LongTurns turns;
  return Search(graph, file, options, says, control).run();
}

}  // namespace edgeprobe::placement
