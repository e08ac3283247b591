// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>
#include <string>

#include "cli/options/json_flag.h"
#include "cli/options/overwrite.h"
#include "cli/options/verb_arguments.h"
#include "cli/terminal/progress.h"
#include "cli/terminal/terminal.h"
#include "core/cache_folder.h"
#include "core/result.h"
#include "core/text.h"
#include "engine/fetch/fetch.h"

namespace edgeprobe::cli {

/// `edgeprobe fetch ENGINE`: the pinned library of an engine, from PyPI into the user's cache.
struct FetchArgs {
  std::string engine;
  JsonFlag json;
};

namespace {

Result<const engine::Pin*> pin_named(const std::string& name) {
  std::vector<std::string> known;
  for (const engine::EngineKind& kind : engine::engine_kinds())
    if (const engine::Pin* const pin = engine::pin_of(kind.id)) {
      if (name == kind.name) return pin;
      known.emplace_back(kind.name);
    }
  if (known.empty())
    return Error{ErrorKind::kUnsupported,
                 "no engine is published for this kind of processor in a form that can be fetched; "
                 "name a library with --engine"};
  if (engine::find_kind(name))
    return Error{ErrorKind::kUnsupported, "engine '" + name + "' cannot be fetched, only " +
                                              listed(known) + "; name a library of it as '" + name +
                                              ":/path/to/library.so' (docs/reference/engines.md)"};
  const std::string near = closest_match(name, known);
  return Error{ErrorKind::kUsage, "'" + sanitized(name, 60) + "' is no engine that can be fetched" +
                                      (near.empty() ? "; expected " + listed(known)
                                                    : "; did you mean '" + near + "'?")};
}

}  // namespace

/// kUnsupported for an engine, or a machine, that nothing is pinned for.
Result<Outcome> run(const FetchArgs& args, Terminal& terminal) {
  EP_CHECK(check_texts({{"--json", args.json.file}}, {}));
  EP_TRY(const auto pin, pin_named(args.engine));
  EP_TRY(const auto cache, private_cache_folder("name a library with --engine"));
  const engine::PackageIndex index = engine::package_index();
  const std::string what = std::string(pin->package) + " " + pin->version;
  terminal.err << "fetching " << what << " (" << bytes_text(static_cast<double>(pin->bytes))
               << ") from " << sanitized(engine::without_credentials(index.url), 300) << " for its "
               << pin->member << "\n";
  Progress progress(terminal, "fetch");
  const auto fetched = engine::fetch(*pin, index, cache, {terminal.stop, progress.callback()});
  if (!fetched) return Error(fetched.error()).during("engine '" + args.engine + "'");
  if (!args.json.wanted || !args.json.file.empty())
    terminal.out << (fetched->was_there ? "already there: " : "fetched: ")
                 << sanitized(fetched->library.string(), 4096) << "\n";
  if (!args.json.wanted) return Outcome::kDone;
  const nlohmann::ordered_json answer{{"engine", args.engine},
                                      {"package", pin->package},
                                      {"version", pin->version},
                                      {"library", sanitized(fetched->library.string(), 4096)},
                                      {"sha256", pin->library_sha256},
                                      {"library_bytes", fetched->library_bytes},
                                      {"was_there", fetched->was_there},
                                      {"fetched_by", fetched->tool},
                                      {"fetched_bytes", fetched->wheel_bytes}};
  EP_CHECK(write_result(args.json, answer.dump(2), terminal.out));
  return Outcome::kDone;
}

Work declare_fetch(Parser& parser) {
  auto args = std::make_shared<FetchArgs>();
  parser.option("engine", args->engine, "The engine: litert (22 MB; on ARM 14 MB)").required();
  add_json(parser, args->json);
  return work_of(args);
}

}  // namespace edgeprobe::cli
