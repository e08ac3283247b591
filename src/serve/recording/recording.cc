// SPDX-License-Identifier: Apache-2.0
#include "serve/recording/recording.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "dataset/sample.h"
#include "engine/on_behalf.h"
#include "pipeline/served.h"
#include "pipeline/spec.h"
#include "pipeline/there/plan.h"
#include "pipeline/there/trace_pipe.h"
#include "preprocess/recipe/recipe.h"
#include "task/recorded.h"

namespace edgeprobe::serve {
namespace {

/// The pictures of a plan, each decoded when needed. `pictures` must outlive them.
Result<std::vector<dataset::Sample>> samples_of(const pipeline::Plan& plan, ByteView pictures) {
  std::vector<dataset::Sample> samples;
  for (const pipeline::PlannedSample& planned : plan.samples) {
    if (planned.bytes > pictures.size)
      return Error{ErrorKind::kUsage, "the pictures are shorter than the plan says"};
    const ByteView encoded = pictures.sub(0, static_cast<std::size_t>(planned.bytes));
    pictures = pictures.sub(encoded.size, pictures.size - encoded.size);
    const std::string& name = planned.record.sample;
    samples.push_back({name,
                       task::recorded(planned.record),
                       [encoded, name] {
                         return dataset::load_file(Bytes(encoded.data, encoded.data + encoded.size),
                                                   name);
                       },
                       {},
                       planned.record.begins_sequence});
  }
  if (pictures.empty()) return samples;
  return Error{ErrorKind::kUsage, "the pictures are longer than the plan says"};
}

Result<std::optional<preprocess::Recipe>> recipe_of(const pipeline::Plan& plan) {
  if (plan.recipe.empty()) return std::optional<preprocess::Recipe>();
  EP_TRY(auto recipe, preprocess::parse_recipe(plan.recipe));
  // Post-processing may name files, which a client may never choose.
  if (!recipe.post.empty())
    return Error{
        ErrorKind::kUnsupported,
        "the client runs the part of a recipe after the model; leave out '||' and what follows"};
  return std::optional(std::move(recipe));
}

class Run final : public Recording {
 public:
  Run(Recorded what, pipeline::Plan plan, Bytes pictures);
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;
  ~Run() override;  // Aborts a run in progress.
  Part next(std::chrono::milliseconds patience) override;
  void stop() override { stop_ = true; }

 private:
  Result<pipeline::RunSummary> run();

  Recorded what_;
  pipeline::Plan plan_;
  Bytes pictures_;
  pipeline::TracePipe trace_;
  std::atomic<bool> stop_{false};
  std::mutex telling_;
  Part told_;                // Only progress.
  Result<std::string> end_;  // Written by the thread, until the pipe is finished.
  std::thread thread_;
};

Run::Run(Recorded what, pipeline::Plan plan, Bytes pictures)
    : what_(std::move(what)),
      plan_(std::move(plan)),
      pictures_(std::move(pictures)),
      end_(Error{ErrorKind::kTarget, "the run has not ended"}),
      thread_([this, client = engine::OnBehalf::current()] {
        const engine::OnBehalf whom(client);
        try {
          auto summary = run();
          end_ = summary ? Result<std::string>(pipeline::to_json(*summary))
                         : std::move(summary).error();
        } catch (const std::exception& failure) {
          end_ = Error{ErrorKind::kTarget, failure.what()};
        }
        trace_.finish();
      }) {}

Run::~Run() {
  stop_ = true;
  trace_.abandon();
  thread_.join();
}

Result<pipeline::RunSummary> Run::run() {
  EP_TRY(auto samples, samples_of(plan_, pictures_));
  EP_TRY(auto recipe, recipe_of(plan_));
  pipeline::PipelineSpec spec;
  spec.model = what_.name;
  spec.recipe = std::move(recipe);
  spec.engine = what_.engine;
  spec.session = what_.session;
  const Control control{&stop_, [this](std::size_t done, std::size_t all, const std::string& pass) {
                          const std::lock_guard lock(telling_);
                          told_ = {{}, done, all, pass, {}};
                        }};
  EP_TRY(auto pipeline, pipeline::open(spec, model::FileBytes(std::move(what_.model)), control));
  EP_CHECK(dataset::check_classes(samples, pipeline.session->outputs()));
  auto summary = pipeline::run(pipeline, samples, trace_.sink(), plan_.options, control);
  if (summary && pipeline.default_recipe)
    summary->warnings.push_back("no recipe was given: " + preprocess::to_text(pipeline.recipe));
  return summary;
}

Recording::Part Run::next(std::chrono::milliseconds patience) {
  Part part;
  part.trace = trace_.take(patience);
  {
    const std::lock_guard lock(telling_);
    part.done = told_.done;
    part.all = told_.all;
    part.pass = told_.pass;
  }
  if (trace_.is_finished()) part.end = end_;
  return part;
}

}  // namespace

Result<std::unique_ptr<Recording>> record(Recorded what,
                                          const std::function<Result<Bytes>()>& pictures) {
  EP_TRY(auto plan, pipeline::plan_from_json(what.plan));
  // Limit for layers held at once; a client may request less.
  constexpr std::size_t kMostCaptured = std::size_t{256} << 20;
  auto& budget = plan.options.capture_budget;
  budget = std::min(budget, kMostCaptured);
  EP_TRY(auto taken, pictures());
  return std::unique_ptr<Recording>(new Run(std::move(what), std::move(plan), std::move(taken)));
}

}  // namespace edgeprobe::serve
