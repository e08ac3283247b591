// SPDX-License-Identifier: Apache-2.0
#include "cli/options/open.h"

#include <memory>
#include <set>
#include <utility>

#include "check/recording.h"
#include "cli/terminal/progress.h"
#include "core/evenly_spaced.h"
#include "core/text.h"

namespace edgeprobe::cli {
namespace {

/// Arrays are matched to frames by name. If none matched, the trace's own inputs would be replayed
/// instead, and agree with themselves.
Status check_arrays_meet_frames(const trace::Reader& reader,
                                const std::vector<dataset::Sample>& data,
                                const std::string& given) {
  if (data.empty() || data.front().arrays.empty() || reader.records().empty()) return {};
  std::set<std::string> names;
  for (const dataset::Sample& sample : data) names.insert(sample.name);
  for (const trace::FrameRecord& record : reader.records())
    if (names.count(record.sample) > 0) return {};
  const std::string& first = reader.records().front().sample;
  return Error{ErrorKind::kUsage,
               "--data " + sanitized(given, 200) +
                   ": none of its samples is a frame of the trace. They belong together by their "
                   "names: the data begins with '" +
                   sanitized(data.front().name) + "', the trace with " +
                   (first.empty() ? "a frame without a name" : "'" + sanitized(first) + "'") +
                   "; record frames as probe.frame(sample=NAME), or name the samples in an array "
                   "'samples'"};
}

}  // namespace

Result<pipeline::Pipeline> open_pipeline(const PipelineFlags& flags,
                                         const std::vector<dataset::Sample>& samples,
                                         Terminal& terminal) {
  EP_TRY(auto spec, spec_from(flags, samples));
  check::Observer observer;
  observer.stop = terminal.stop;
  observer.notice = [&terminal](const std::string& text) { terminal.err << text << "\n"; };
  return check::open_pipeline(spec, nullptr, observer);
}

Result<pipeline::TraceSamples> raw_inputs(const trace::Reader& reader, const DataFlags& flags,
                                          Terminal& terminal) {
  EP_TRY(const auto frames, frames_from(flags));
  // --frames limits the trace's frames; any picture of the folder may belong to one of them.
  DataFlags whole = flags;
  whole.frames.clear();
  EP_TRY(const auto data, samples_from(whole, terminal));
  EP_CHECK(check_arrays_meet_frames(reader, data, flags.data));
  auto raw = pipeline::raw_inputs(reader, data);
  if (!raw || frames == 0 || frames >= raw->samples.size()) return raw;
  const std::vector<dataset::Sample> samples = std::exchange(raw->samples, {});
  const std::vector<std::uint32_t> numbers = std::exchange(raw->frames, {});
  // Carried states need consecutive frames, and recorded tensors may depend on one.
  const bool first = !samples.front().arrays.empty() || reader.declared("states").has_value();
  for (const std::size_t at : evenly_spaced(first ? frames : samples.size(), frames)) {
    raw->samples.push_back(samples[at]);
    raw->frames.push_back(numbers[at]);
  }
  return raw;
}

check::Observer observer_of(Terminal& terminal) {
  check::Observer observer;
  observer.stop = terminal.stop;
  observer.step = [&terminal](const std::string& step) {
    Control control;
    control.progress = [bar = std::make_shared<Progress>(terminal, step)](
                           std::size_t done, std::size_t all, const std::string& what) {
      bar->show(done, all, what);
    };
    return control;
  };
  observer.notice = [&terminal](const std::string& text) { terminal.err << text << "\n"; };
  return observer;
}

}  // namespace edgeprobe::cli
