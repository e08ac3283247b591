// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>

#include "core/text.h"
#include "engine/child.h"
#include "engine/engine.h"
#include "engine/fetch/pin.h"
#include "engine/inputs.h"
#include "engine/kinds.h"
#include "engine/library_choice.h"
#include "engine/plugin_name.h"
#include "engine/remote/remote.h"
#include "engine/repeat_in_parts.h"
#include "process/shared_memory.h"

namespace edgeprobe::engine {
namespace {

using namespace std::chrono_literals;
/// Opening a library only runs its constructors.
constexpr auto kOpenLimit = 30s;

/// Idle processes for sessions that may share one. Outlives engine and sessions.
struct IdleChildren {
  std::vector<std::unique_ptr<Child>> idle;

  void take_back(std::unique_ptr<Child> child) {
    constexpr std::size_t kMost = 2;
    if (child && child->alive() && idle.size() < kMost) idle.push_back(std::move(child));
  }
};

/// Advice after an engine crashed or could not run a model: other engines for such files.
std::string other_engines(const std::string& name) {
  const EngineKind* const kind = find_kind(name);
  std::vector<std::string> others;
  for (const EngineKind& other : engine_kinds()) {
    const auto opens_both = [&](const FormatKind& format) {
      return kind && kind->opens(format.id) && other.opens(format.id);
    };
    if (kind && other.id != kind->id && !other.planned &&
        std::any_of(file_formats().begin(), file_formats().end(), opens_both))
      others.push_back("--engine " + std::string(other.name));
  }
  return others.empty() ? "" : "; another engine may run the file: " + listed(others);
}

Error advised(const Child& child, const std::string& engine, Error error) {
  const bool failed = child.alive() && error.kind == ErrorKind::kTarget;
  if (child.crashed() || failed) error.what += other_engines(engine);
  return error;
}

/// A session whose engine is in another process: its own, or one that it returns for reuse.
class SupervisedSession final : public Session {
 public:
  SupervisedSession(std::unique_ptr<Child> child, std::shared_ptr<IdleChildren> home,
                    wire::Loaded loaded, process::SharedMemory arena, std::string engine,
                    std::string doing, std::chrono::milliseconds limit)
      : child_(std::move(child)),
        home_(std::move(home)),
        loaded_(std::move(loaded)),
        arena_(std::move(arena)),
        slots_(wire::arena_for(loaded_.inputs, loaded_.outputs)),
        engine_(std::move(engine)),
        doing_(std::move(doing)),
        limit_(limit) {}
  ~SupervisedSession() override {
    if (home_) home_->take_back(std::move(child_));
  }

  const std::vector<TensorSpec>& inputs() const override { return loaded_.inputs; }
  const std::vector<TensorSpec>& outputs() const override { return loaded_.outputs; }
  const std::vector<Delegation>& delegations() const override { return loaded_.delegations; }
  const std::vector<std::string>& warnings() const override { return loaded_.warnings; }
  const std::vector<LayerResult>& layers() const override { return loaded_.layers; }
  Memory remembers() const override { return loaded_.memory; }

  Result<Inference> infer(const std::vector<TensorView>& inputs) override {
    EP_CHECK(put_inputs(inputs));
    auto reply = child_->call(wire::Step::kInfer, {}, -1, limit_, doing_, wire::kLongestResult);
    if (!reply) return advised(*child_, engine_, std::move(reply).error());
    wire::Reader in(*reply);
    Inference inference;
    wire::read_times(in, inference);
    for (std::size_t i = 0; i < slots_.outputs.size(); ++i) {
      const wire::Slot& slot = slots_.outputs[i];
      Tensor output;
      output.spec = wire::read_spec(in);
      loaded_.outputs[i].shape = output.spec.shape;
      const bool shared = in.number<std::uint8_t>() != 0;
      const ByteView bytes = shared ? arena_.view().sub(slot.offset, slot.length) : in.blob();
      const auto size = output.spec.byte_size();
      const Shape& shape = output.spec.shape;
      const bool is_open =
          std::any_of(shape.begin(), shape.end(), [](std::int64_t side) { return side < 0; });
      if (!in.ok() || is_open || (size && *size != bytes.size))
        return Error{ErrorKind::kTarget, doing_ + ": the engine process sent an invalid answer"};
      output.bytes = bytes.copy();
      inference.outputs.push_back(std::move(output));
    }
    return inference;
  }

