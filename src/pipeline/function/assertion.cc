// SPDX-License-Identifier: Apache-2.0
#include "pipeline/function/assertion.h"

#include <utility>

#include "core/text.h"
#include "engine/child.h"
#include "engine/on_behalf.h"
#include "engine/wire.h"

namespace edgeprobe::pipeline {
namespace {

using engine::wire::Reader;
using engine::wire::Step;
using engine::wire::Writer;

constexpr std::size_t kLongestText = 1000;

Error nonsense() { return {ErrorKind::kTarget, "its process sent an invalid answer"}; }

}  // namespace

struct UserAssertion::State {
  AssertionSpec spec;
  std::unique_ptr<engine::Child> child;
  std::uint64_t frames = 0;

  Result<Bytes> call(Step step, ByteView body, const Control& control) {
    const engine::OnBehalf user({-1, control.stop});
    auto reply = child->call(step, body, -1, spec.limit, "");
    // Sentences about a process begin with the step, which has no name here.
    if (!reply && reply.error().what.starts_with(": ")) reply.error().what.erase(0, 2);
    return reply;
  }
};

Result<std::unique_ptr<UserAssertion>> UserAssertion::start(const AssertionSpec& spec,
                                                            const Control& control) {
  auto state = std::make_unique<State>();
  state->spec = spec;
  EP_TRY(state->child,
         engine::Child::start_plugin("assertion", spec.interpreter, engine::Child::Prints::kShown));
  Writer request;
  for (const std::string& text : {spec.file.string(), spec.function, spec.trace.string()})
    request.text(text);
  EP_TRY(const auto opened, state->call(Step::kOpen, request.bytes(), control));
  Reader in(opened);
  state->frames = in.number<std::uint64_t>();
  if (!in.ok()) return nonsense();
  return std::unique_ptr<UserAssertion>(new UserAssertion(std::move(state)));
}

UserAssertion::UserAssertion(std::unique_ptr<State> state) : state_(std::move(state)) {}
UserAssertion::~UserAssertion() = default;
std::uint64_t UserAssertion::frames() const { return state_->frames; }

Result<Judgement> UserAssertion::judge(std::uint64_t index, const Control& control) {
  Writer request;
  request.number(index);
  EP_TRY(const auto reply, state_->call(Step::kSample, request.bytes(), control));
  Reader in(reply);
  Judgement judgement;
  judgement.frame = in.number<std::uint32_t>();
  judgement.state = static_cast<Judgement::State>(in.number<std::uint8_t>());
  judgement.sample = sanitized(in.text(), kLongestText);
  judgement.why = sanitized(in.text(), kLongestText);
  if (!in.ok() || judgement.state > Judgement::State::kError) return nonsense();
  return judgement;
}

}  // namespace edgeprobe::pipeline
