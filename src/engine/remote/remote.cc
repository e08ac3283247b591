// SPDX-License-Identifier: Apache-2.0
#include "engine/remote/remote.h"

#include <algorithm>
#include <utility>

#include "core/file.h"
#include "core/text.h"
#include "engine/inputs.h"
#include "engine/kenning/kenning.h"
#include "engine/kinds.h"
#include "engine/remote/link.h"
#include "engine/repeat_in_parts.h"
#include "model/graph.h"
#include "model/state.h"

namespace edgeprobe::engine {
namespace {

using namespace std::chrono_literals;
using protocol::ExtensionKind;

/// How long a device may be away: a reboot, a cable.
constexpr auto kReconnectPatience = 60s;
constexpr auto kAnswerLimit = 30s;
constexpr std::size_t kUploadPart = std::size_t{1} << 20;

Bytes hash_bytes(const std::string& hex) {
  Bytes bytes;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2)
    bytes.push_back(static_cast<std::byte>(std::stoi(hex.substr(i, 2), nullptr, 16)));
  return bytes;
}

/// A model and how it is to be loaded: enough to load it again.
struct Recall {
  Bytes model;
  Bytes sha256;
  std::string label;
  SessionOptions options;
  std::string state;  ///< The tensor that keeps a state; "" for none.
};

/// A model in the server's memory, whatever of it was there already.
std::optional<CallError> upload(Link& link, std::uint64_t epoch, const Recall& recall) {
  wire::Writer offer;
  offer.append(recall.sha256);
  offer.number<std::uint64_t>(recall.model.size());
  auto answer = link.call(epoch, ExtensionKind::kOffer, offer.bytes(), {}, kAnswerLimit);
  const std::size_t part = std::min<std::uint64_t>(kUploadPart, link.longest_message() / 2 + 1);
  for (std::uint64_t before = 0, first = 1;; first = 0) {
    if (auto* const problem = std::get_if<CallError>(&answer)) return std::move(*problem);
    wire::Reader in(std::get<Bytes>(answer));
    const std::uint64_t here = in.u64();
    // One that takes nothing would be asked for ever.
    if (!in.ok() || here > recall.model.size() || (first == 0 && here <= before))
      return CallError{{ErrorKind::kTarget, "the server's answer makes no sense"}, false};
    if (here == recall.model.size()) return std::nullopt;
    before = here;
    const ByteView all(recall.model);
    const auto at = static_cast<std::size_t>(here);
    wire::Writer fields;
    fields.append(recall.sha256);
    fields.number(here);
    answer = link.call(epoch, ExtensionKind::kUpload, fields.bytes(),
                       all.sub(at, std::min(part, all.size - at)), kAnswerLimit);
  }
}

/// A session on the server.
struct Loading {
  std::uint32_t number = 0;
  std::string engine;  ///< SHA-256 of its library.
  wire::Loaded loaded;
};
std::variant<Loading, CallError> load_on(Link& link, std::uint64_t epoch, const Recall& recall) {
  if (auto problem = upload(link, epoch, recall)) return std::move(*problem);
  wire::Writer fields;
  fields.append(recall.sha256);
  fields.text(recall.label);
  wire::write(fields, recall.options);
  auto answer = link.call(epoch, ExtensionKind::kLoad, fields.bytes(), {},
                          recall.options.load_limit + kAnswerLimit);
  if (auto* const problem = std::get_if<CallError>(&answer)) return std::move(*problem);
  wire::Reader in(std::get<Bytes>(answer));
  Loading loading;
  loading.number = in.u32();
  loading.engine = wire::read_identity(in).sha256;
  loading.loaded = wire::read_loaded(in);
  if (!in.ok()) return CallError{{ErrorKind::kTarget, "the server's answer makes no sense"}, false};
  return loading;
}

class RemoteSession final : public Session {
 public:
  RemoteSession(std::shared_ptr<Link> link, std::uint64_t epoch, Recall recall, Loading loading)
      : link_(std::move(link)),
        recall_(std::move(recall)),
        loading_(std::move(loading)),
        epoch_(epoch),
        doing_("running '" + sanitized(recall_.label) + "' on " + link_->address()) {}
  ~RemoteSession() override {
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
    const auto begun = std::chrono::steady_clock::now();
    auto answer = ask(ExtensionKind::kInfer, inputs, [](wire::Writer& fields) {
      fields.number(std::uint32_t{1});  // Samples.
    });
    if (!answer) return std::move(answer).error();
    wire::Reader in(*answer);
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
    const auto all = std::chrono::steady_clock::now() - begun;
    times.transport = std::max<std::chrono::nanoseconds>(all - took - times.queue, 0ns);
    times.engine_process = std::max(took - inference.latency, 0ns);
    inference.remote = times;
    return inference;
  }

