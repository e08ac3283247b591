// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/bisect_command.h"
#include "cli/commands/evidence_command.h"
#include "cli/options/parse_verbs.h"

namespace edgeprobe::cli {

void add_bisect(CLI::App& app, Work& chosen) {
  CLI::App* sub = nullptr;
  auto args = verb<BisectArgs>(
      app, "bisect",
      "Which operators an engine that shows no layers computes wrongly: a delegate, a GPU, a "
      "vendor's library",
      "edgeprobe bisect models/signs_float.onnx --engine onnxruntime", chosen, sub);
  sub->add_option("model", args->pipeline.model, "A model file: .tflite or .onnx")->required();
  sub->add_option("--host", args->host,
                  "The engine that is trusted: ENGINE, ENGINE:KERNELS, ENGINE:LEVEL or "
                  "ENGINE:LIBRARY (default: litert:builtin, onnxruntime:off)");
  add_data(*sub, args->data, false, "3, evenly spread");
  add_recipe_flag(*sub, "--recipe", args->pipeline.recipe,
                  "Pre-processing of the pictures: text or a file");
  sub->add_option("--seed", args->seed, "Of the random inputs that are taken without --data")
      ->capture_default_str();
  sub->add_option("--evidence", args->evidence,
                  "Write each fault as a small file that replays it: FILE.zip, FILE_2.zip, …");
  sub->add_flag("--force", args->force, "Write over an older file of evidence");
  add_json(*sub, args->json);
  add_engine(*sub, args->pipeline, "", "Device");
}

void add_evidence(CLI::App& app, Work& chosen) {
  CLI::App* sub = nullptr;
  auto args = verb<EvidenceArgs>(
      app, "evidence",
      "What a file of evidence holds; with --engine, whether its fault is there on that engine",
      "edgeprobe evidence tests/evidence/depthwise.zip --engine litert", chosen, sub);
  sub->add_option("file", args->file, "A file that 'edgeprobe bisect --evidence' wrote")
      ->required();
  add_json(*sub, args->json);
  add_engine(*sub, args->pipeline, "", "Engine");
}

}  // namespace edgeprobe::cli
