// SPDX-License-Identifier: Apache-2.0
#include "engine/remote/session.h"

#include <algorithm>
#include <chrono>
#include <deque>
#include <optional>
#include <string>
#include <utility>

#include "core/text.h"
#include "engine/inputs.h"
#include "engine/pipelined.h"
#include "engine/repeat_in_parts.h"

namespace edgeprobe::engine {
namespace {

using namespace std::chrono_literals;
using protocol::ExtensionKind;

constexpr std::size_t kMostInFlight = 8;
/// Less than a server queues (serve/work_queue.h), so that it keeps reading and neither side blocks
/// the other.
constexpr std::size_t kMostBytesInFlight = std::size_t{16} << 20;

class RemoteSession final : public PipelinedSession {
 public:
  RemoteSession(std::shared_ptr<Link> link, std::uint64_t epoch, Recall recall, Loading loading)
      : link_(std::move(link)),
        recall_(std::move(recall)),
        loading_(std::move(loading)),
        epoch_(epoch),
        doing_("running '" + sanitized(recall_.label) + "' on " + link_->address()) {}
  ~RemoteSession() override {
    abandon();
    wire::Writer fields;
    fields.number(loading_.number);
    (void)link_->call(epoch_, ExtensionKind::kClose, fields.bytes(), {}, kAnswerLimit);
  }

  const std::vector<TensorSpec>& inputs() const override { return loading_.loaded.inputs; }
  const std::vector<TensorSpec>& outputs() const override { return loading_.loaded.outputs; }
  const std::vector<Delegation>& delegations() const override {
    return loading_.loaded.delegations;
  }
  const std::vector<std::string>& warnings() const override { return loading_.loaded.warnings; }

  Result<Inference> infer(const std::vector<TensorView>& inputs) override {
    EP_CHECK(submit(inputs));
    return collect();
  }

  Status submit(const std::vector<TensorView>& inputs) override {
    EP_TRY(auto joined, join(inputs));
    asked_.push_back({std::move(joined), {}, {}});
    auto problem = send(asked_.back());
    if (!problem || problem->cut) return {};
    asked_.pop_back();
    return std::move(problem->error).during(doing_);
  }

  Result<Inference> collect() override {
    for (bool again = false;; again = true) {
      auto answer = link_->receive(epoch_, asked_.front().request, answer_limit());
      auto* const problem = std::get_if<CallError>(&answer);
      if (problem && problem->cut && !again) {
        EP_CHECK(load_again());
        // If sending fails, so does collecting the sample.
        for (Asked& asked : asked_) (void)send(asked);
        continue;
      }
      const auto sent = asked_.front().sent;
      spare_ = std::move(asked_.front().inputs);
      asked_.pop_front();
      if (problem) return std::move(problem->error).during(doing_);
      auto& came = std::get<Answer>(answer);
      auto inference = inference_from(came, sent);
      link_->reuse(std::move(came.message));
      return inference;
    }
  }

  std::size_t most_in_flight() const override {
    std::size_t bytes = 1;
    for (const TensorSpec& input : loading_.loaded.inputs) bytes += input.byte_size().value_or(0);
    return std::clamp<std::size_t>(kMostBytesInFlight / bytes, 1, kMostInFlight);
  }

  void abandon() override {
    for (const Asked& asked : asked_) link_->cancel(epoch_, asked.request);
    asked_.clear();
  }

  Result<Iterations> repeat(const std::vector<TensorView>& inputs, const RepeatOptions& options,
                            const Control& control) override {
    return repeat_in_parts(options, control, [&](const RepeatOptions& part) -> Result<Iterations> {
      EP_TRY(auto answer, ask(ExtensionKind::kRepeat, inputs,
                              [&](wire::Writer& fields) { wire::write(fields, part); }));
      wire::Reader in(answer);
      Iterations some = wire::read_iterations(in);
      if (!in.ok() || some.iterations.empty())
        return Error{ErrorKind::kTarget, doing_ + ": the server's answer makes no sense"};
      return some;
    });
  }

  MemoryUse memory() override {
    wire::Writer fields;
    fields.number(loading_.number);
    auto answer = link_->call(epoch_, ExtensionKind::kMemory, fields.bytes(), {}, kAnswerLimit);
    if (!std::holds_alternative<Bytes>(answer)) return {};
    wire::Reader in(std::get<Bytes>(answer));
    const MemoryUse use = wire::read_memory(in);
    return in.ok() ? use : MemoryUse{};
  }
  std::optional<std::uint64_t> arena() const override {
    return const_cast<RemoteSession*>(this)->memory().arena;
  }

 private:
  /// A sample whose answer has not been collected yet.
  struct Asked {
    Bytes inputs;  ///< For sending it again.
    std::uint32_t request = 0;
    std::chrono::steady_clock::time_point sent;
  };