  Result<Iterations> repeat(const std::vector<TensorView>& inputs, const RepeatOptions& options,
                            const Control& control) override {
    return repeat_in_parts(options, control, [&](const RepeatOptions& part) -> Result<Iterations> {
      auto answer = ask(ExtensionKind::kRepeat, inputs,
                        [&](wire::Writer& fields) { wire::write(fields, part); });
      if (!answer) return std::move(answer).error();
      wire::Reader in(*answer);
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
  /// A request about this session, with the inputs of a sample. Connects and loads again when the
  /// connection was cut.
  template <class Fields>
  Result<Bytes> ask(ExtensionKind kind, const std::vector<TensorView>& inputs, Fields more) {
    if (auto fit = check_inputs(loading_.loaded.inputs, inputs); !fit)
      return std::move(fit).error();
    joined_.clear();
    for (const TensorView& input : inputs)
      joined_.insert(joined_.end(), input.bytes.begin(), input.bytes.end());
    for (bool again = false;; again = true) {
      wire::Writer fields;
      fields.number(loading_.number);
      more(fields);
      auto answer = link_->call(epoch_, kind, fields.bytes(), joined_,
                                recall_.options.invoke_limit + kAnswerLimit);
      if (auto* const bytes = std::get_if<Bytes>(&answer)) return std::move(*bytes);
      CallError& problem = std::get<CallError>(answer);
      if (!problem.cut || again) return std::move(problem.error).during(doing_);
      if (auto back = load_again(); !back) return std::move(back).error();
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
  std::uint64_t epoch_;  ///< Of the connection that the session is known in.
  std::string doing_;
  Bytes joined_;
};

class RemoteEngine final : public Engine {
 public:
  RemoteEngine(std::shared_ptr<Link> link, EngineIdentity identity)
      : link_(std::move(link)), identity_(std::move(identity)) {}

  const EngineIdentity& identity() const override { return identity_; }

  Result<std::unique_ptr<Session>> load(ByteView model, std::string_view label,
                                        const SessionOptions& options) override {
    const std::string doing = "loading '" + sanitized(label) + "' on " + link_->address();
    if (const EngineKind* const kind = find_kind(identity_.kind))
      if (auto good = check_options(*kind, options); !good) return std::move(good).error();
    Recall recall;
    recall.model = model.copy();
    recall.sha256 = hash_bytes(sha256(model));
    recall.label = label;
    recall.options = options;
    // Data outside the file does not travel; the server says so where a model has any.
    recall.options.folder.clear();
    if (const auto graph = model::read_model(model, label, {}))
      recall.state = model::state_of(*graph);
    std::uint64_t epoch = link_->epoch();
    auto loading = load_on(*link_, epoch, recall);
    if (auto* problem = std::get_if<CallError>(&loading); problem && problem->cut) {
      if (auto back = link_->reconnect(epoch, kReconnectPatience); !back)
        return std::move(back).error().during(doing);
      epoch = link_->epoch();
      loading = load_on(*link_, epoch, recall);
    }
    if (auto* const problem = std::get_if<CallError>(&loading))
      return std::move(problem->error).during(doing);
    if (std::get<Loading>(loading).engine != identity_.sha256)
      return Error{ErrorKind::kTarget, doing + ": the server runs it with another engine than " +
                                           identity_.kind + ", which its HELLO had named"};
    return std::unique_ptr<Session>(std::make_unique<RemoteSession>(
        link_, epoch, std::move(recall), std::move(std::get<Loading>(loading))));
  }

 private:
  std::shared_ptr<Link> link_;
  EngineIdentity identity_;
};

}  // namespace

Result<std::unique_ptr<Engine>> open_remote(const EngineChoice& choice) {
  auto target = address_from_target_text(choice.address);
  if (!target) return std::move(target).error();
  if (target->transport == Transport::kKenning) return open_kenning(choice, *target);
  const EngineKind* const kind = find_kind(choice.kind);
  const std::vector<std::string> formats = kind ? format_names(*kind) : std::vector<std::string>{};
  const std::string format = formats.empty() ? "" : formats.front();
  auto link = Link::open(*target, format);
  if (!link) return std::move(link).error();
  auto host = (*link)->host(format);
  if (!host) return std::move(host).error();
  return std::unique_ptr<Engine>(
      std::make_unique<RemoteEngine>(*std::move(link), std::move(host->identity)));
}

}  // namespace edgeprobe::engine
