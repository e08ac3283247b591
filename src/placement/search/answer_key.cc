// SPDX-License-Identifier: Apache-2.0
#include "placement/search/answer.h"

#include <map>

#include "core/file.h"
#include "core/text.h"
#include "engine/target.h"
#include "placement/search/conditions.h"
#include "placement/search/timing.h"

namespace edgeprobe::placement {
namespace {

/// A library by its bytes; or the reason why it cannot be opened, which may change.
std::string library_text(const std::string& engine) {
  const auto choice = engine::engine_choice_from_text(engine);
  if (!choice) return choice.error().what;
  const auto opened = engine::open_supervised(*choice);
  return opened ? (*opened)->identity().version + " " + (*opened)->identity().sha256
                : opened.error().what;
}

/// --delegate also names a file.
std::string delegate_key(const stretch::Processor& processor) {
  const auto options = options_on(processor, {});
  if (!options || options->delegates.empty()) return "";
  const auto file = MappedFile::open(options->delegates.front().library);
  return processor.delegate + " " + (file ? sha256(*file) : "-");
}

}  // namespace

std::string answer_key(const model::Graph& graph, const SearchOptions& options) {
  std::string key = "answer 2; " + graph.sha256 + "; " + number(options.seconds, 9) + "; " +
                    std::to_string(options.best) + "; " + std::to_string(options.rounds);
  for (const auto& [name, shape] : options.inputs.shapes) {
    key += "; " + name;
    for (const std::int64_t side : shape) key += " " + std::to_string(side);
  }
  // Divisions are run by this program.
  if (const auto program = MappedFile::open("/proc/self/exe")) key += "; " + sha256(*program);
  std::map<std::string, std::string> libraries;
  std::vector<int> cpus;
  for (const stretch::Processor& processor : options.processors) {
    std::string& library = libraries[processor.engine];
    if (library.empty()) library = library_text(processor.engine);
    key += "; " + processor.name + "; " + processor.engine + "; " + library + "; " +
           delegate_key(processor) + "; " + std::to_string(processor.threads) + "; " +
           number(processor.emulated_slowdown, 9) + ";";
    for (const int cpu : processor.cpus) key += " " + std::to_string(cpu);
    cpus.insert(cpus.end(), processor.cpus.begin(), processor.cpus.end());
  }
  return key + "; " + conditions_text(cpus);
}

}  // namespace edgeprobe::placement
