// SPDX-License-Identifier: Apache-2.0
#include "placement/shape/times.h"

#include <algorithm>

#include "bench/load.h"
#include "core/file.h"
#include "core/text.h"
#include "engine/target.h"
#include "placement/search/conditions.h"
#include "placement/search/pieces.h"
#include "stats/quantile.h"

namespace edgeprobe::placement::shape {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::uint64_t kSeed = 1;
/// A point is measured for at most this many times the wanted seconds.
constexpr double kPointPatience = 4;
/// Partners look for their end this often.
constexpr auto kTurn = std::chrono::milliseconds(20);

engine::RepeatOptions repeats(std::chrono::nanoseconds duration) {
  engine::RepeatOptions options;
  options.count = 100'000;
  options.duration = duration;
  return options;
}

}  // namespace

struct Partners::Worker {
  std::unique_ptr<engine::Session> session;
  std::vector<Tensor> inputs;
  std::atomic<bool> ends = false;
  std::thread thread;
};

Partners::~Partners() {
  for (auto& worker : workers_) worker->ends = true;
  for (auto& worker : workers_)
    if (worker->thread.joinable()) worker->thread.join();
}

Status Partners::start(ByteView model, const stretch::Processor& processor,
                       const engine::SessionOptions& base) {
  auto worker = std::make_unique<Worker>();
  EP_TRY(const auto runs, runs_on(processor, base));
  EP_TRY(worker->session, load_model(model, runs));
  EP_TRY(worker->inputs, bench::random_inputs(worker->session->inputs(), kSeed));
  const std::vector<TensorView> views(worker->inputs.begin(), worker->inputs.end());
  EP_CHECK(worker->session->repeat(views, {}, {}));
  worker->thread = std::thread([one = worker.get()] {
    const std::vector<TensorView> all(one->inputs.begin(), one->inputs.end());
    engine::RepeatOptions options = repeats(kTurn);
    options.scheduling = false;
    while (!one->ends)
      if (!one->session->repeat(all, options, {})) return;
  });
  workers_.push_back(std::move(worker));
  return {};
}

Result<engine::Engine*> PartTimes::engine_of(const std::string& text) {
  auto& engine = engines_[text];
  if (engine) return engine.get();
  EP_TRY(auto choice, engine::engine_choice_from_text(text));
  EP_TRY(engine, engine::open_supervised(choice));
  return engine.get();
}

Result<std::string> PartTimes::key_of(ByteView model, std::size_t processor,
                                      const Company* company) {
  std::vector<int> cpus;
  const auto text_of = [&](ByteView one, stretch::Processor where) -> Result<std::string> {
    EP_TRY(const auto engine, engine_of(where.engine));
    where.emulated_slowdown = 1;
    cpus.insert(cpus.end(), where.cpus.begin(), where.cpus.end());
    return sha256(one) + "; " + engine->identity().sha256 + "; " + kind_text(where);
  };
  EP_TRY(std::string key, text_of(model, settings_.processors[processor]));
  for (std::size_t i = 0; company && i < company->size(); ++i) {
    if (i == processor || (*company)[i].empty()) continue;
    EP_TRY(const auto text, text_of((*company)[i], settings_.processors[i]));
    key += "; beside " + text;
  }
  return "shape 1; " + key + "; " + conditions_text(cpus) + "; " + number(settings_.seconds, 9);
}

Result<Timing> PartTimes::measure(ByteView model, const stretch::Processor& processor,
                                  const Control& control) {
  EP_TRY(const auto engine, engine_of(processor.engine));
  EP_TRY(auto options, options_on(processor, settings_.options));
  options.shared_process = true;
  EP_TRY(auto session, engine->load(model, "a branch", options));
  EP_TRY(const auto inputs, bench::random_inputs(session->inputs(), kSeed));
  EP_CHECK(warm_up_for(*session, inputs, settings_.seconds, control));
  const std::vector<TensorView> views(inputs.begin(), inputs.end());
  Latencies runs;
  const auto begin = Clock::now();
  for (double passed = 0;
       passed < settings_.seconds ||
       (runs.quiet.size() < kFewestOfPoint && passed < kPointPatience * settings_.seconds);
       passed = std::chrono::duration<double>(Clock::now() - begin).count()) {
    if (control.stopped()) return interrupted();
    EP_TRY(
        const auto repeated,
        session->repeat(
            views,
            repeats(std::chrono::nanoseconds(static_cast<std::int64_t>(settings_.seconds * 1e9))),
            {control.stop, {}}));
    if (repeated.stopped || control.stopped()) return interrupted();
    runs.add(repeated.iterations);
  }
  std::vector<double> told = runs.quiet.size() >= kFewestOfPoint ? runs.quiet : runs.all;
  std::sort(told.begin(), told.end());
  Timing timing;
  timing.median = stats::quantile(told, 0.5);
  timing.low = told.front();
  timing.high = told.back();
  timing.p10 = stats::quantile(told, 0.1);
  timing.p90 = stats::quantile(told, 0.9);
  timing.quiet = runs.quiet.size();
  timing.runs = runs.all.size();
  timing.core_seconds = runs.cpu / static_cast<double>(runs.all.size());
  return timing;
}

Result<double> PartTimes::of(ByteView model, std::size_t processor, const Company* company,
                             const Control& control) {
  if (control.stopped()) return interrupted();
  const stretch::Processor& where = settings_.processors[processor];
  EP_TRY(const auto key, key_of(model, processor, company));
  if (const auto found = times_.find(key); found != times_.end())
    return found->second * where.emulated_slowdown;
  std::optional<Timing> timing;
  if (cache_ && !settings_.fresh) timing = cache_->find(key);
  if (timing) {
    ++known_;
  } else {
    // The same partners serve all branches of a stage.
    std::string wanted;
    for (std::size_t i = 0; company && i < company->size(); ++i)
      if (i != processor && !(*company)[i].empty())
        wanted += std::to_string(i) + " " + sha256((*company)[i]) + " ";
    if (wanted != partners_key_ || !partners_) {
      partners_ = std::make_unique<Partners>();
      partners_key_ = wanted;
      for (std::size_t i = 0; company && i < company->size(); ++i)
        if (i != processor && !(*company)[i].empty())
          EP_CHECK(partners_->start((*company)[i], settings_.processors[i], settings_.options));
    }
    auto measured = measure(model, where, control);
    if (!measured) {
      partners_.reset();
      return std::move(measured).error();
    }
    timing = *measured;
    ++measured_;
    if (timing->quiet < kFewestOfPoint) ++noisy_;
    else if (cache_) cache_->keep(key, *timing);
  }
  times_[key] = timing->median;
  return timing->median * where.emulated_slowdown;
}

}  // namespace edgeprobe::placement::shape
