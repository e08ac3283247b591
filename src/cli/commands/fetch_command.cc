// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>
#include <string>

#include "cli/convert/tool_environment.h"
#include "cli/options/json_flag.h"
#include "cli/options/overwrite.h"
#include "cli/options/verb_arguments.h"
#include "cli/terminal/progress.h"
#include "cli/terminal/terminal.h"
#include "cli/train/torch_python.h"
#include "core/cache_folder.h"
#include "core/result.h"
#include "core/text.h"
#include "engine/fetch/fetch.h"
#include "engine/plugin.h"

namespace edgeprobe::cli {

/// Arguments of `edgeprobe fetch ENGINE`: downloads an engine's pinned library from PyPI or Maven
/// Central into the user's cache.
struct FetchArgs {
  std::string engine;
  JsonFlag json;
};

namespace {

using Pins = std::vector<const engine::Pin*>;

/// Engine plug-ins whose packages are pinned.
constexpr Tool kPackages[] = {{"engines", "jax", "JAX", "135 MB"},
                              {"engines", "keras", "Keras and TensorFlow", "340 MB"},
                              {"engines", "mnn", "MNN", "35 MB"},
                              {"engines", "ncnn", "ncnn", "28 MB"},
                              {"engines", "sklearn", "scikit-learn", "65 MB"}};

const Tool* packages_of(const std::string& name) {
  for (const Tool& tool : kPackages)
    if (name == tool.name) return &tool;
  return nullptr;
}

/// Prints the Python that has the packages.
Result<Outcome> tell_python(const std::string& python, bool was_there, const FetchArgs& args,
                            Terminal& terminal) {
  if (!args.json.wanted || !args.json.file.empty())
    terminal.out << (was_there ? "already there: " : "fetched: ") << sanitized(python, 4096)
                 << "\n";
  if (!args.json.wanted) return Outcome::kDone;
  const nlohmann::ordered_json answer{
      {"engine", args.engine}, {"python", sanitized(python, 4096)}, {"was_there", was_there}};
  EP_CHECK(write_result(args.json, answer.dump(2), terminal.out));
  return Outcome::kDone;
}

/// Makes the environment of an engine plug-in.
Result<Outcome> fetch_packages(const Tool& tool, const FetchArgs& args, Terminal& terminal) {
  const bool was_there = !engine::fetched_python(tool.name).empty();
  EP_TRY(const auto python, environment(tool, terminal));
  return tell_python(python, was_there, args, terminal);
}

Result<Pins> pins_named(const std::string& name) {
  std::vector<std::string> known;
  for (const engine::EngineKind& kind : engine::engine_kinds())
    if (auto pins = engine::pins_of(kind.id); !pins.empty()) {
      if (name == kind.name) return pins;
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
  return Error{
      ErrorKind::kUsage,
      "'" + sanitized(name, 60) + "' is not an engine that can be fetched" +
          (near.empty() ? "; expected " + listed(known) : "; did you mean '" + near + "'?")};
}

/// Origin of the archive, for users.
std::string origin_of(const engine::Pin& pin, const engine::PackageIndex& index) {
  return engine::without_credentials(pin.source == engine::Pin::Source::kMaven
                                         ? engine::maven_url(pin.package, pin.version)
                                         : index.url);
}

}  // namespace

/// kUnsupported for an engine or machine without pins.
Result<Outcome> run(const FetchArgs& args, Terminal& terminal) {
  EP_CHECK(check_texts({{"--json", args.json.file}}, {}));
  if (const Tool* const packages = packages_of(args.engine))
    return fetch_packages(*packages, args, terminal);
  if (args.engine == "torch") {
    EP_TRY(const auto torch, fetch_torch(terminal));
    return tell_python(torch.python, torch.was_there, args, terminal);
  }
  EP_TRY(const auto pins, pins_named(args.engine));
  EP_TRY(const auto cache, private_cache_folder("name a library with --engine"));
  const std::filesystem::path folder = engine::folder_below(cache, *pins.front());
  const engine::PackageIndex index = engine::package_index();
  auto files = nlohmann::ordered_json::array();
  // The engine's own library comes last: if it exists, the others do too.
  for (auto at = pins.rbegin(); at != pins.rend(); ++at) {
    const engine::Pin& pin = **at;
    terminal.err << "fetching " << engine::title_of(pin) << " ("
                 << bytes_text(static_cast<double>(pin.bytes)) << ") from "
                 << sanitized(origin_of(pin, index), 300) << " for its " << pin.member << "\n";
    Progress progress(terminal, "fetch");
    const auto fetched = engine::fetch(pin, index, folder, {terminal.stop, progress.callback()});
    if (!fetched) return Error(fetched.error()).during("engine '" + args.engine + "'");
    const std::string library = sanitized(fetched->library.string(), 4096);
    if (!args.json.wanted || !args.json.file.empty())
      terminal.out << (fetched->was_there ? "already there: " : "fetched: ") << library << "\n";
    files.push_back({{"package", pin.package},
                     {"version", pin.version},
                     {"library", library},
                     {"sha256", pin.library_sha256},
                     {"library_bytes", fetched->library_bytes},
                     {"was_there", fetched->was_there},
                     {"fetched_by", fetched->tool},
                     {"fetched_bytes", fetched->archive_bytes}});
  }
  if (!args.json.wanted) return Outcome::kDone;
  nlohmann::ordered_json answer{{"engine", args.engine}};
  answer.update(files.back());
  if (files.size() > 1) answer["beside"] = files.front();
  EP_CHECK(write_result(args.json, answer.dump(2), terminal.out));
  return Outcome::kDone;
}

Work declare_fetch(Parser& parser) {
  auto args = std::make_shared<FetchArgs>();
  parser
      .option("engine", args->engine,
              "The engine: litert (22 MB; on ARM 14 MB), onnxruntime (24 MB; 21), tflite (4 MB) or "
              "tvm (104 MB; 98); or the packages of a plug-in: jax (135 MB), keras (340 MB), mnn "
              "(35 MB), ncnn (28 MB) or sklearn (65 MB); or torch, Debian's PyTorch for 'stretch "
              "train' "
              "(160 MB)")
      .required();
  add_json(parser, args->json);
  return work_of(args);
}

}  // namespace edgeprobe::cli
