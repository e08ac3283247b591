// SPDX-License-Identifier: Apache-2.0
#include "pipeline/run_function.h"

#include "core/clock.h"
#include "core/text.h"
#include "pipeline/prepare.h"
#include "task/recorded.h"

namespace edgeprobe::pipeline {
namespace {

class FunctionRun {
 public:
  FunctionRun(UserFunction& function, trace::Writer& writer, const RunOptions& options,
              RunSummary& summary, const Control& control)
      : function_(function),
        writer_(writer),
        options_(options),
        summary_(summary),
        control_(control),
        stages_(writer, trace::Stage::kIntermediate),
        inputs_(writer, trace::Stage::kModelInput),
        outputs_(writer, trace::Stage::kModelOutput) {}

  Status run(const std::vector<dataset::Sample>& samples) {
    for (std::size_t i = 0; i < samples.size() && !control_.stopped(); ++i) {
      const auto loaded = samples[i].load();
      if (!loaded) {
        summary_.unreadable.push_back({samples[i].name, loaded.error().what});
        continue;
      }
      auto answer = function_.call(loaded->input, samples[i].name, control_);
      if (!answer && answer.error().kind == ErrorKind::kInterrupted) return {};
      if (!answer) return std::move(answer.error());
      const std::uint32_t frame = i < options_.frame_numbers.size() ? options_.frame_numbers[i]
                                                                    : static_cast<std::uint32_t>(i);
      EP_CHECK(add(*loaded, *answer, frame, samples[i]));
      ++summary_.frames;
      if (control_.progress) control_.progress(i + 1, samples.size(), "frames");
    }
    return {};
  }

 private:
  Status add(const dataset::Loaded& loaded, FunctionAnswer& answer, std::uint32_t frame,
             const dataset::Sample& sample) {
    const std::uint64_t time = unix_ns();
    EP_CHECK(raw_.write(writer_, loaded.input, frame, time));
    EP_CHECK(stages_.write(answer.stages, frame, time));
    if (answer.input) EP_CHECK(inputs_.write({*std::move(answer.input)}, frame, time));
    EP_CHECK(outputs_.write(answer.outputs, frame, time));
    return writer_.frame(task::annotated(
        {frame, time, sample.name, loaded.sha256, std::nullopt, std::nullopt}, sample.annotation));
  }

  UserFunction& function_;
  trace::Writer& writer_;
  const RunOptions& options_;
  RunSummary& summary_;
  const Control& control_;
  RawWriter raw_{options_.raw_inputs};
  StageWriter stages_, inputs_, outputs_;
};

}  // namespace

Result<RunSummary> run_function(UserFunction& function, const std::vector<dataset::Sample>& samples,
                                const std::filesystem::path& trace_path, const RunOptions& options,
                                const Control& control) {
  if (samples.empty())
    return Error{ErrorKind::kUsage, "there is no sample to run; give pictures with --data"};
  EP_TRY(auto writer, trace::Writer::open(trace_path, {}, options.replace));
  const std::map<std::string, std::string> about{{"tool", "edgeprobe"},
                                                 {"level", "io"},
                                                 {"dataset", options.dataset},
                                                 {"pipeline", function.label()},
                                                 {"pipeline_sha256", function.sha256()},
                                                 {"python", function.environment()}};
  EP_CHECK(writer.metadata("edgeprobe.run", about));
  RunSummary summary;
  FunctionRun work(function, writer, options, summary, control);
  Status done = work.run(samples);
  // Even after an error, close() keeps the finished frames; a file without frames is not a trace.
  auto written = writer.close();
  if (summary.frames == 0) {
    std::error_code ignored;
    std::filesystem::remove(trace_path, ignored);
  }
  if (!done) return std::move(done.error());
  if (!written) return std::move(written.error());
  summary.written = *written;
  summary.interrupted = control.stopped();
  if (summary.frames == 0 && !summary.interrupted)
    return Error{ErrorKind::kCorrupt,
                 "none of the " + std::to_string(samples.size()) +
                     " samples could be read; the first: " +
                     (summary.unreadable.empty() ? "" : summary.unreadable.front().why)};
  return summary;
}

}  // namespace edgeprobe::pipeline
