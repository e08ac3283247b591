// SPDX-License-Identifier: Apache-2.0
#include <optional>
#include <string>

#include "cli/options/json_flag.h"
#include "cli/options/overwrite.h"
#include "cli/options/pipeline_flags.h"
#include "cli/options/verb_arguments.h"
#include "cli/terminal/terminal.h"
#include "core/file.h"
#include "core/result.h"
#include "core/text.h"
#include "evidence/bundle.h"
#include "evidence/replay.h"
#include "pipeline/spec.h"
#include "report/text/tables.h"

namespace edgeprobe::cli {

/// Arguments of `edgeprobe evidence FILE [--engine X]`: lists its contents, and checks whether an
/// engine has the fault.
struct EvidenceArgs {
  std::string file;
  PipelineFlags pipeline;  ///< Its engine replays the evidence; without an engine nothing is run.
  JsonFlag json;
};

namespace {

constexpr std::size_t kMostBytes = std::size_t{256} << 20;

}  // namespace

/// kDone if only listed, or if the engine does not have the fault; else kDiffers.
Result<Outcome> run(const EvidenceArgs& args, Terminal& terminal) {
  EP_CHECK(check_texts({{"--json", args.json.file}}, {args.file}));
  const bool replays = names_engine(args.pipeline);
  if (!replays && !args.pipeline.delegates.empty())
    return Error{ErrorKind::kUsage, "--delegate: name the engine that takes it with --engine"};
  EP_TRY(auto bytes, read_file(args.file, kMostBytes));
  const std::string label = "'" + sanitized(args.file) + "'";
  auto opened = evidence::read(bytes);
  if (!opened) return std::move(opened.error()).during(label);
  std::unique_ptr<engine::Engine> engine;
  std::optional<evidence::Replayed> replayed;
  if (replays) {
    PipelineFlags flags = args.pipeline;
    flags.model = "model." + opened->evidence.format;
    EP_TRY(auto spec, spec_from(flags));
    EP_TRY(engine, engine::open_supervised(spec.engine));
    EP_CHECK(pipeline::check_engine(engine->identity(), spec.session, opened->evidence.format,
                                    args.file));
    auto done = evidence::replay({engine.get(), spec.session}, opened->evidence);
    if (!done) return std::move(done.error()).during(label);
    replayed = *std::move(done);
  }
  const engine::EngineIdentity* const identity = engine ? &engine->identity() : nullptr;
  const evidence::Replayed* const result = replayed ? &*replayed : nullptr;
  if (args.json.wanted)
    EP_CHECK(write_result(args.json,
                          report::evidence_file_json(*opened, bytes.size(), identity, result),
                          terminal.out));
  if (!args.json.wanted || !args.json.file.empty())
    terminal.out << report::evidence_file_text(*opened, bytes.size(), identity, result);
  return replayed && replayed->there ? Outcome::kDiffers : Outcome::kDone;
}

Work declare_evidence(Parser& parser) {
  auto args = std::make_shared<EvidenceArgs>();
  parser.option("file", args->file, "A file from 'edgeprobe bisect --evidence'").required();
  add_json(parser, args->json);
  add_engine(parser, args->pipeline, "", "Engine");
  return work_of(args);
}

}  // namespace edgeprobe::cli