  std::byte* input_memory(std::size_t index) override {
    return slots_.inputs.at(index).length > 0 ? arena_.data() + slots_.inputs[index].offset
                                              : nullptr;
  }

  Result<Iterations> repeat(const std::vector<TensorView>& inputs, const RepeatOptions& options,
                            const Control& control) override {
    EP_CHECK(put_inputs(inputs));
    return repeat_in_parts(options, control, [&](const RepeatOptions& part) -> Result<Iterations> {
      wire::Writer request;
      wire::write(request, part);
      // The last inference of a part may begin just before its time is over.
      EP_TRY(auto reply, child_->call(wire::Step::kRepeat, request.bytes(), -1, limit_, doing_,
                                      wire::kLongestResult, kRepeatPart));
      wire::Reader in(reply);
      Iterations some = wire::read_iterations(in);
      if (!in.ok() || some.iterations.empty())
        return Error{ErrorKind::kTarget, doing_ + ": the engine process sent an invalid answer"};
      return some;
    });
  }

  MemoryUse memory() override {
    auto reply = child_->call(wire::Step::kMemory, {}, -1, kOpenLimit, doing_);
    if (!reply) return {};
    wire::Reader in(*reply);
    const MemoryUse use = wire::read_memory(in);
    return in.ok() ? use : MemoryUse{};
  }
  std::optional<std::uint64_t> arena() const override {
    return const_cast<SupervisedSession*>(this)->memory().arena;
  }

 private:
  Status put_inputs(const std::vector<TensorView>& inputs) {
    EP_CHECK(check_inputs(loaded_.inputs, inputs));
    for (std::size_t i = 0; i < inputs.size(); ++i)
      if (inputs[i].bytes.size > 0 && inputs[i].bytes.data != input_memory(i))
        std::memcpy(arena_.data() + slots_.inputs[i].offset, inputs[i].bytes.data,
                    inputs[i].bytes.size);
    return {};
  }

  std::unique_ptr<Child> child_;
  std::shared_ptr<IdleChildren> home_;  ///< Null: the process stops with the session.
  wire::Loaded loaded_;
  process::SharedMemory arena_;
  wire::Arena slots_;
  std::string engine_, doing_;
  std::chrono::milliseconds limit_;
};

class SupervisedEngine final : public Engine {
 public:
  SupervisedEngine(EngineChoice choice, EngineIdentity identity, Startup startup,
                   std::unique_ptr<Child> spare)
      : choice_(std::move(choice)),
        identity_(std::move(identity)),
        startup_(startup),
        spare_(std::move(spare)) {}

  const EngineIdentity& identity() const override { return identity_; }
  std::optional<Startup> startup() const override { return startup_; }

  Result<std::unique_ptr<Session>> load(ByteView model, std::string_view label,
                                        const SessionOptions& options) override {
    // Checked before a process is started, which would return the same error.
    if (const EngineKind* kind = find_kind(choice_.kind)) EP_CHECK(check_options(*kind, options));
    const std::string in_engine =
        "'" + sanitized(label) + "' in " + identity_.kind + " " + identity_.version;
    EP_TRY(auto child, idle_child(options.shared_process));
    // Only until it is loaded: the engine has its own copy then.
    EP_TRY(auto memory, process::SharedMemory::create(model.size, "edgeprobe model"));
    if (model.size > 0) std::memcpy(memory.data(), model.data, model.size);
    wire::Writer request;
    request.text(label);
    request.number<std::uint64_t>(model.size);
    wire::write(request, options);
    auto reply = child->call(wire::Step::kLoad, request.bytes(), memory.descriptor(),
                             options.load_limit, "loading " + in_engine);
    if (!reply) {
      Error error = advised(*child, identity_.kind, std::move(reply).error());
      if (options.shared_process) shared_->take_back(std::move(child));
      return error;
    }
    wire::Reader in(*reply);
    wire::Loaded loaded = wire::read_loaded(in);
    if (!in.ok())
      return Error{ErrorKind::kTarget,
                   "loading " + in_engine + ": the engine process sent an invalid answer"};

    if (const std::string note = untried_note(identity_); !note.empty())
      loaded.warnings.insert(loaded.warnings.begin(), note);

    const wire::Arena slots = wire::arena_for(loaded.inputs, loaded.outputs);
    EP_TRY(auto arena, process::SharedMemory::create(slots.size, "edgeprobe tensors"));
    wire::Writer attach;
    attach.number<std::uint64_t>(slots.size);
    EP_CHECK(child->call(wire::Step::kArena, attach.bytes(), arena.descriptor(), kOpenLimit,
                         "preparing " + in_engine));
    return std::unique_ptr<Session>(std::make_unique<SupervisedSession>(
        std::move(child), options.shared_process ? shared_ : nullptr, std::move(loaded),
        std::move(arena), identity_.kind, "running " + in_engine, options.invoke_limit));
  }

