// SPDX-License-Identifier: Apache-2.0
#include "diagnose/case/recorded_states.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <set>

#include "core/text.h"
#include "diagnose/state/pairs.h"
#include "pipeline/inputs/recorded_inputs.h"

namespace edgeprobe::diagnose {
namespace {

using pipeline::CarriedState;
using state::Series;
using state::Values;

/// 256 MB of 8-byte values.
constexpr std::size_t kMostValues = std::size_t{32} << 20;

template <class Number>
Values stored_numbers(ByteView bytes) {
  Values values(bytes.size / sizeof(Number));
  for (std::size_t i = 0; i < values.size(); ++i) {
    Number one;
    std::memcpy(&one, bytes.data + i * sizeof one, sizeof one);
    values[i] = static_cast<double>(one);
  }
  return values;
}

// Values as stored: codes stay codes.
Result<Values> stored_values(const TensorView& tensor) {
  switch (tensor.spec->dtype) {
    case DType::kFloat64: return stored_numbers<double>(tensor.bytes);
    case DType::kInt32: return stored_numbers<std::int32_t>(tensor.bytes);
    case DType::kUInt32: return stored_numbers<std::uint32_t>(tensor.bytes);
    case DType::kInt64: return stored_numbers<std::int64_t>(tensor.bytes);
    default: break;
  }
  EP_TRY(const auto values, stored_as_float(tensor));
  return Values(values.begin(), values.end());
}

/// A model input or output of a given name.
struct End {
  const trace::ReadChannel* channel = nullptr;
  bool changes = false;  // Several shapes or types under one name.

  std::size_t elements() const {
    return static_cast<std::size_t>(element_count(channel->channel.spec.shape).value_or(0));
  }
};

std::map<std::string, End> ends_of(const trace::Reader& reader, trace::Stage stage) {
  std::map<std::string, End> ends;
  for (const trace::ReadChannel& channel : reader.channels()) {
    if (channel.channel.stage != stage || channel.messages == 0) continue;
    End& end = ends[channel.channel.spec.name];
    end.changes = end.channel != nullptr;
    end.channel = &channel;
  }
  return ends;
}

Result<Series> series_of(const trace::Reader& reader, const trace::ReadChannel& channel,
                         const std::vector<std::uint32_t>& frames) {
  Series series;
  for (const std::uint32_t frame : frames) {
    EP_TRY(const auto message, reader.read(frame, channel.id));
    series.emplace_back();
    if (!message) continue;
    EP_TRY(auto values, stored_values(*message));
    series.back() = std::move(values);
  }
  return series;
}

/// "out=in,out=in".
std::vector<CarriedState> states_in(const std::string& list) {
  std::vector<CarriedState> states;
  for (std::size_t at = 0; at < list.size();) {
    const std::size_t end = std::min(list.find(',', at), list.size());
    const std::string pair = list.substr(at, end - at);
    if (const std::size_t equals = pair.find('='); equals != std::string::npos)
      states.push_back({pair.substr(0, equals), pair.substr(equals + 1)});
    at = end + 1;
  }
  return states;
}

/// Reads tensors of a trace one at a time, and each only once.
class Ends {
 public:
  explicit Ends(const trace::Reader& reader)
      : inputs(ends_of(reader, trace::Stage::kModelInput)),
        outputs(ends_of(reader, trace::Stage::kModelOutput)),
        reader_(reader) {}

  Result<const Series*> read(const End& end, const std::vector<std::uint32_t>& frames) {
    const auto known = series_.find(end.channel);
    if (known != series_.end()) return &known->second;
    EP_TRY(auto series, series_of(reader_, *end.channel, frames));
    return &series_.emplace(end.channel, std::move(series)).first->second;
  }

  /// Outputs with the same number of elements and a fixed shape.
  std::vector<std::string> like(const End& input) const {
    std::vector<std::string> names;
    for (const auto& [name, output] : outputs)
      if (!output.changes && output.elements() == input.elements() && input.elements() > 0)
        names.push_back(name);
    return names;
  }

  std::map<std::string, End> inputs, outputs;

