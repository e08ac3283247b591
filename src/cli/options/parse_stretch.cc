// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/stretch_command.h"
#include "cli/options/parse_verbs.h"

namespace edgeprobe::cli {

void add_stretch(CLI::App& app, Work& chosen) {
  CLI::App* const stretch =
      app.add_subcommand("stretch", "One model on several processors at once");
  stretch->require_subcommand(1);
  stretch->footer("\nExample:\n  edgeprobe stretch regions models/inception_like.onnx");
  CLI::App* sub = nullptr;
  auto args = verb<StretchRegionsArgs>(
      *stretch, "regions", "Which branches of a model could run side by side, from its file alone",
      "edgeprobe stretch regions models/inception_like.onnx", chosen, sub);
  sub->add_option("model", args->model, "A model file: .tflite or .onnx")->required();
  sub->add_option("--cut", args->cut, "Also write each branch as a model, into this folder")
      ->type_name("FOLDER");
  sub->add_flag("--force", args->force, "Replace files of an earlier run there");
  add_json(*sub, args->json);
}

}  // namespace edgeprobe::cli
