// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/run_measurements.h"

#include "cli/commands/measurements_command.h"
#include "core/counted.h"
#include "core/file.h"
#include "core/text.h"
#include "measurements/json.h"
#include "meter/machine.h"

namespace edgeprobe::cli {

Status write_measurements(const MeasurementsOutput& output, const std::string& trace,
                          Terminal& terminal) {
  Truth names;
  names.terms.classes = output.classes;
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

}  // namespace edgeprobe::cli
