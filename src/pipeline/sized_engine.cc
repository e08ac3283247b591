// SPDX-License-Identifier: Apache-2.0
#include "pipeline/sized_engine.h"

#include <algorithm>
#include <optional>

namespace edgeprobe::pipeline {
namespace {

bool allows(const Shape& open, const Shape& given) {
  return std::equal(
      open.begin(), open.end(), given.begin(), given.end(),
      [](std::int64_t may, std::int64_t is) { return may == is || (may < 0 && is > 0); });
}

class SizedSession : public engine::Session {
 public:
  SizedSession(engine::Engine& engine, const OpenShapes& open, ByteView model, bool lasts,
               std::string_view label, engine::SessionOptions options,
               std::unique_ptr<engine::Session> session)
      : engine_(engine),
        open_(open),
        kept_(lasts ? std::nullopt : std::optional(model.copy())),
        model_(kept_ ? ByteView(*kept_) : model),
        label_(label),
        options_(std::move(options)) {
    take(std::move(session));
  }

  const std::vector<TensorSpec>& inputs() const override { return inputs_; }
  const std::vector<TensorSpec>& outputs() const override { return outputs_; }
  const std::vector<engine::Delegation>& delegations() const override {
    return session_->delegations();
  }
  const std::vector<std::string>& warnings() const override { return session_->warnings(); }

  Result<engine::Inference> infer(const std::vector<TensorView>& inputs) override {
    EP_CHECK(size_for(inputs));
    auto made = session_->infer(inputs);
    outputs_ = session_->outputs();
    return made;
  }
  std::byte* input_memory(std::size_t index) override { return session_->input_memory(index); }
  Result<std::unique_ptr<engine::Binding>> bind(
      const std::vector<engine::Place>& inputs,
      const std::vector<engine::Place>& outputs) override {
    return session_->bind(inputs, outputs);
  }
  Result<engine::Iterations> repeat(const std::vector<TensorView>& inputs,
                                    const engine::RepeatOptions& options,
                                    const Control& control) override {
    EP_CHECK(size_for(inputs));
    return session_->repeat(inputs, options, control);
  }
  engine::MemoryUse memory() override { return session_->memory(); }
  std::optional<std::uint64_t> arena() const override { return session_->arena(); }

  Status size_for(const std::vector<TensorView>& inputs) {
    bool other = false;
    for (std::size_t i = 0; i < inputs.size() && i < inputs_.size(); ++i) {
      if (!inputs[i].spec || inputs[i].spec->shape == inputs_[i].shape) continue;
      const auto open = open_.find(inputs_[i].name);
      // The session refuses this shape with its own message.
      if (open == open_.end() || !allows(open->second, inputs[i].spec->shape)) return {};
      other = true;
    }
    if (!other || inputs.size() != inputs_.size()) return {};
    engine::SessionOptions options = options_;
    for (std::size_t i = 0; i < inputs.size(); ++i)
      if (open_.count(inputs_[i].name))
        options.input_shapes[inputs_[i].name] = inputs[i].spec->shape;
    EP_TRY(auto session, engine_.load(model_, label_, options));
    options_ = std::move(options);
    take(std::move(session));
    return {};
  }

 private:
  // Callers hold references to the lists of specs, so these keep their addresses.
  void take(std::unique_ptr<engine::Session> session) {
    session_ = std::move(session);
    inputs_ = session_->inputs();
    outputs_ = session_->outputs();
  }

  engine::Engine& engine_;
  const OpenShapes& open_;
  std::optional<Bytes> kept_;
  ByteView model_;
  std::string label_;
  engine::SessionOptions options_;
  std::unique_ptr<engine::Session> session_;
  std::vector<TensorSpec> inputs_, outputs_;
};

class SizedEngine : public engine::Engine {
 public:
  SizedEngine(std::unique_ptr<engine::Engine> engine, OpenShapes open, ByteView lasting)
      : engine_(std::move(engine)), open_(std::move(open)), lasting_(lasting) {}

  const engine::EngineIdentity& identity() const override { return engine_->identity(); }
  std::optional<engine::Startup> startup() const override { return engine_->startup(); }
  Result<std::unique_ptr<engine::Session>> load(ByteView model, std::string_view label,
                                                const engine::SessionOptions& options) override {
    EP_TRY(auto session, engine_->load(model, label, options));
    const auto is_open = [&](const TensorSpec& input) { return open_.count(input.name) > 0; };
    if (std::none_of(session->inputs().begin(), session->inputs().end(), is_open)) return session;
    return std::unique_ptr<engine::Session>(std::make_unique<SizedSession>(
        *engine_, open_, model, model.data == lasting_.data, label, options, std::move(session)));
  }

 private:
  std::unique_ptr<engine::Engine> engine_;
  OpenShapes open_;
  ByteView lasting_;
};

}  // namespace

std::unique_ptr<engine::Engine> sized_engine(std::unique_ptr<engine::Engine> engine,
                                             OpenShapes open, ByteView lasting) {
  if (open.empty()) return engine;
  return std::make_unique<SizedEngine>(std::move(engine), std::move(open), lasting);
}

Status size_for(engine::Session& session, const std::vector<TensorView>& inputs) {
  auto* const one = dynamic_cast<SizedSession*>(&session);
  return one ? one->size_for(inputs) : Status{};
}

TensorSpec sized(const TensorSpec& open, const Shape& given) {
  TensorSpec spec = open;
  Shape shape = given;
  if (shape.size() == open.shape.size() + 1 && shape.front() == 1) shape.erase(shape.begin());
  if (shape.size() + 1 == open.shape.size() && (open.shape.front() == 1 || open.shape.front() < 0))
    shape.insert(shape.begin(), 1);
  if (allows(open.shape, shape)) spec.shape = shape;
  return spec;
}

}  // namespace edgeprobe::pipeline
