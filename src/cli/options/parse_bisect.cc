// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/bisect_command.h"
#include "cli/commands/evidence_command.h"
#include "cli/options/parse_verbs.h"

namespace edgeprobe::cli {

Work declare_bisect(Parser& parser) {
  auto args = std::make_shared<BisectArgs>();
  parser.option("model", args->pipeline.model, "A model file: .tflite or .onnx").required();
  parser.option("--host", args->host,
                "The engine that is trusted: ENGINE, ENGINE:KERNELS, ENGINE:LEVEL or "
                "ENGINE:LIBRARY (default: litert:builtin, onnxruntime:off)");
  add_data(parser, args->data, false, "3, evenly spread");
  add_recipe_flag(parser, "--recipe", args->pipeline.recipe,
                  "Pre-processing of the pictures: text or a file");
  parser.option("--seed", args->seed, "Of the random inputs that are taken without --data")
      .shows_default();
  parser.option("--evidence", args->evidence,
                "Write each fault as a small file that replays it: FILE.zip, FILE_2.zip, …");
  parser.flag("--force", args->force, "Write over an older file of evidence");
  add_json(parser, args->json);
  add_engine(parser, args->pipeline, "", "Device");
  return work_of(args);
}

Work declare_evidence(Parser& parser) {
  auto args = std::make_shared<EvidenceArgs>();
  parser.option("file", args->file, "A file that 'edgeprobe bisect --evidence' wrote").required();
  add_json(parser, args->json);
  add_engine(parser, args->pipeline, "", "Engine");
  return work_of(args);
}

}  // namespace edgeprobe::cli
