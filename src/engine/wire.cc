// SPDX-License-Identifier: Apache-2.0
#include "engine/wire.h"

#include "core/text.h"
#include "engine/inputs.h"
#include "engine/target.h"

namespace edgeprobe::engine::wire {
namespace {

// Further warnings would add nothing.
constexpr std::size_t kMostWarnings = 100;

constexpr std::uint32_t kMagic = 0x31575045;  // "EPW1"

/// Calls `read` as often as the next count in the message, stopping at the first invalid item.
template <class T, class F>
std::vector<T> read_list(Reader& in, F read) {
  std::vector<T> items;
  const std::size_t count = in.count();
  for (std::size_t i = 0; i < count && in.ok(); ++i) items.push_back(read());
  return items;
}

template <class T, class F>
void write_list(Writer& out, const std::vector<T>& items, F write_item) {
  out.number<std::uint64_t>(items.size());
  for (const T& item : items) write_item(item);
}

void write_shape(Writer& out, const Shape& shape) {
  write_list(out, shape, [&](std::int64_t dimension) { out.number(dimension); });
}
/// A text for users.
std::string read_words(Reader& in, std::size_t longest = 160) {
  return sanitized(in.blob().text(), longest);
}
constexpr std::size_t kLongestWarning = 2000;

Shape read_shape(Reader& in) {
  return read_list<std::int64_t>(in, [&] { return in.number<std::int64_t>(); });
}

}  // namespace

std::size_t Reader::count(std::size_t item) {
  const std::uint64_t count = u64();
  if (ok() && count <= rest().size / item) return static_cast<std::size_t>(count);
  fail();
  return 0;
}

Bytes header(Step step, std::uint64_t length) {
  Writer out;
  out.number(kMagic);
  out.number(step);
  out.number(length);
  return std::move(out).bytes();
}

std::optional<Header> read_header(ByteView bytes) {
  Reader in(bytes);
  if (in.number<std::uint32_t>() != kMagic) return std::nullopt;
  Header header;
  header.step = in.number<Step>();
  header.length = in.number<std::uint64_t>();
  return header;
}

void write(Writer& out, const TensorSpec& spec) {
  out.text(spec.name);
  out.number(spec.dtype);
  write_shape(out, spec.shape);
  write_list(out, spec.quantization.scale, [&](float scale) { out.number(scale); });
  write_list(out, spec.quantization.zero_point, [&](std::int64_t zero) { out.number(zero); });
  out.number<std::int32_t>(spec.quantization.axis);
}

TensorSpec read_spec(Reader& in) {
  TensorSpec spec;
  spec.name = in.text();
  const auto dtype = in.number<std::uint8_t>();
  spec.dtype =
      dtype <= static_cast<std::uint8_t>(DType::kOther) ? static_cast<DType>(dtype) : DType::kOther;
  spec.shape = read_shape(in);
  spec.quantization.scale = read_list<float>(in, [&] { return in.number<float>(); });
  spec.quantization.zero_point =
      read_list<std::int64_t>(in, [&] { return in.number<std::int64_t>(); });
  spec.quantization.axis = in.number<std::int32_t>();
  // Users of a spec index zero points by channel.
  const std::size_t zeros = spec.quantization.zero_point.size();
  if (zeros > 1 && zeros != spec.quantization.scale.size()) in.fail();
  return spec;
}

void write(Writer& out, const EngineChoice& choice) {
  TargetUri target;
  target.kind = choice.kind;
  target.library = choice.library;
  out.text(to_string(target));
}

EngineChoice read_choice(Reader& in) {
  // A plug-in's library, too: engine_choice_from_text(), which files use, refuses it.
  auto target = target_from_text(in.blob().text());
  if (!target || target->transport != Transport::kNone) {
    in.fail();
    return {};
  }
  return EngineChoice{std::move(target->kind), std::move(target->library)};
}

void write(Writer& out, const EngineIdentity& identity) {
  out.text(identity.kind);
  out.text(identity.version);
  out.text(identity.library.native());
  out.text(identity.sha256);
  write_list(out, identity.abilities, [&](const std::string& ability) { out.text(ability); });
}

EngineIdentity read_identity(Reader& in) {
  EngineIdentity identity;
  identity.kind = read_words(in);
  identity.version = read_words(in);
  identity.library = in.text();
  identity.sha256 = read_words(in);
  identity.abilities = read_list<std::string>(in, [&] { return read_words(in); });
  return identity;
}

void write(Writer& out, const SessionOptions& options) { out.text(to_json(options)); }

SessionOptions read_options(Reader& in) {
  auto options = session_options_from_json(in.blob().text());
  if (!options) in.fail();
  return options ? *std::move(options) : SessionOptions{};
}

void write(Writer& out, const Session& session) {
  write_list(out, session.inputs(), [&](const TensorSpec& spec) { write(out, spec); });
  write_list(out, session.outputs(), [&](const TensorSpec& spec) { write(out, spec); });
  write_list(out, session.delegations(), [&](const Delegation& delegation) {
    out.text(delegation.delegate);
    out.number<std::int32_t>(delegation.ops_taken);
    out.number<std::int32_t>(delegation.ops_total);
    write_list(out, delegation.ops, [&](int op) { out.number<std::int32_t>(op); });
  });
  write_list(out, session.warnings(), [&](const std::string& warning) { out.text(warning); });
  write_list(out, session.layers(), [&](const LayerResult& layer) {
    write(out, layer.spec);
    out.text(layer.type);
  });
  out.number(session.remembers());
}

Loaded read_loaded(Reader& in) {
  Loaded loaded;
  loaded.inputs = read_list<TensorSpec>(in, [&] { return read_spec(in); });
  loaded.outputs = read_list<TensorSpec>(in, [&] { return read_spec(in); });
  loaded.delegations = read_list<Delegation>(in, [&] {
    Delegation delegation;
    delegation.delegate = read_words(in);
    delegation.ops_taken = in.number<std::int32_t>();
    delegation.ops_total = in.number<std::int32_t>();
    delegation.ops = read_list<int>(in, [&] { return in.number<std::int32_t>(); });
    return delegation;
  });
  loaded.warnings = read_list<std::string>(in, [&] { return read_words(in, kLongestWarning); });
  loaded.layers = read_list<LayerResult>(in, [&] {
    LayerResult layer;
    layer.spec = read_spec(in);
    layer.type = read_words(in);
    return layer;
  });
  loaded.memory = static_cast<Memory>(in.number<std::uint8_t>());
  if (loaded.memory > Memory::kState) in.fail();
  if (const std::size_t all = loaded.warnings.size(); all > kMostWarnings) {
    loaded.warnings.resize(kMostWarnings);
    loaded.warnings.push_back("and " + std::to_string(all - kMostWarnings) + " more warnings");
  }
  return loaded;
}

namespace {

void write_op_times(Writer& out, const std::vector<OpTime>& times) {
  write_list(out, times, [&](const OpTime& op) {
    out.text(op.name);
    out.text(op.type);
    write_list(out, op.layers, [&](int layer) { out.number<std::int32_t>(layer); });
    out.text(op.precision);
    out.number<std::uint8_t>(op.inner);
    out.number<std::int64_t>(op.time.count());
  });
}

std::vector<OpTime> read_op_times(Reader& in) {
  return read_list<OpTime>(in, [&] {
    OpTime op;
    op.name = in.text();
    op.type = in.text();
    op.layers = read_list<int>(in, [&] { return in.number<std::int32_t>(); });
    op.precision = in.text();
    op.inner = in.number<std::uint8_t>() != 0;
    op.time = std::chrono::nanoseconds(in.number<std::int64_t>());
    return op;
  });
}

/// An optional number; takes the width of Number even if it is unset.
template <class Number, class Value, class F>
void write_optional(Writer& out, const std::optional<Value>& value, F number_of) {
  out.number<std::uint8_t>(value.has_value());
  out.number<Number>(value ? static_cast<Number>(number_of(*value)) : Number{});
}
template <class Number, class Value>
std::optional<Value> read_optional(Reader& in) {
  const bool there = in.number<std::uint8_t>() != 0;
  const auto value = in.number<Number>();
  return there ? std::optional<Value>(Value(value)) : std::nullopt;
}

}  // namespace

void write_times(Writer& out, const Inference& inference) {
  out.number<std::int64_t>(inference.latency.count());
  write_op_times(out, inference.op_times);
  out.number<std::uint64_t>(inference.pieces.size());
  for (const PieceTime& piece : inference.pieces) {
    out.text(piece.piece);
    out.text(piece.processor);
    out.number<std::int64_t>(piece.start.count());
    out.number<std::int64_t>(piece.time.count());
  }
  out.number<std::uint64_t>(inference.copied);
}

namespace {

// A duration: an engine's process may claim any value.
std::chrono::nanoseconds read_time(Reader& in) {
  constexpr std::int64_t kLongest = std::int64_t{1} << 60;  // 36 years.
  const auto time = in.number<std::int64_t>();
  if (time < 0 || time > kLongest) in.fail();
  return std::chrono::nanoseconds(time);
}

}  // namespace

void read_times(Reader& in, Inference& inference) {
  inference.latency = read_time(in);
  inference.op_times = read_op_times(in);
  for (std::size_t left = in.count(); left > 0; --left) {
    PieceTime piece{in.text(), in.text()};
    piece.start = std::chrono::nanoseconds(in.number<std::int64_t>());
    piece.time = std::chrono::nanoseconds(in.number<std::int64_t>());
    inference.pieces.push_back(std::move(piece));
  }
  inference.copied = in.number<std::uint64_t>();
}

void write(Writer& out, const RepeatOptions& options) {
  out.number<std::uint64_t>(options.count);
  out.number<std::int64_t>(options.duration.count());
  out.number<std::uint8_t>(options.scheduling);
}

RepeatOptions read_repeat(Reader& in) {
  RepeatOptions options;
  options.count = in.number<std::uint64_t>();
  options.duration = std::chrono::nanoseconds(in.number<std::int64_t>());
  options.scheduling = in.number<std::uint8_t>() != 0;
  return options;
}

void write(Writer& out, const Iterations& iterations) {
  const auto count = [](std::chrono::nanoseconds time) { return time.count(); };
  write_list(out, iterations.iterations, [&](const Iteration& iteration) {
    out.number<std::int64_t>(iteration.start.count());
    out.number<std::int64_t>(iteration.latency.count());
    write_optional<std::int64_t>(out, iteration.cpu, count);
    write_optional<std::int64_t>(out, iteration.run_delay, count);
    write_op_times(out, iteration.op_times);
  });
  out.number<std::uint8_t>(iterations.stopped);
  out.text(iterations.no_scheduling);
}

Iterations read_iterations(Reader& in) {
  Iterations iterations;
  iterations.iterations = read_list<Iteration>(in, [&] {
    Iteration iteration;
    iteration.start = std::chrono::nanoseconds(in.number<std::int64_t>());
    iteration.latency = read_time(in);
    iteration.cpu = read_optional<std::int64_t, std::chrono::nanoseconds>(in);
    iteration.run_delay = read_optional<std::int64_t, std::chrono::nanoseconds>(in);
    iteration.op_times = read_op_times(in);
    return iteration;
  });
  iterations.stopped = in.number<std::uint8_t>() != 0;
  iterations.no_scheduling = read_words(in, kLongestWarning);
  return iterations;
}

void write(Writer& out, const MemoryUse& use) {
  for (const auto* const value :
       {&use.peak_before_load, &use.peak_after_load, &use.peak, &use.resident, &use.arena})
    write_optional<std::uint64_t>(out, *value, [](std::uint64_t bytes) { return bytes; });
}

MemoryUse read_memory(Reader& in) {
  MemoryUse use;
  for (auto* const value :
       {&use.peak_before_load, &use.peak_after_load, &use.peak, &use.resident, &use.arena})
    *value = read_optional<std::uint64_t, std::uint64_t>(in);
  return use;
}

Arena arena_for(const std::vector<TensorSpec>& inputs, const std::vector<TensorSpec>& outputs) {
  constexpr std::size_t kAlignment = 64;
  Arena arena;
  const auto place = [&arena](const std::vector<TensorSpec>& specs, std::vector<Slot>& slots) {
    for (const TensorSpec& spec : specs) {
      const std::size_t bytes = spec.byte_size().value_or(0);
      const Slot slot{arena.size, bytes <= kTensorLimit ? bytes : 0};
      slots.push_back(slot);
      arena.size += (slot.length + kAlignment - 1) / kAlignment * kAlignment;
    }
  };
  place(inputs, arena.inputs);
  place(outputs, arena.outputs);
  return arena;
}

}  // namespace edgeprobe::engine::wire
