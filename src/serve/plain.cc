// SPDX-License-Identifier: Apache-2.0
#include "serve/plain.h"

#include <cstring>
#include <thread>
#include <utility>

#include "core/text.h"
#include "protocol/reply.h"
#include "protocol/serial.h"
#include "serve/quantize.h"

namespace edgeprobe::serve {
namespace {

using protocol::Generation;
using protocol::Reply;
using protocol::Type;

/// Time limit for a g2 client's next request; a g1 client waits for the second OK.
constexpr std::chrono::milliseconds kSecondOkWait{100};

Error no_such(const std::string& what) { return {ErrorKind::kUsage, what}; }

}  // namespace

Status PlainRequests::handle(protocol::Message message) {
  const protocol::Header& request = message.header;
  if (request.flow != protocol::Flow::kRequest)
    return peer_.fail(request, std::string(protocol::name(request.type)) +
                                   " came as an answer; a client sends requests");
  switch (request.type) {
    case Type::kIoSpec: return answer(request, read_specification(message.bytes()));
    case Type::kModel: return answer(request, load(std::move(message.payload)));
    case Type::kData: return answer(request, take_inputs(message));
    case Type::kProcess: return process(request);
    case Type::kOutput: return answer_with(request, outputs());
    case Type::kStatistics: return answer_with(request, statistics());
    case Type::kOptimizers:
    case Type::kOptimizeModel:
    case Type::kUnoptimizedModel:
      return peer_.fail(request,
                        "this server runs models and compiles none; optimise on the host "
                        "('edgeprobe convert') and send the result as MODEL");
    case Type::kRuntime:
      return peer_.fail(request,
                        "the engine is the operator's choice (serve --engine); a client "
                        "cannot bring its own");
    case Type::kUnknown:
      return peer_.fail(request, "a request of type " + std::to_string(request.number) +
                                     " is not known to " + protocol::name(peer_.generation()));
    default:
      return peer_.fail(request, std::string(protocol::name(request.type)) +
                                     " is not a request that a server accepts");
  }
}

Status PlainRequests::answer(const protocol::Header& request, const Status& done) {
  if (!done) return peer_.fail(request, done.error().what);
  return peer_.send(Reply::success(request.type, peer_.generation()).message());
}

Status PlainRequests::answer_with(const protocol::Header& request, const Result<Bytes>& data) {
  if (!data) return peer_.fail(request, data.error().what);
  return peer_.send(Reply::success(request.type, peer_.generation(), *data).message());
}

Bytes PlainRequests::statistics() {
  if (!peer_.is_on_serial_line()) return view_of(statistics_.to_json()).copy();
  const engine::MemoryUse memory = session_ ? session_->memory() : engine::MemoryUse{};
  return protocol::figures_to_serial(statistics_.figures(memory.peak), peer_.generation());
}

Status PlainRequests::read_specification(ByteView payload) {
  EP_TRY(specification_, peer_.is_on_serial_line()
                             ? protocol::io_spec_from_serial(payload, peer_.generation())
                             : protocol::io_spec_from_json(payload.text()));
  if (!session_) return {};
  const Status fits = place_tensors(*session_);
  if (fits) return {};
  // Kenning sends the next model's specification before the model. Without one, DATA fails.
  session_.reset();
  return peer_.log("[WARNING] the specification does not fit the model that is loaded (" +
                   fits.error().what + "); it is taken for that of the next MODEL");
}

Status PlainRequests::load(Bytes model) {
  if (model.empty())
    return no_such("MODEL without a payload: no model is on this server beforehand; send one");
  model_ = std::move(model);
  session_.reset();
  input_.clear();
  output_.clear();
  input_in_place_ = false;
  return have_session();
}

Status PlainRequests::have_session() {
  if (session_) return {};
  if (model_.empty()) return no_such("no model is loaded; MODEL has to come first");
  auto session = device_.load(model_, "the client's model", device_.options().session);
  if (!session) {
    model_ = {};
    return std::move(session).error();
  }
  EP_CHECK(place_tensors(**session));
  input_.clear();
  output_.clear();
  input_in_place_ = false;
  for (const std::string& warning : (*session)->warnings())
    EP_CHECK(peer_.log("[WARNING] " + warning));
  session_ = *std::move(session);
  return {};
}

Status PlainRequests::place_tensors(const engine::Session& session) {
  const protocol::IoSpec none;
  const protocol::IoSpec& theirs = specification_ ? *specification_ : none;
  EP_TRY(auto inputs, places_of(theirs.inputs, session.inputs(), "inputs"));
  EP_TRY(auto outputs, places_of(theirs.outputs, session.outputs(), "outputs"));
  inputs_ = std::move(inputs);
  outputs_ = std::move(outputs);
  return {};
}

std::byte* PlainRequests::place(const protocol::Header& header) {
  if (!session_ || header.type != Type::kData || session_->inputs().size() != 1) return nullptr;
  if (header.flow != protocol::Flow::kRequest) return nullptr;
  const auto floats = floats_in(header.payload, inputs_, outputs_, session_->inputs());
  if (!floats || travels_as_float(inputs_[0], session_->inputs()[0], *floats)) return nullptr;
  return session_->input_memory(0);
}

Status PlainRequests::take_inputs(const protocol::Message& message) {
  input_.clear();
  output_.clear();
  input_in_place_ = false;
  EP_CHECK(have_session());
  const std::vector<TensorSpec>& specs = session_->inputs();
  const ByteView payload = message.bytes();
  const auto floats = floats_in(payload.size, inputs_, outputs_, specs);
  if (!floats) {
    std::size_t size = 0;
    for (const TensorSpec& spec : specs) size += wire_bytes(spec, false);
    return no_such("DATA has " + std::to_string(payload.size) + " bytes; the model's inputs take " +
                   std::to_string(size) + ": " + described(specs));
  }
  floats_ = *floats;
  input_in_place_ = message.placed != nullptr;
  if (input_in_place_) return {};
  std::vector<Tensor> inputs(specs.size());
  ByteView rest = payload;
  for (const TensorPlace& place : inputs_) {
    const TensorSpec& spec = specs[place.index];
    Tensor& input = inputs[place.index];
    input.spec = spec;
    const bool as_float = travels_as_float(place, spec, floats_);
    const ByteView values = rest.sub(0, wire_bytes(spec, as_float));
    rest = rest.sub(values.size, rest.size - values.size);
    input.bytes.resize(wire_bytes(spec, false));
    if (as_float) {
      EP_CHECK(quantize(values, spec, input.bytes.data()));
    } else if (values.size > 0) {
      std::memcpy(input.bytes.data(), values.data, values.size);
    }
  }
  input_ = std::move(inputs);
  return {};
}

Status PlainRequests::infer() {
  EP_CHECK(have_session());
  if (input_.empty() && !input_in_place_)
    return no_such("PROCESS has no input; DATA has to come first");
  std::vector<TensorView> views;
  for (const Tensor& input : input_) views.emplace_back(input);
  if (input_in_place_) {
    const TensorSpec& spec = session_->inputs()[0];
    views.emplace_back(spec, ByteView(session_->input_memory(0), spec.byte_size().value_or(0)));
  }
  auto inference = session_->infer(views);
  if (!inference) {
    output_.clear();
    input_.clear();
    input_in_place_ = false;
    // The engine's process is gone or unreliable; the next request starts another one.
    session_.reset();
    return std::move(inference).error();
  }
  output_ = std::move(inference->outputs);
  statistics_.add_inference(inference->latency);
  return {};
}

Status PlainRequests::process(const protocol::Header& request) {
  const Generation generation = peer_.generation();
  if (!protocol::is_plain(generation)) return answer(request, infer());
  if (!peer_.is_detected())
    replies_ = generation == Generation::kG1 ? ProcessReplies::kTwo : ProcessReplies::kOne;
  const auto ok = Reply::success(request.type, generation).message();
  if (replies_ == ProcessReplies::kTwo) {
    const auto first = std::chrono::steady_clock::now();
    EP_CHECK(peer_.send(ok));
    const Status done = infer();
    std::this_thread::sleep_until(first + device_.options().ok_gap);
    return answer(request, done);
  }
  const Status done = infer();
  if (auto sent = answer(request, done); !sent || !done) return sent;
  if (replies_ == ProcessReplies::kOne) return {};
  // g1 and g2 look alike up to here: a g1 client waits for a second OK.
  replies_ = peer_.says_more(kSecondOkWait) ? ProcessReplies::kOne : ProcessReplies::kTwo;
  return replies_ == ProcessReplies::kTwo ? peer_.send(ok) : Status();
}

Result<Bytes> PlainRequests::outputs() {
  if (output_.empty())
    return no_such("there is no output; send DATA first, then PROCESS, which must succeed");
  Bytes bytes;
  for (const TensorPlace& place : outputs_) {
    const Tensor& output = output_.at(place.index);
    if (!travels_as_float(place, output.spec, floats_) || output.spec.quantization.empty()) {
      bytes.insert(bytes.end(), output.bytes.begin(), output.bytes.end());
      continue;
    }
    EP_TRY(const auto values, to_float(output));
    const Tensor real = make_tensor("", output.spec.shape, values);
    bytes.insert(bytes.end(), real.bytes.begin(), real.bytes.end());
  }
  return bytes;
}

}  // namespace edgeprobe::serve
