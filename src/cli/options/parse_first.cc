// SPDX-License-Identifier: Apache-2.0
// Verbs of the first minutes.
#include "cli/commands/demo_command.h"
#include "cli/commands/fetch_command.h"
#include "cli/options/parse_verbs.h"

namespace edgeprobe::cli {

Work declare_fetch(Parser& parser) {
  auto args = std::make_shared<FetchArgs>();
  parser.option("engine", args->engine, "The engine: litert (22 MB; on ARM 14 MB)").required();
  add_json(parser, args->json);
  return work_of(args);
}

Work declare_demo(Parser& parser) {
  auto args = std::make_shared<DemoArgs>();
  parser.option("--out", args->out,
                "New folder for the models, pictures and reports (default: kept nowhere)");
  parser.option("--engine", args->engine, "Engine, as of other verbs (default: litert)");
  parser.flag("--fetch", args->fetch, "Fetch the engine when there is none (edgeprobe fetch)");
  return work_of(args);
}

}  // namespace edgeprobe::cli
