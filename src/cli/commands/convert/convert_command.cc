// SPDX-License-Identifier: Apache-2.0
#include <memory>

#include "cli/commands/convert/chain.h"
#include "cli/commands/convert/convert_flags.h"
#include "cli/commands/convert/link.h"
#include "cli/options/verb_arguments.h"
#include "cli/terminal/terminal.h"
#include "core/text.h"

namespace edgeprobe::cli {

namespace {

/// Adds an option to the last --to.
Status add_to_last(ConvertArgs& args, const char* flag, const char* option,
                   const std::string& value) {
  if (value.empty()) return {};
  std::string& last = args.chain.back();
  if (last.find(std::string(option) + "=") != std::string::npos)
    return Error{ErrorKind::kUsage, std::string(flag) + " is also an option of --to " + last};
  last += (last.find('?') == std::string::npos ? "?" : "&") + std::string(option) + "=" + value;
  return {};
}

}  // namespace

Result<Outcome> run(const ConvertArgs& given, Terminal& terminal) {
  ConvertArgs args = given;
  EP_CHECK(add_to_last(args, "--inference-input-type", "inference_input_type", args.input_type));
  EP_CHECK(add_to_last(args, "--inference-output-type", "inference_output_type", args.output_type));
  if (args.chain.size() > 1) return run_chain(args, terminal);
  if (!args.links.empty())
    return Error{ErrorKind::kUsage, "--links is for a chain of several --to"};
  args.to = args.chain.front();
  return run_link(args, terminal);
}

Work declare_convert(Parser& parser) {
  auto args = std::make_shared<ConvertArgs>();
  parser
      .option(
          "model", args->source.model,
          "The float model: .onnx, .tflite, .keras, .h5, saved_model.pb of a SavedModel or .pt2; "
          "for a plug-in any that an engine opens")
      .required();
  parser
      .option("--to", args->chain,
              edgeprobe::joined(method_names(), " | ") +
                  "; several make a chain, each link with ?OPTION=VALUE&OPTION=VALUE, or a "
                  "compiler of your own as FILE.py:CLASS "
                  "or python:NAME (docs/guides/convert.md)")
      .repeatable()
      .required();
  parser
      .option("-o,--out", args->out,
              "The result: .onnx, .tflite, .xml or .so, or as a plug-in writes it")
      .required();
  add_recipe_flag(parser, "--recipe", args->source.recipe,
                  "The pre-processing of the source: text or a file");
  add_data(parser, args->data, true);
  args->data.time_limit_s = &args->source.time_limit_s;
  parser
      .option("--calibration-frames", args->calibration_frames,
              "Number of evenly spread pictures that calibrate int8 or a plug-in")
      .shows_default();
  parser
      .option("--calibration", args->calibration,
              "A list of the samples that calibrate instead, one name per line, e.g. "
              "calibration.txt of --write-fix")
      .type("FILE");
  parser
      .option("--inference-input-type", args->input_type,
              "float32 | int8 | uint8 | int16: what the result of int8 or int16x8 takes, from a "
              "Keras model or a SavedModel")
      .type("TYPE");
  parser
      .option("--inference-output-type", args->output_type,
              "float32 | int8 | uint8 | int16: what it returns")
      .type("TYPE");
  parser
      .option("--links", args->links,
              "Folder of a chain's finished links, from which it goes on (default: OUT.links)")
      .type("FOLDER");
  parser
      .option("--train-data", args->train.data,
              "Other samples than those of --data, for a conversion that trains (fine_tune)")
      .type("DATA");
  parser
      .option("--train-labels", args->train.labels, "The classes of --train-data, as for --labels")
      .type("LABELS");
  parser
      .option("--gate", args->gate,
              "Decides on 'differs': outputs, or accuracy, which needs --labels")
      .one_of({"outputs", "accuracy"})
      .shows_default();
  parser
      .option("--keep-float", args->keep_float,
              "Layers that stay in float32: a JSON list of node names (.onnx), or a recipe of "
              "ai-edge-quantizer (.tflite)")
      .type("FILE.json");
  parser.option("--python", args->python,
                "A Python that has the tool (default: an environment created on demand), or the "
                "plug-ins (default: $EDGEPROBE_PYTHON, else python3)");
  parser.option("--compile-limit", args->compile_limit_s, "Seconds for a plug-in to convert")
      .shows_default();
  add_recipe_flag(parser, "--target-recipe", args->target_recipe,
                  "The pre-processing of the result, if it is another one than --recipe");
  parser.option("--target-engine", args->engine,
                "Engine that checks the result (default: by its format)");
  add_target(parser, args->deployed, "Engine of the result");
  add_json(parser, args->json);
  add_engine(parser, args->source, "", "Engine of the source");
  return work_of(args);
}

}  // namespace edgeprobe::cli
