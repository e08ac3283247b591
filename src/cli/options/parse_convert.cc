// SPDX-License-Identifier: Apache-2.0
#include "cli/convert/convert_command.h"
#include "cli/options/parse_verbs.h"

namespace edgeprobe::cli {

void add_convert(CLI::App& app, Work& chosen) {
  CLI::App* sub = nullptr;
  auto args = verb<ConvertArgs>(
      app, "convert",
      "Convert a model with the tool that belongs to the target, and check the result",
      "edgeprobe convert models/signs_float.onnx --to int8 --recipe models/signs_nchw.recipe \\\n"
      "    --data models/data/test --frames 48 -o signs_int8.onnx",
      chosen, sub);
  sub->add_option("model", args->source.model, "The float model: .onnx or .tflite")->required();
  sub->add_option("--to", args->to, "int8 | int8-dynamic (.tflite) | openvino | tvm")->required();
  sub->add_option("-o,--out", args->out, "The result: .onnx, .tflite, .xml or .so")->required();
  add_recipe_flag(*sub, "--recipe", args->source.recipe,
                  "The pre-processing of the source: text or a file");
  add_data(*sub, args->data, true);
  sub->add_option("--calibration-frames", args->calibration_frames,
                  "How many pictures calibrate int8, evenly spread")
      ->capture_default_str();
  sub->add_option("--calibration", args->calibration,
                  "A list of the samples that calibrate int8 instead, one name a line: "
                  "calibration.txt of --write-fix")
      ->type_name("FILE");
  sub->add_option("--keep-float", args->keep_float,
                  "Layers that stay in float32: a JSON list of node names (.onnx), or a recipe of "
                  "ai-edge-quantizer (.tflite)")
      ->type_name("FILE.json");
  sub->add_option("--python", args->python,
                  "A Python that has the tool (default: an environment that is made on demand)");
  sub->add_option("--target-engine", args->engine,
                  "Engine that checks the result (default: the usual one of its format)");
  add_target(*sub, args->deployed, "Engine of the result");
  add_json(*sub, args->json);
  add_engine(*sub, args->source, "", "Engine of the source");
}

}  // namespace edgeprobe::cli
