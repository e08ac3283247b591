// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/report_command.h"
#include "cli/options/parse_verbs.h"

namespace edgeprobe::cli {

Work declare_report(Parser& parser) {
  auto args = std::make_shared<ReportArgs>();
  parser.option("folder", args->folder, "A folder with traces (.mcap), at any depth").required();
  parser
      .option("--reference", args->reference,
              "The trace that the others are measured by (default: the only one whose file "
              "name begins with "
              "'reference')")
      .type("TRACE");
  parser
      .option("--failing", args->failing,
              "The traces whose devices fail, one a line (default: their verdicts NAME.json, "
              "else those that differ from the reference)")
      .type("FILE");
  parser.option("--labels", args->labels,
                "What is true, instead of what the traces say: a CSV with the columns file,label, "
                "COCO's .json, Pascal VOC's .xml files, an .npz, or the word 'folders'");
  parser.option("--classes", args->classes,
                "Class names, one a line (with 'folders': their order is the index)");
  add_boxes(parser, args->boxes);
  parser.option("--sort", args->sort, "What comes first: accuracy | latency | name")
      .shows_default();
  add_json(parser, args->json);
  parser.option("--html", args->html, "Write the table as one self-contained page");
  return work_of(args);
}

}  // namespace edgeprobe::cli
