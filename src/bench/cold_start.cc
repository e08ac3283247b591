// SPDX-License-Identifier: Apache-2.0
#include "bench/phases.h"

#include <algorithm>

#include "core/file.h"

namespace edgeprobe::bench {
namespace {

using Clock = std::chrono::steady_clock;
double since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// Time that edgeprobe spends hashing a library when it opens one: no app would do this.
double hashing_time(const std::filesystem::path& library) {
  const auto file = MappedFile::open(library);
  if (!file) return 0;
  double least = 1e9;
  for (int i = 0; i < 3; ++i) {
    const auto start = Clock::now();
    static_cast<void>(sha256(file->bytes()));
    least = std::min(least, since(start));
  }
  return least;
}

}  // namespace

Result<std::vector<ColdStart>> cold_starts(const Model& model,
                                           const engine::SessionOptions& options,
                                           const std::vector<Tensor>& inputs, std::size_t count,
                                           const Control& control) {
  std::vector<ColdStart> starts;
  double hashing = -1;
  while (starts.size() < count && !control.stopped()) {
    EP_TRY(auto engine, engine::open_supervised(model.engine));
    const auto startup = engine->startup();
    if (!startup)
      return Error{ErrorKind::kUnsupported, "this engine does not report how long its start took"};
    if (hashing < 0) hashing = hashing_time(engine->identity().library);
    ColdStart one;
    one.process = std::chrono::duration<double>(startup->process).count();
    one.open = std::max(0.0, std::chrono::duration<double>(startup->open).count() - hashing);
    const auto loading = Clock::now();
    EP_TRY(auto session, engine->load(model.file.view(), model.path.filename().string(), options));
    one.load = since(loading);
    const auto running = Clock::now();
    EP_TRY(const auto inference, session->infer({inputs.begin(), inputs.end()}));
    one.first = since(running);
    starts.push_back(one);
    if (control.progress) control.progress(starts.size(), count, "cold starts");
  }
  return starts;
}

}  // namespace edgeprobe::bench
