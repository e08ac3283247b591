// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/run/run_measurements.h"

#include "core/file.h"
#include "core/text.h"
#include "measurements/from_trace.h"
#include "measurements/json.h"
#include "meter/machine.h"
#include "task/recorded.h"
#include "trace/read/reader.h"

namespace edgeprobe::cli {

Status write_measurements(const MeasurementsOutput& output, const std::string& trace,
                          Terminal& terminal) {
  Truth names;
  names.terms.classes = output.classes;
  names.metric = output.metric;
  auto measured = measured_in(trace, names);
  if (!measured) return std::move(measured.error()).during("--measurements");
  if (output.here) {
    const meter::Machine machine = meter::machine({});
    measured->facts.emplace_back("machine",
                                 machine.architecture + " " + machine.processor + ", " +
                                     counted(static_cast<std::size_t>(machine.cpus), "CPU"));
    measured->facts.emplace_back(
        "memory and CPUs", "of the whole machine, ten times a second, by a thread of this program");
  }
  const std::string text = measurements::to_json(*measured, EDGEPROBE_VERSION);
  if (auto done = write_file(output.file, view_of(text)); !done)
    return std::move(done.error()).during("--measurements");
  terminal.err << "measurements: " << sanitized(output.file, 400) << "\n";
  return {};
}

Result<measurements::Measurements> measured_in(const std::string& path, const Truth& truth) {
  EP_TRY(const auto trace, trace::Reader::open(path));
  const compare::Truths given = truths_of(truth.labels);
  auto measured = measurements::from_trace(
      trace,
      [&](const trace::FrameRecord& record) {
        return truth.labels.empty() ? task::recorded(record) : given(record);
      },
      truth.terms, truth.metric.get());
  if (!measured) return std::move(measured.error()).during("'" + sanitized(path, 300) + "'");
  return measured;
}

}  // namespace edgeprobe::cli
