// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/stretch_subjects.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>
#include <utility>

#include "core/file.h"
#include "core/text.h"
#include "engine/kinds.h"
#include "family/configuration.h"
#include "family/export.h"
#include "family/weights.h"
#include "model/graph.h"

namespace edgeprobe::cli {
namespace {

namespace fs = std::filesystem;

bool is_file(const fs::path& path) {
  std::error_code failure;
  return fs::is_regular_file(path, failure);
}

/// The weights of a configuration; "" if there are none. kUsage for given ones that are missing.
Result<fs::path> weights_of(const fs::path& configuration, const GeneratedFlags& flags) {
  const std::string name = configuration.stem().string();
  if (flags.weights.empty()) {
    fs::path beside = configuration;
    beside.replace_extension(".safetensors");
    return is_file(beside) ? beside : fs::path();
  }
  std::error_code failure;
  const fs::path given = flags.weights;
  if (!fs::is_directory(given, failure)) return given;
  for (const fs::path& one : {given / (name + ".safetensors"), given / name / "model.safetensors"})
    if (is_file(one)) return one;
  const std::string place = "'" + sanitized(given.string(), 300) + "'";
  if (const fs::path checkpoint = given / name / "model.pyth"; is_file(checkpoint))
    return Error{ErrorKind::kUsage,
                 "'" + sanitized(checkpoint.string(), 300) +
                     "' is a PyTorch checkpoint, which only PyTorch reads; save its state as " +
                     sanitized(name, 80) + ".safetensors (docs/from-nn-stretch.md)"};
  return Error{ErrorKind::kUsage, place + " holds neither " + sanitized(name, 80) +
                                      ".safetensors nor " + sanitized(name, 80) +
                                      "/model.safetensors"};
}

/// The files of 'stretch train' next to weights.
struct Trained {
  int size = 0, classes = 0;  ///< 0: unknown.
  std::string recipe;         ///< "": none.
  std::string classes_text;   ///< How its classes count; "": unknown.
};

/// "its classes count as in 'net.labels.txt': 0 is 'cat', 36 is 'yorkshire terrier'"; labels that
/// count differently would make every accuracy wrong.
std::string classes_text(const fs::path& labels) {
  const auto file = read_file(labels, std::size_t{16} << 20);
  if (!file) return "";
  std::vector<std::string> names;
  std::istringstream lines{std::string(ByteView(*file).text())};
  for (std::string line; std::getline(lines, line);) names.push_back(line);
  if (names.empty()) return "";
  return "its classes count as in " + in_quotes(labels.filename().string(), 120) + ": 0 is " +
         in_quotes(names.front(), 60) + ", " + std::to_string(names.size() - 1) + " is " +
         in_quotes(names.back(), 60) + "; --labels must count so, too";
}

Trained trained_of(const fs::path& weights) {
  Trained trained;
  const auto next_to = [&](const char* ending) {
    return fs::path(weights).replace_extension(ending);
  };
  if (is_file(next_to(".recipe"))) trained.recipe = next_to(".recipe").string();
  trained.classes_text = classes_text(next_to(".labels.txt"));
  const auto file = read_file(next_to(".network.json"), std::size_t{64} << 20);
  if (!file) return trained;
  const auto network = nlohmann::json::parse(ByteView(*file).text(), nullptr, false);
  if (!network.is_object()) return trained;
  const auto number = [](const nlohmann::json& value, std::int64_t most) {
    const std::int64_t whole = value.is_number_integer() ? value.get<std::int64_t>() : 0;
    return whole >= 1 && whole <= most ? static_cast<int>(whole) : 0;
  };
  const auto input = network.find("input"), classes = network.find("classes");
  if (input != network.end() && input->is_array() && input->size() == 3)
    trained.size = number(input->back(), 8192);
  if (classes != network.end()) trained.classes = number(*classes, family::kMostClasses);
  return trained;
}

std::string places(const family::Network& network,
                   const std::vector<stretch::Processor>& processors) {
  std::string text;
  for (std::size_t i = 0; i < processors.size(); ++i) {
    const stretch::Processor& one = processors[i];
    text += (i == 0 ? "" : ", ") + in_quotes(network.processors[i], 40) + " is " +
            in_quotes(one.name, 80) + " (" + sanitized(one.engine, 80) +
            (one.delegate.empty() ? "" : ", " + sanitized(one.delegate, 80)) + ")";
  }
  return text;
}

Status add_plan(const family::Network& network, ByteView file, const GeneratedFlags& flags,
                const PipelineFlags& engine, const fs::path& to, Generated& made) {
  EP_TRY(const auto graph, model::read_model(file, network.name, {}));
  ProcessorFlags places_of{flags.device, {}, engine.cpus, engine.trust};
  if (!engine.engine.empty()) places_of.engines.push_back(engine.engine);
  EP_TRY(const auto processors, processors_of(network, places_of, graph));
  made.notes.push_back("processor " + places(network, processors) +
                       (flags.device.empty() ? " on this machine; --device assigns others" : ""));
  EP_TRY(const auto plan, family::plan_of(network, graph, processors));
  made.subject.plan = to;
  return write_file(to, view_of(stretch::to_json(plan)));
}

}  // namespace

void add_generated(Parser& parser, GeneratedFlags& flags) {
  add_network(parser, flags.network);
  parser.remove("--classes");
  parser
      .option("--device", flags.device,
              "Where configurations find their processors by name, a file in YAML or JSON "
              "(docs/reference/device.md) (default: this machine's CPUs in turn)")
      .type("FILE.yaml");
  parser
      .option("--weights,--models", flags.weights,
              "Trained weights of configurations: a file, or a folder with NAME.safetensors or "
              "NAME/model.safetensors (default: NAME.safetensors next to NAME.yaml)")
      .type("FILE|FOLDER");
}

Status check_generated(const GeneratedFlags& flags,
                       const std::vector<placement::Subject>& subjects) {
  if (std::any_of(subjects.begin(), subjects.end(),
                  [](const placement::Subject& one) { return !one.configuration.empty(); }))
    return {};
  const GeneratedFlags usual;
  const char* const given = flags.network.size != usual.network.size               ? "--size"
                            : flags.network.adapters != usual.network.adapters     ? "--adapters"
                            : flags.network.most_gmacs != usual.network.most_gmacs ? "--most-gmacs"
                            : !flags.device.empty()                                ? "--device"
                            : !flags.weights.empty()                               ? "--weights"
                                                                                   : nullptr;
  if (!given) return {};
  return Error{ErrorKind::kUsage,
               std::string(given) +
                   " is for networks' .yaml configurations, and none is given; a model file has "
                   "its own"};
}

Result<Generated> generated(const placement::Subject& subject, const GeneratedFlags& flags,
                            const PipelineFlags& engine, const fs::path& folder) {
  const fs::path& from = subject.configuration;
  EP_TRY(const auto configuration, family::load_configuration(from));
  family::BuildOptions options{flags.network.size, flags.network.classes,
                               flags.network.adapters == "all", flags.network.most_gmacs * 1e9};
  EP_TRY(const auto weights_file, weights_of(from, flags));
  const Trained trained = weights_file.empty() ? Trained{} : trained_of(weights_file);
  if (options.size == 0) options.size = trained.size;
  if (options.classes == 0) options.classes = trained.classes;
  if (weights_file.empty() && flags.needs_weights)
    return Error{ErrorKind::kUsage,
                 "no weights of '" + sanitized(from.string(), 300) +
                     "': there is no .safetensors file of its name next to it; name one with "
                     "--weights, or train the network ('edgeprobe stretch train')"};
  EP_TRY(const auto network, family::build(configuration, options));
  Generated made{subject, network.size,    "", trained.recipe, weights_file.empty(),
                 {},      network.warnings};
  if (trained.size > 0 && network.size != trained.size)
    made.warnings.push_back("'" + sanitized(from.string(), 300) + "' has " +
                            std::to_string(network.size) +
                            " pixels (--size), and its weights "
                            "were trained at " +
                            std::to_string(trained.size));
  if (!trained.classes_text.empty()) made.notes.push_back(trained.classes_text);
  family::Weights weights;
  if (weights_file.empty()) {
    weights = family::initial_weights(network, flags.seed);
    made.weights = "random, seed " + std::to_string(flags.seed);
  } else {
    auto file = read_file(weights_file);
    if (!file) return Error{ErrorKind::kUsage, "--weights: " + file.error().what};
    auto read = family::from_safetensors(network, *file);
    if (!read)
      return std::move(read).error().during("'" + sanitized(weights_file.string(), 300) + "'");
    weights = *std::move(read);
    made.weights = weights_file.filename().string();
  }
  const Bytes file = family::to_onnx(network, weights);
  weights.clear();  // As large as the file.
  made.subject.model = folder / (from.stem().string() + ".onnx");
  EP_CHECK(write_file(made.subject.model, file));
  // One processor needs no plan: it runs the whole model.
  if (network.processors.size() > 1)
    EP_CHECK(
        add_plan(network, file, flags, engine, folder / (from.stem().string() + ".json"), made));
  return made;
}

PipelineFlags flags_of(const PipelineFlags& given, const placement::Subject& subject) {
  PipelineFlags flags = given;
  if (!subject.plan.empty()) {
    flags = {};
    flags.engine =
        std::string(engine::kind_of(engine::EngineId::kStretch).name) + ":" + subject.plan.string();
    flags.recipe = given.recipe;
    flags.target = given.target;
    flags.interpreter = given.interpreter;
    flags.input_shapes = given.input_shapes;
    flags.time_limit_s = given.time_limit_s;
    // The libraries of a plan made here were named on the command line, or checked with --device.
    flags.trust = given.trust || !subject.configuration.empty();
  }
  flags.model = subject.model.string();
  return flags;
}

const char* beside_plan(const PipelineFlags& flags) {
  if (!flags.engine.empty()) return "--engine";
  if (!flags.plugins.empty()) return "--plugin";
  if (flags.threads) return "--num-threads";
  if (!flags.cpus.empty()) return "--core-affinity";
  if (!flags.kernels.empty()) return "--kernels";
  if (!flags.delegates.empty()) return "--delegate";
  const PipelineFlags usual;
  if (flags.optimization != usual.optimization) return "--optimization";
  if (flags.precision != usual.precision) return "--precision";
  if (flags.no_spinning) return "--no-spinning";
  return nullptr;
}

}  // namespace edgeprobe::cli
