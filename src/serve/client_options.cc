// SPDX-License-Identifier: Apache-2.0
#include "serve/device.h"

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>

namespace edgeprobe::serve {
namespace {

constexpr std::chrono::milliseconds kNoTime{0};
constexpr int kMostThreads = 256;

/// Settings that a client may not choose on another machine.
Status check_client_options(const engine::SessionOptions& options) {
  const auto refused = [](const char* what) {
    return Error{ErrorKind::kUsage,
                 std::string(what) + " are the operator's choice: give them to 'edgeprobe serve'"};
  };
  if (!options.delegates.empty()) return refused("delegates");
  if (!options.custom_ops.empty()) return refused("libraries of custom operators");
  if (!options.folder.empty()) return refused("folders of outside data");
  if (!options.cpus.empty()) return refused("CPUs");
  if (options.threads < 1 || options.threads > kMostThreads)
    return Error{ErrorKind::kUsage, std::to_string(options.threads) + " threads: expected 1 to " +
                                        std::to_string(kMostThreads)};
  return {};
}

}  // namespace

Result<engine::SessionOptions> client_options(std::string_view json,
                                              const engine::SessionOptions& operators) {
  auto options = engine::session_options_from_json(json);
  if (!options) return options;
  EP_CHECK(check_client_options(*options));
  options->delegates = operators.delegates;
  options->custom_ops = operators.custom_ops;
  options->cpus = operators.cpus;
  options->load_limit = std::clamp(options->load_limit, kNoTime, operators.load_limit);
  options->invoke_limit = std::clamp(options->invoke_limit, kNoTime, operators.invoke_limit);
  return options;
}

}  // namespace edgeprobe::serve