  std::chrono::milliseconds answer_limit() const {
    return recall_.options.invoke_limit + kAnswerLimit;
  }

  /// The inputs of a sample, concatenated.
  Result<Bytes> join(const std::vector<TensorView>& inputs) {
    EP_CHECK(check_inputs(loading_.loaded.inputs, inputs));
    Bytes joined = std::exchange(spare_, {});
    joined.clear();
    for (const TensorView& input : inputs)
      joined.insert(joined.end(), input.bytes.begin(), input.bytes.end());
    return joined;
  }

  std::optional<CallError> send(Asked& asked) {
    wire::Writer fields;
    fields.number(loading_.number);
    fields.number(std::uint32_t{1});  // Number of samples.
    asked.sent = std::chrono::steady_clock::now();
    auto sent =
        link_->send(epoch_, ExtensionKind::kInfer, fields.bytes(), asked.inputs, answer_limit());
    if (auto* const problem = std::get_if<CallError>(&sent)) return std::move(*problem);
    asked.request = std::get<std::uint32_t>(sent);
    return std::nullopt;
  }

  Result<Inference> inference_from(const Answer& answer,
                                   std::chrono::steady_clock::time_point sent) {
    wire::Reader in(answer.bytes());
    Inference inference;
    RemoteTimes times;
    times.queue = std::chrono::nanoseconds(in.number<std::int64_t>());
    const std::chrono::nanoseconds took(in.number<std::int64_t>());
    wire::read_times(in, inference);
    const std::size_t count = in.count();
    for (std::size_t i = 0; i < count && in.ok(); ++i) {
      Tensor output;
      output.spec = wire::read_spec(in);
      const ByteView bytes = in.blob();
      const auto size = output.spec.byte_size();
      if (size && *size != bytes.size) in.fail();
      output.bytes = bytes.copy();
      inference.outputs.push_back(std::move(output));
    }
    if (!in.ok() || count != loading_.loaded.outputs.size())
      return Error{ErrorKind::kTarget, doing_ + ": the server's answer makes no sense"};
    for (std::size_t i = 0; i < count; ++i)
      loading_.loaded.outputs[i].shape = inference.outputs[i].spec.shape;
    times.transport =
        std::max<std::chrono::nanoseconds>(answer.came - sent - took - times.queue, 0ns);
    times.engine_process = std::max(took - inference.latency, 0ns);
    inference.remote = times;
    return inference;
  }

  /// Sends a request about this session, with the inputs of a sample. Reconnects and reloads if the
  /// connection was lost.
  template <class Fields>
  Result<Bytes> ask(ExtensionKind kind, const std::vector<TensorView>& inputs, Fields more) {
    EP_TRY(auto joined, join(inputs));
    for (bool again = false;; again = true) {
      wire::Writer fields;
      fields.number(loading_.number);
      more(fields);
      auto answer = link_->call(epoch_, kind, fields.bytes(), joined, answer_limit());
      if (auto* const bytes = std::get_if<Bytes>(&answer)) return std::move(*bytes);
      CallError& problem = std::get<CallError>(answer);
      if (!problem.cut || again) return std::move(problem.error).during(doing_);
      EP_CHECK(load_again());
    }
  }

  Status load_again() {
    if (!recall_.state.empty())
      return Error{ErrorKind::kTarget,
                   doing_ + ": the connection was cut, and the model's state in '" +
                       sanitized(recall_.state, 60) + "' was lost with it; start again"};
    if (auto back = link_->reconnect(epoch_, kReconnectPatience); !back)
      return std::move(back).error().during(doing_);
    const std::uint64_t epoch = link_->epoch();
    auto loading = load_on(*link_, epoch, recall_);
    if (auto* const problem = std::get_if<CallError>(&loading))
      return std::move(problem->error).during(doing_);
    if (std::get<Loading>(loading).engine != loading_.engine)
      return Error{ErrorKind::kTarget,
                   doing_ + ": the server has another engine than before it was cut off"};
    loading_ = std::move(std::get<Loading>(loading));
    epoch_ = epoch;
    return {};
  }

  std::shared_ptr<Link> link_;
  Recall recall_;
  Loading loading_;
  std::uint64_t epoch_;  ///< Epoch of the connection in which the session exists.
  std::string doing_;
  std::deque<Asked> asked_;
  Bytes spare_;  ///< Recycled memory for the inputs of a sample.
};

}  // namespace

std::unique_ptr<Session> remote_session(std::shared_ptr<Link> link, std::uint64_t epoch,
                                        Recall recall, Loading loading) {
  return std::make_unique<RemoteSession>(std::move(link), epoch, std::move(recall),
                                         std::move(loading));
}

}  // namespace edgeprobe::engine
