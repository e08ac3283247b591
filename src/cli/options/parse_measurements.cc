// SPDX-License-Identifier: Apache-2.0
#include "cli/options/parse_measurements.h"
#include "cli/commands/measurements_command.h"

namespace edgeprobe::cli {

void add_measurements(CLI::App& app, Work& chosen) {
  CLI::App* sub = nullptr;
  auto args = verb<MeasurementsArgs>(
      app, "measurements",
      "Times, memory, processors and quality that were measured, of one run or of several side by "
      "side, as tables and charts (docs/reference/measurements.md)",
      "edgeprobe measurements yesterday.mcap today.mcap --svg signs --markdown signs.md", chosen,
      sub);
  sub->add_option("files", args->files,
                  "Measurements as JSON, ours or Kenning's, and traces (.mcap)")
      ->required()
      ->type_name("FILE ...");
  sub->add_option("--html", args->html, "Write the report as one self-contained page")
      ->type_name("FILE");
  sub->add_option("--markdown", args->markdown, "Write it as Markdown")->type_name("FILE");
  sub->add_option("--rst", args->rst, "Write it as reStructuredText")->type_name("FILE");
  sub->add_option("--svg", args->svg,
                  "Write the charts as PREFIX_inference_time.svg and so on; --markdown and --rst "
                  "then show them")
      ->type_name("PREFIX");
  sub->add_option("--measurements", args->measurements,
                  "Write what one FILE holds as measurements, e.g. those of a trace")
      ->type_name("FILE");
  add_truth(*sub, args->truth);
  add_json(*sub, args->json);
}

}  // namespace edgeprobe::cli
