// SPDX-License-Identifier: Apache-2.0
#include "engine/kenning/session.h"

#include <algorithm>
#include <atomic>
#include <utility>

#include "core/text.h"
#include "engine/inputs.h"
#include "engine/kenning/times.h"
#include "protocol/io_spec.h"
#include "protocol/serial.h"

namespace edgeprobe::engine::kenning {
namespace {

using protocol::Type;
using Clock = std::chrono::steady_clock;

constexpr auto kStatisticsLimit = std::chrono::seconds(30);
/// Maximum number of inferences whose times are requested with one STATS; servers drop older times.
constexpr std::size_t kMostUntimed = 10'000;

std::vector<protocol::IoTensor> described(const std::vector<TensorSpec>& specs) {
  std::vector<protocol::IoTensor> tensors;
  for (const TensorSpec& spec : specs) tensors.push_back({spec, std::nullopt});
  return tensors;
}

Result<Bytes> io_spec_of(const Upload& upload, const Manner& manner) {
  protocol::IoSpec spec;
  spec.inputs = described(upload.inputs);
  spec.outputs = described(upload.outputs);
  // Name inside a compiled model; Kenning's own default where the model has none.
  spec.model = "module";
  if (protocol::is_plain(manner.generation)) spec.entry = "module.main";
  if (manner.is_serial) return protocol::io_spec_to_serial(spec, manner.generation);
  return view_of(protocol::to_json(spec)).copy();
}

}  // namespace

KenningSession::KenningSession(std::shared_ptr<Server> server, Upload upload)
    : server_(std::move(server)),
      upload_(std::move(upload)),
      travel_(server_->manner().io_spec ? Travel::kAsTheyAre : Travel::kAsFloats),
      outputs_(upload_.outputs) {
  static std::atomic<std::uint64_t> sessions{0};
  number_ = ++sessions;
}

Result<std::unique_ptr<Session>> KenningSession::load(std::shared_ptr<Server> server,
                                                      Upload upload) {
  const std::string doing = "loading '" + sanitized(upload.label) + "' on " + server->address();
  std::unique_ptr<KenningSession> session(new KenningSession(std::move(server), std::move(upload)));
  for (const auto* const specs : {&session->upload_.inputs, &session->upload_.outputs})
    if (auto travels = check_travel(*specs, session->travel_); !travels)
      return std::move(travels.error()).during(doing);
  const std::lock_guard lock(session->server_->exchange());
  if (auto sent = session->send_model(); !sent) return std::move(sent.error()).during(doing);
  return std::unique_ptr<Session>(std::move(session));
}

Status KenningSession::send_model() {
  if (server_->model_of() == number_) return {};
  // Known servers accept one model per connection, and one client at a time.
  if (server_->model_of() != 0) server_->leave();
  EP_CHECK(server_->connect());
  if (has_run_ && !upload_.state.empty())
    return Error{ErrorKind::kTarget, "the model's state in '" + sanitized(upload_.state, 60) +
                                         "' was lost on the server, which had another model or "
                                         "another connection meanwhile; start again"};
  server_->set_model_of(0);
  if (server_->manner().io_spec) {
    EP_TRY(const auto spec, io_spec_of(upload_, server_->manner()));
    EP_CHECK(server_->ask(Type::kIoSpec, spec, upload_.load_limit));
  }
  EP_CHECK(server_->ask(Type::kModel, upload_.model, upload_.load_limit));
  server_->set_model_of(number_);
  return {};
}

Result<Inference> KenningSession::infer(const std::vector<TensorView>& inputs) {
  EP_CHECK(check_inputs(upload_.inputs, inputs));
  auto inference = infer_there(inputs);
  if (!inference)
    return std::move(inference.error())
        .during("running '" + sanitized(upload_.label) + "' on " + server_->address());
  return inference;
}

Result<Inference> KenningSession::infer_there(const std::vector<TensorView>& inputs) {
  EP_TRY(auto data, join(inputs, travel_));
  const std::lock_guard lock(server_->exchange());
  EP_CHECK(send_model());
  const auto begun = Clock::now();
  EP_CHECK(server_->ask(Type::kData, data, upload_.invoke_limit));
  const auto asked = Clock::now();
  EP_CHECK(server_->ask(Type::kProcess, {}, upload_.invoke_limit));
  const auto ran = Clock::now();
  has_run_ = true;
  ++untimed_;
  EP_TRY(auto bytes, server_->ask(Type::kOutput, {}, upload_.invoke_limit));
  auto outputs = split(bytes, upload_.outputs, travel_);
  if (!outputs) {
    Error error = std::move(outputs).error();
    // The server sent one OK too many, so each later answer belongs to the previous request.
    if (bytes.empty() && protocol::is_plain(server_->manner().generation) &&
        !server_->manner().two_oks())
      error.what += "; a server of g1 answers PROCESS twice: ?generation=g1-iospec or g1";
    return error;
  }
  Inference inference;
  inference.latency = ran - asked;
  inference.outputs = *std::move(outputs);
  for (std::size_t i = 0; i < outputs_.size(); ++i)
    outputs_[i].shape = inference.outputs[i].spec.shape;
  RemoteTimes times;
  times.transport = (asked - begun) + (Clock::now() - ran);
  inference.remote = times;
  return inference;
}

std::vector<std::chrono::nanoseconds> KenningSession::device_times() {
  const std::size_t count = std::exchange(untimed_, 0);
  if (!gives_times_ || count == 0) return {};
  const std::lock_guard lock(server_->exchange());
  // After a reconnection, the server's statistics may belong to another session.
  if (server_->model_of() != number_) return {};
  auto answer = server_->ask(Type::kStatistics, {}, kStatisticsLimit);
  auto times = answer ? inference_times(*answer) : std::vector<std::chrono::nanoseconds>{};
  if (times.size() >= count) {
    times.erase(times.begin(), times.end() - static_cast<std::ptrdiff_t>(count));
    return times;
  }
  gives_times_ = false;
  warnings_.push_back(
      "the times include the network: the server's STATS do not report the time of each "
      "inference, so the time of the whole PROCESS exchange is used");
  return {};
}

Result<Iterations> KenningSession::repeat(const std::vector<TensorView>& inputs,
                                          const RepeatOptions& options, const Control& control) {
  Iterations all;
  const auto begun = Clock::now();
  while (all.iterations.size() < options.count && !all.stopped) {
    const auto elapsed = Clock::now() - begun;
    if (!all.iterations.empty() && elapsed >= options.duration) break;
    RepeatOptions part = options;
    // The engine runs elsewhere, so this process cannot measure its threads.
    part.scheduling = false;
    part.count = std::min(kMostUntimed, options.count - all.iterations.size());
    part.duration -= std::min<std::chrono::nanoseconds>(elapsed, options.duration);
    untimed_ = 0;
    const std::size_t before = all.iterations.size();
    const auto progress = [&](std::size_t done, std::size_t, const std::string& unit) {
      if (control.progress) control.progress(before + done, options.count, unit);
    };
    EP_TRY(auto some, Session::repeat(inputs, part, {control.stop, progress}));
    const auto times = device_times();
    for (std::size_t i = 0; i < some.iterations.size(); ++i) {
      Iteration& iteration = some.iterations[i];
      iteration.start += elapsed;
      if (times.size() == some.iterations.size()) iteration.latency = times[i];
      all.iterations.push_back(std::move(iteration));
    }
    all.stopped = some.stopped;
  }
  all.no_scheduling = "the engine runs on a server of Kenning";
  return all;
}

}  // namespace edgeprobe::engine::kenning
