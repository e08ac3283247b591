// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/convert_command.h"
#include "cli/options/parse_verbs.h"

namespace edgeprobe::cli {

Work declare_convert(Parser& parser) {
  auto args = std::make_shared<ConvertArgs>();
  parser.option("model", args->source.model, "The float model: .onnx or .tflite").required();
  parser.option("--to", args->to, "int8 | int8-dynamic (.tflite) | openvino | tvm").required();
  parser.option("-o,--out", args->out, "The result: .onnx, .tflite, .xml or .so").required();
  add_recipe_flag(parser, "--recipe", args->source.recipe,
                  "The pre-processing of the source: text or a file");
  add_data(parser, args->data, true);
  parser
      .option("--calibration-frames", args->calibration_frames,
              "How many pictures calibrate int8, evenly spread")
      .shows_default();
  parser
      .option("--calibration", args->calibration,
              "A list of the samples that calibrate int8 instead, one name a line: "
              "calibration.txt of --write-fix")
      .type("FILE");
  parser
      .option("--keep-float", args->keep_float,
              "Layers that stay in float32: a JSON list of node names (.onnx), or a recipe of "
              "ai-edge-quantizer (.tflite)")
      .type("FILE.json");
  parser.option("--python", args->python,
                "A Python that has the tool (default: an environment that is made on demand)");
  parser.option("--target-engine", args->engine,
                "Engine that checks the result (default: the usual one of its format)");
  add_target(parser, args->deployed, "Engine of the result");
  add_json(parser, args->json);
  add_engine(parser, args->source, "", "Engine of the source");
  return work_of(args);
}

}  // namespace edgeprobe::cli
