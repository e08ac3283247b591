// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/report_command.h"
#include "cli/options/parse_verbs.h"

namespace edgeprobe::cli {

void add_report(CLI::App& app, Work& chosen) {
  CLI::App* sub = nullptr;
  auto args = verb<ReportArgs>(
      app, "report",
      "One table over a folder of traces: accuracy, latency, disagreement with the reference; what "
      "goes with the devices that fail",
      "edgeprobe report traces/test --reference "
      "traces/test/signs_float/litert-xnnpack_recipe-ab67d4c2.mcap --html table.html",
      chosen, sub);
  sub->add_option("folder", args->folder, "A folder with traces (.mcap), at any depth")->required();
  sub->add_option("--reference", args->reference,
                  "The trace that the others are measured by (default: the only one whose file "
                  "name begins with "
                  "'reference')")
      ->type_name("TRACE");
  sub->add_option("--failing", args->failing,
                  "The traces whose devices fail, one a line (default: their verdicts NAME.json, "
                  "else those that differ from the reference)")
      ->type_name("FILE");
  sub->add_option(
      "--labels", args->labels,
      "What is true, instead of what the traces say: a CSV with the columns file,label, "
      "COCO's .json, Pascal VOC's .xml files, an .npz, or the word 'folders'");
  sub->add_option("--classes", args->classes,
                  "Class names, one a line (with 'folders': their order is the index)");
  add_boxes(*sub, args->boxes);
  sub->add_option("--sort", args->sort, "What comes first: accuracy | latency | name")
      ->capture_default_str();
  add_json(*sub, args->json);
  sub->add_option("--html", args->html, "Write the table as one self-contained page");
}

}  // namespace edgeprobe::cli