 private:
  const trace::Reader& reader_;
  std::map<const trace::ReadChannel*, Series> series_;
};

bool has(const std::vector<CarriedState>& states, const std::string& input) {
  return std::any_of(states.begin(), states.end(),
                     [&](const CarriedState& state) { return state.input == input; });
}

void add_declared(const std::vector<CarriedState>& more, const Ends& ends,
                  std::vector<CarriedState>& pairs) {
  for (const CarriedState& state : more)
    if (ends.inputs.count(state.input) && ends.outputs.count(state.output) &&
        !has(pairs, state.input))
      pairs.push_back(state);
}

// Inputs that are exact copies of an output.
Result<std::vector<CarriedState>> copies(Ends& ends, const std::vector<CarriedState>& declared,
                                         const state::Recording& frames) {
  std::vector<CarriedState> found;
  if (ends.inputs.size() < 2) return found;
  for (const auto& [name, input] : ends.inputs) {
    if (input.changes || has(declared, name)) continue;
    state::Recording recording = frames;
    const auto likely = ends.like(input);
    for (const std::string& output : likely) {
      EP_TRY(const auto made, ends.read(ends.outputs.at(output), frames.frames));
      recording.outputs.push_back({output, *made});
    }
    if (likely.empty()) continue;
    EP_TRY(const auto fed, ends.read(input, frames.frames));
    if (const auto output = state::output_of(recording, *fed))
      found.push_back({likely[*output], name});
  }
  return found;
}

// The frames to read, and where sequences begin if the trace, samples or run declare it.
RecordedStates frames_of(const trace::Reader& target, const StateSources& sources,
                         std::size_t values) {
  RecordedStates out;
  const std::size_t most = kMostValues / std::max<std::size_t>(values, 1);
  for (const std::uint32_t frame : target.frames()) {
    if (out.recording.frames.size() >= std::max<std::size_t>(most, 2)) {
      out.not_judged.push_back("states were examined in the first " +
                               std::to_string(out.recording.frames.size()) + " of " +
                               std::to_string(target.frames().size()) + " frames");
      break;
    }
    out.recording.frames.push_back(frame);
  }
  const pipeline::RecordedInputs recorded(target);
  std::set<std::uint32_t> begins;
  for (const std::uint32_t frame : out.recording.frames)
    if (recorded.begins_sequence(frame)) begins.insert(frame);
  const bool by_run =
      target.declared("states").has_value() && target.declared("tool").value_or("") == "edgeprobe";
  out.begins_known = by_run || !begins.empty() || target.declared("sequence_begins").has_value();
  for (std::size_t i = 1; sources.raw && i < sources.raw->samples.size(); ++i)
    if (sources.raw->samples[i].begins_sequence) begins.insert(sources.raw->frames[i]);
  out.begins_known = out.begins_known || !begins.empty();
  for (const std::uint32_t frame : out.recording.frames)
    out.recording.begins.push_back(begins.count(frame) > 0);
  if (!out.recording.begins.empty()) out.recording.begins.front() = true;
  return out;
}

Values zero_of(const TensorSpec& spec) {
  Values zero(static_cast<std::size_t>(element_count(spec.shape).value_or(0)), 0.0);
  if (!spec.quantization.empty())
    for (double& value : zero) value = double(spec.quantization.zero_point_at(0));
  return zero;
}

// The state that the reference was fed in the target's first frame.
Result<std::optional<Values>> initial_of_reference(const StateSources& sources,
                                                   const CarriedState& pair, std::uint32_t frame,
                                                   std::size_t elements) {
  if (!sources.reference || !sources.partners) return std::optional<Values>();
  const auto partner = sources.partners->find(frame);
  const auto inputs = ends_of(*sources.reference, trace::Stage::kModelInput);
  const auto input = inputs.find(pair.input);
  if (partner == sources.partners->end() || input == inputs.end() || input->second.changes)
    return std::optional<Values>();
  EP_TRY(const auto message, sources.reference->read(partner->second, input->second.channel->id));
  if (!message) return std::optional<Values>();
  EP_TRY(auto values, stored_values(*message));
  if (values.size() != elements) return std::optional<Values>();
  return std::optional(std::move(values));
}

// If nothing declares where sequences begin, assumes a beginning wherever every state has its
// initial value.
void assume_begins(RecordedStates& states) {
  state::Recording& recording = states.recording;
  for (std::size_t step = 1; step < recording.steps(); ++step) {
    const bool all = std::all_of(
        recording.states.begin(), recording.states.end(),
        [&](const state::State& one) { return one.fed[step] && *one.fed[step] == one.initial; });
    if (!all) continue;
    recording.begins[step] = true;
    states.assumed_begins.push_back(recording.frames[step]);
  }
}

// Handles a recording that begins in the middle of a sequence.
void look_at_first(RecordedStates& states, bool said) {
  state::Recording& recording = states.recording;
  if (recording.steps() == 0 || said || recording.frames.front() == 0) return;
  recording.begins.front() = std::all_of(
      recording.states.begin(), recording.states.end(),
      [](const state::State& one) { return one.fed.front() && *one.fed.front() == one.initial; });
}

}  // namespace

Result<std::optional<Series>> input_series(const trace::Reader& reader, const std::string& name,
                                           const std::vector<std::uint32_t>& frames,
                                           std::size_t most) {
  const auto inputs = ends_of(reader, trace::Stage::kModelInput);
  const auto input = inputs.find(name);
  if (input == inputs.end() || input->second.changes || input->second.elements() > most)
    return std::optional<Series>();
  EP_TRY(auto series, series_of(reader, *input->second.channel, frames));
  return std::optional(std::move(series));
}

Result<std::optional<RecordedStates>> recorded_states(const trace::Reader& target,
                                                      const StateSources& sources) {
  Ends ends(target);
  std::size_t values = 0;
  for (const auto* side : {&ends.inputs, &ends.outputs})
    for (const auto& [name, end] : *side) values += end.changes ? 0 : end.elements();
  std::vector<CarriedState> pairs;
  add_declared(states_in(target.declared("states").value_or("")), ends, pairs);
  add_declared(sources.declared, ends, pairs);
  if (sources.reference)
    add_declared(states_in(sources.reference->declared("states").value_or("")), ends, pairs);
  RecordedStates out = frames_of(target, sources, values);
  auto copied = copies(ends, pairs, out.recording);
  if (!copied) return std::move(copied.error());
  add_declared(*copied, ends, pairs);
  if (sources.reference) {
    Ends of_reference(*sources.reference);
    state::Recording frames;
    frames.frames = sources.reference->frames();
    frames.frames.resize(std::min(frames.frames.size(), out.recording.steps()));
    frames.begins.assign(frames.steps(), false);
    copied = copies(of_reference, pairs, frames);
    if (!copied) return std::move(copied.error());
    add_declared(*copied, ends, pairs);
  }
  std::map<std::string, std::size_t> places;
  for (const CarriedState& pair : pairs) {
    const End &input = ends.inputs.at(pair.input), &output = ends.outputs.at(pair.output);
    const std::string who = "state '" + sanitized(pair.input, 80) + "' was not examined: ";
    if (input.changes || output.changes) {
      out.not_judged.push_back(who + "it changes its shape");
      continue;
    }
    const TensorSpec &in = input.channel->channel.spec, &made = output.channel->channel.spec;
    if (input.elements() != output.elements() || !(in.quantization == made.quantization)) {
      out.not_judged.push_back(who + "output '" + sanitized(pair.output, 80) + "' has another " +
                               (input.elements() != output.elements() ? "shape" : "scale"));
      continue;
    }
    // Any output with the same number of elements may have been fed.
    for (const std::string& name : ends.like(input)) {
      if (places.count(name)) continue;
      EP_TRY(const auto series, ends.read(ends.outputs.at(name), out.recording.frames));
      places[name] = out.recording.outputs.size();
      out.recording.outputs.push_back({name, *series});
    }
    EP_TRY(const auto fed, ends.read(input, out.recording.frames));
    out.recording.states.push_back(
        {pair.input, places.at(pair.output), in.shape, *fed, {}, zero_of(in)});
    out.pairs.push_back(pair);
  }
  if (out.pairs.empty() || out.recording.steps() < 2) return std::optional<RecordedStates>();
  for (std::size_t i = 0; i < out.pairs.size(); ++i) {
    state::State& one = out.recording.states[i];
    one.initial = state::initial_of(out.recording, one.fed, one.zero);
    EP_TRY(auto said, initial_of_reference(sources, out.pairs[i], out.recording.frames.front(),
                                           one.initial.size()));
    // A reference that was replayed on the target's tensors repeats the target's initial value.
    out.initial_of_reference.push_back(said && *said != one.initial);
    if (said) one.initial = *said;
  }
  look_at_first(out, pipeline::RecordedInputs(target).begins_sequence(out.recording.frames[0]));
  if (!out.begins_known) assume_begins(out);
  return std::optional(std::move(out));
}

Tensor stored(const TensorSpec& spec, const Values& values) {
  Tensor tensor{spec, {}};
  tensor.bytes.resize(values.size() * size_of(spec.dtype));
  const auto put = [&](std::size_t i, auto value) {
    std::memcpy(tensor.bytes.data() + i * sizeof value, &value, sizeof value);
  };
  for (std::size_t i = 0; i < values.size(); ++i) switch (spec.dtype) {
      case DType::kFloat32: put(i, static_cast<float>(values[i])); break;
      case DType::kFloat64: put(i, values[i]); break;
      case DType::kFloat16: put(i, float_to_half(static_cast<float>(values[i]))); break;
      case DType::kInt8: put(i, static_cast<std::int8_t>(values[i])); break;
      case DType::kUInt8:
      case DType::kBool: put(i, static_cast<std::uint8_t>(values[i])); break;
      case DType::kInt16: put(i, static_cast<std::int16_t>(values[i])); break;
      case DType::kUInt16: put(i, static_cast<std::uint16_t>(values[i])); break;
      case DType::kInt32: put(i, static_cast<std::int32_t>(values[i])); break;
      case DType::kUInt32: put(i, static_cast<std::uint32_t>(values[i])); break;
      case DType::kInt64: put(i, static_cast<std::int64_t>(values[i])); break;
      case DType::kUInt64: put(i, static_cast<std::uint64_t>(values[i])); break;
      case DType::kBFloat16: {
        const auto single = static_cast<float>(values[i]);
        std::uint32_t bits = 0;
        std::memcpy(&bits, &single, sizeof bits);
        // The value was converted from a bfloat16 number: its upper 16 bits are that number.
        put(i, static_cast<std::uint16_t>(bits >> 16));
        break;
      }
      case DType::kInt4:
      case DType::kOther: break;
    }
  return tensor;
}

pipeline::TraceSamples with_beginnings(const pipeline::TraceSamples& raw,
                                       const RecordedStates& states, bool as_meant) {
  const state::Recording& recording = states.recording;
  const state::Past past(recording);
  pipeline::TraceSamples out = raw;
  for (std::size_t i = 0; i < out.samples.size(); ++i) {
    const auto at =
        std::lower_bound(recording.frames.begin(), recording.frames.end(), out.frames[i]);
    if (at == recording.frames.end() || *at != out.frames[i]) continue;
    const auto step = static_cast<std::size_t>(at - recording.frames.begin());
    dataset::Sample& sample = out.samples[i];
    sample.begins_sequence = recording.begins[step] || past.is_cut(step);
    if (!as_meant || !sample.load || past.is_cut(step)) continue;
    std::vector<std::pair<std::string, Values>> initial;
    for (std::size_t k = 0; k < states.pairs.size(); ++k)
      initial.emplace_back(states.pairs[k].input, recording.states[k].initial);
    sample.load = [load = sample.load, initial = std::move(initial),
                   begins = bool(recording.begins[step])]() -> Result<dataset::Loaded> {
      auto loaded = load();
      if (!loaded) return loaded;
      auto* const held = std::get_if<dataset::Arrays>(&loaded->input);
      for (const auto& [name, values] : initial) {
        if (!held) break;
        const auto array =
            std::find_if(held->arrays.begin(), held->arrays.end(),
                         [&, &name = name](const Tensor& one) { return one.spec.name == name; });
        if (array == held->arrays.end()) continue;
        if (begins) *array = stored(array->spec, values);
        else held->arrays.erase(array);
      }
      return loaded;
    };
  }
  return out;
}

}  // namespace edgeprobe::diagnose
