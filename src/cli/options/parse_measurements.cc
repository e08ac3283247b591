// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/measurements_command.h"
#include "cli/options/parse_verbs.h"

namespace edgeprobe::cli {

Work declare_measurements(Parser& parser) {
  auto args = std::make_shared<MeasurementsArgs>();
  parser.option("files", args->files, "Measurements as JSON, ours or Kenning's, and traces (.mcap)")
      .required()
      .type("FILE ...");
  parser.option("--html", args->html, "Write the report as one self-contained page").type("FILE");
  parser.option("--markdown", args->markdown, "Write it as Markdown").type("FILE");
  parser.option("--rst", args->rst, "Write it as reStructuredText").type("FILE");
  parser
      .option("--svg", args->svg,
              "Write the charts as PREFIX_inference_time.svg and so on; --markdown and --rst "
              "then show them")
      .type("PREFIX");
  parser
      .option("--measurements", args->measurements,
              "Write what one FILE holds as measurements, e.g. those of a trace")
      .type("FILE");
  add_truth(parser, args->truth);
  add_json(parser, args->json);
  return work_of(args);
}

}  // namespace edgeprobe::cli