  static Result<std::unique_ptr<Child>> start(const EngineChoice& choice, EngineIdentity& identity,
                                              Startup& startup) {
    const auto begin = std::chrono::steady_clock::now();
    auto child = Child::start(choice);
    if (!child) return child;
    const auto started = std::chrono::steady_clock::now();
    wire::Writer request;
    wire::write(request, choice);
    const bool is_plugin = find_kind(choice.kind) && find_kind(choice.kind)->plugged;
    EP_TRY(auto reply, (*child)->call(wire::Step::kOpen, request.bytes(), -1,
                                      is_plugin ? kImportLimit : kOpenLimit,
                                      (is_plugin ? "opening plug-in '" : "opening library '") +
                                          sanitized(choice.library.string(), 300) + "'"));
    startup.process = started - begin;
    startup.open = std::chrono::steady_clock::now() - started;
    wire::Reader in(reply);
    identity = wire::read_identity(in);
    // Some libraries do not report their version; the pin with their hash does. Builds for other
    // processors were never tested.
    constexpr std::string_view kUnknown = "unknown";
    for (const Pin& pin : pins())
      if (identity.sha256 == pin.library_sha256 && identity.version.starts_with(kUnknown))
        identity.version.replace(0, kUnknown.size(), pin.version);
    if (!in.ok()) return Error{ErrorKind::kTarget, "the engine process sent an invalid answer"};
    if (is_plugin) EP_CHECK(check_plugin_name(identity.kind, identity.library));
    return child;
  }

 private:
  /// The process that opened the library serves the first session; later ones get their own, unless
  /// they share.
  Result<std::unique_ptr<Child>> idle_child(bool shared) {
    // An idle process may have been killed meanwhile, for example for lack of memory.
    while (shared && !shared_->idle.empty()) {
      auto child = std::move(shared_->idle.back());
      shared_->idle.pop_back();
      if (child->alive()) return child;
    }
    if (auto child = std::move(spare_); child && child->alive()) return child;
    EngineIdentity identity;
    Startup unused;
    auto child = start(choice_, identity, unused);
    if (child && identity.sha256 != identity_.sha256)
      return Error{ErrorKind::kTarget, "library '" + sanitized(choice_.library.string(), 300) +
                                           "' changed while it was in use; start again"};
    return child;
  }

  EngineChoice choice_;
  EngineIdentity identity_;
  Startup startup_;
  std::unique_ptr<Child> spare_;
  std::shared_ptr<IdleChildren> shared_ = std::make_shared<IdleChildren>();
};

}  // namespace

Result<std::unique_ptr<Engine>> open_supervised(const EngineChoice& choice) {
  if (!choice.address.empty()) return open_remote(choice);
  EP_TRY(const auto library, library_of(choice));
  EngineChoice found = choice;
  std::error_code ignored;
  const EngineKind* const kind = find_kind(choice.kind);
  // A plug-in may be the name of an installed one.
  found.library = kind && kind->plugged ? library : std::filesystem::absolute(library, ignored);
  EngineIdentity identity;
  Startup startup;
  EP_TRY(auto child, SupervisedEngine::start(found, identity, startup));
  return std::unique_ptr<Engine>(std::make_unique<SupervisedEngine>(
      std::move(found), std::move(identity), startup, std::move(child)));
}

}  // namespace edgeprobe::engine
