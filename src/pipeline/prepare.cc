// SPDX-License-Identifier: Apache-2.0
#include "pipeline/prepare.h"

#include <algorithm>

#include "core/text.h"
#include "kinds/input_kinds.h"
#include "pipeline/inputs/feed.h"
#include "pipeline/inputs/picture.h"
#include "pipeline/sized_engine.h"

namespace edgeprobe::pipeline {

namespace {

/// Result of the recipe or the function for one picture.
struct Made {
  Tensor input;
  std::vector<Tensor> stages;
};

Result<Made> made_of(Pipeline& pipeline, const dataset::Picture& picture, std::string_view sample,
                     const Control& control) {
  if (!pipeline.function) {
    auto input = model_input(pipeline.recipe, picture, pipeline.open_input());
    if (!input) return std::move(input.error()).during("'" + sanitized(sample) + "'");
    return Made{*std::move(input), {}};
  }
  EP_TRY(auto answer, pipeline.function->call(picture, sample, control));
  const std::string doing =
      "pipeline '" + sanitized(pipeline.function->label()) + "' on '" + sanitized(sample) + "'";
  if (!answer.input)
    return Error{ErrorKind::kUsage,
                 doing + ": it gave no array called 'input', which the model needs"};
  if (!answer.outputs.empty())
    return Error{ErrorKind::kUsage,
                 doing + ": it gave '" + sanitized(answer.outputs.front().spec.name) +
                     "' as an output, but a model was named too; leave one of them out"};
  auto input = fit_input(*answer.input, sized(pipeline.open_input(), answer.input->spec.shape));
  if (!input) return std::move(input.error()).during(doing);
  return Made{*std::move(input), std::move(answer.stages)};
}

/// True if the recipe makes the input from a recorded array.
bool reads_arrays(const Pipeline& pipeline) {
  return pipeline.made_input && kinds::kind_of(pipeline.recipe).reads_arrays;
}

bool is_state(const Pipeline& pipeline, std::size_t input) {
  return std::any_of(pipeline.states.begin(), pipeline.states.end(),
                     [&](const StatePlace& place) { return place.input == input; });
}

std::vector<std::string> texts_of(const dataset::Text& text) {
  std::vector<std::string> texts;
  for (const dataset::TextPart& part : text.parts) texts.push_back(part.text);
  return texts;
}

/// Builds the inputs: the made one at its position, and zero for states.
Result<Prepared> inputs_from(const Pipeline& pipeline, Made made, std::string_view sample) {
  Prepared prepared;
  prepared.stages = std::move(made.stages);
  const std::vector<TensorSpec>& inputs = pipeline.session->inputs();
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (i == pipeline.made_input) {
      prepared.inputs.push_back(std::move(made.input));
    } else if (is_state(pipeline, i)) {
      prepared.inputs.push_back(zeros(inputs[i]));
    } else {
      return Error{ErrorKind::kUsage, "'" + sanitized(sample) +
                                          "' is one input, of which the recipe makes '" +
                                          sanitized(pipeline.input().name, 100) + "'; input '" +
                                          sanitized(inputs[i].name, 100) + "' is given by nothing"};
    }
  }
  return prepared;
}

Result<Prepared> prepared_from(Pipeline& pipeline, const dataset::Picture& picture,
                               std::string_view sample, const Control& control) {
  if (!pipeline.made_input)
    return Error{ErrorKind::kUsage,
                 "'" + sanitized(sample) + "' is a picture, but the inputs are recorded tensors"};
  EP_TRY(auto made, made_of(pipeline, picture, sample, control));
  return inputs_from(pipeline, std::move(made), sample);
}

Result<Prepared> prepared_from(Pipeline& pipeline, const dataset::Sound& sound,
                               std::string_view sample, const Control&) {
  const std::string title = "'" + sanitized(sample) + "'";
  if (!pipeline.made_input)
    return Error{ErrorKind::kUsage, title + " is a recording, but the inputs are recorded tensors"};
  if (pipeline.function)
    return Error{ErrorKind::kUnsupported,
                 title +
                     " is a recording, which --pipeline does not take: give --recipe, or the "
                     "model inputs in an .npz file"};
  auto input = preprocess::apply(pipeline.recipe, sound.clip, pipeline.open_input());
  if (!input) return std::move(input.error()).during(title);
  return inputs_from(pipeline, {*std::move(input), {}}, sample);
}

/// Applies a recipe for readings to a raw input.
Result<Prepared> prepared_from_readings(Pipeline& pipeline, const dataset::RawInput& raw,
                                        std::string_view sample) {
  const std::string title = "'" + sanitized(sample) + "'";
  if (!pipeline.made_input)
    return Error{ErrorKind::kUsage, title + " are readings, but the inputs are recorded tensors"};
  if (pipeline.function)
    return Error{ErrorKind::kUnsupported,
                 title +
                     " are readings, which --pipeline does not take: give --recipe, or the "
                     "model inputs in an .npz file"};
  auto input = model_input(pipeline.recipe, raw, pipeline.open_input());
  if (!input) return std::move(input.error()).during(title);
  return inputs_from(pipeline, {*std::move(input), {}}, sample);
}

Result<Prepared> prepared_from(Pipeline& pipeline, const dataset::Readings& readings,
                               std::string_view sample, const Control&) {
  return prepared_from_readings(pipeline, readings, sample);
}

Result<Prepared> prepared_from(Pipeline& pipeline, const dataset::Text& text,
                               std::string_view sample, const Control& control) {
  const std::string title = "'" + sanitized(sample) + "'";
  const text::FrontEnd* const front_end = preprocess::text_of(pipeline.recipe);
  if (!front_end)
    return Error(model_input(pipeline.recipe, dataset::RawInput(text), pipeline.input()).error())
        .during(title);
  auto tokens =
      pipeline.tokenizer->encode({texts_of(text)}, front_end->before, front_end->edit, control);
  if (!tokens) return std::move(tokens.error()).during(title);
  const text::Encoding encoding = text::encode(*front_end, tokens->front());
  Prepared prepared;
  const std::vector<TensorSpec>& inputs = pipeline.session->inputs();
  std::size_t role = 0;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (is_state(pipeline, i)) {
      prepared.inputs.push_back(zeros(inputs[i]));
      continue;
    }
    auto input = text::as_tensor(text::values_of(encoding, pipeline.text_roles[role++]),
                                 pipeline.open_inputs[i]);
    if (!input) return std::move(input.error()).during(title);
    prepared.inputs.push_back(*std::move(input));
  }
  return prepared;
}

Result<Prepared> prepared_from(Pipeline& pipeline, const dataset::Arrays& recorded,
                               std::string_view sample, const Control& control) {
  if (reads_arrays(pipeline)) return prepared_from_readings(pipeline, recorded, sample);
  const std::string title = "'" + sanitized(sample) + "'";
  if (recorded.text && pipeline.tokenizer)
    return prepared_from(pipeline, *recorded.text, sample, control);
  if (pipeline.tokenizer)
    return Error{ErrorKind::kUsage, title +
                                        " contains no text, which the recipe begins with: log it "
                                        "with frame.text(), or give texts with --data"};
  const std::vector<TensorSpec>& inputs = pipeline.session->inputs();
  std::vector<TensorSpec> specs;
  for (const Tensor& array : recorded.arrays) specs.push_back(array.spec);
  const auto places = arrays_of_inputs(specs, inputs, optional_inputs(pipeline));
  if (!places) return Error(places.error()).during(title);
  Prepared prepared;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const auto place = (*places)[i];
    if (i == pipeline.made_input) {
      Result<dataset::Picture> picture =
          recorded.picture ? Result<dataset::Picture>(*recorded.picture)
          : place          ? picture_from(recorded.arrays[*place])
                           : Error{ErrorKind::kUsage, "the data contains no picture for input '" +
                                                 sanitized(inputs[i].name, 100) +
                                                 "', which the recipe makes"};
      if (!picture) return std::move(picture.error()).during(title);
      EP_TRY(auto made, made_of(pipeline, *picture, sample, control));
      prepared.inputs.push_back(std::move(made.input));
      prepared.stages = std::move(made.stages);
      continue;
    }
    if (!place) {
      prepared.inputs.push_back(zeros(inputs[i]));
      continue;
    }
    const Tensor& array = recorded.arrays[*place];
    const TensorSpec taken = sized(pipeline.open_inputs[i], array.spec.shape);
    auto input = fit_array(array, element_count(taken.shape) ? taken : inputs[i]);
    if (!input) return std::move(input.error()).during(title);
    prepared.inputs.push_back(*std::move(input));
  }
  return prepared;
}

Result<dataset::RawInput> read_as(const Pipeline&, dataset::Picture picture) {
  return dataset::RawInput(std::move(picture));
}

Result<dataset::RawInput> read_as(const Pipeline&, dataset::Sound sound) {
  return dataset::RawInput(std::move(sound));
}

Result<dataset::RawInput> read_as(const Pipeline&, dataset::Readings readings) {
  return dataset::RawInput(std::move(readings));
}

Result<dataset::RawInput> read_as(const Pipeline&, dataset::Text text) {
  return dataset::RawInput(std::move(text));
}

Result<dataset::RawInput> read_as(const Pipeline& pipeline, dataset::Arrays recorded) {
  if (reads_arrays(pipeline)) {
    EP_TRY(auto series, dataset::readings_of(recorded));
    return dataset::RawInput(dataset::Readings{std::move(series)});
  }
  if (!pipeline.made_input || recorded.picture || pipeline.tokenizer)
    return dataset::RawInput(std::move(recorded));
  std::vector<TensorSpec> specs;
  for (const Tensor& array : recorded.arrays) specs.push_back(array.spec);
  EP_TRY(const auto places,
         arrays_of_inputs(specs, pipeline.session->inputs(), optional_inputs(pipeline)));
  const auto place = places[*pipeline.made_input];
  if (!place) return dataset::RawInput(std::move(recorded));
  EP_TRY(recorded.picture, picture_from(recorded.arrays[*place]));
  return dataset::RawInput(std::move(recorded));
}

}  // namespace

Result<std::vector<Tensor>> inputs_of(const dataset::Arrays& recorded, const PipelineSpec& spec,
                                      const std::vector<TensorSpec>& specs) {
  std::vector<TensorSpec> arrays;
  for (const Tensor& array : recorded.arrays) arrays.push_back(array.spec);
  std::vector<std::size_t> optional;
  for (std::size_t i = 0; i < specs.size(); ++i)
    for (const CarriedState& state : spec.states)
      if (specs[i].name == state.input) optional.push_back(i);
  EP_TRY(const auto places, arrays_of_inputs(arrays, specs, optional));
  std::vector<Tensor> inputs;
  for (std::size_t i = 0; i < specs.size(); ++i) {
    const auto place = places[i];
    const bool made =
        spec.recipe && (specs.size() == 1 || specs[i].name == spec.recipe_input) && place;
    if (made && kinds::kind_of(*spec.recipe).reads_arrays) {
      EP_TRY(auto input, model_input(*spec.recipe, recorded, specs[i]));
      inputs.push_back(std::move(input));
    } else if (made) {
      EP_TRY(auto picture, recorded.picture ? Result<dataset::Picture>(*recorded.picture)
                                            : picture_from(recorded.arrays[*place]));
      EP_TRY(auto input, model_input(*spec.recipe, picture, specs[i]));
      inputs.push_back(std::move(input));
    } else if (place) {
      EP_TRY(auto input, fit_array(recorded.arrays[*place], specs[i]));
      inputs.push_back(std::move(input));
    } else {
      inputs.push_back(zeros(specs[i]));
    }
  }
  return inputs;
}

Result<dataset::RawInput> as_read(const Pipeline& pipeline, dataset::RawInput raw) {
  return std::visit([&](auto&& kind) { return read_as(pipeline, std::move(kind)); },
                    std::move(raw));
}

Result<Prepared> prepare(Pipeline& pipeline, const dataset::RawInput& raw, std::string_view sample,
                         const Control& control) {
  return std::visit(
      [&](const auto& kind) { return prepared_from(pipeline, kind, sample, control); }, raw);
}

Status StageWriter::write(const std::vector<Tensor>& arrays, std::uint32_t frame,
                          std::uint64_t time_ns) {
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    const TensorSpec& spec = arrays[i].spec;
    const auto key = std::tuple(spec.name, spec.dtype, spec.shape);
    auto at = channels_.find(key);
    if (at == channels_.end()) {
      if (++shapes_[spec.name] > kMostShapes)
        return Error{ErrorKind::kLimit, "'" + sanitized(spec.name) + "' had more than " +
                                            std::to_string(kMostShapes) +
                                            " shapes; leave it out, or bring it to one size"};
      trace::Channel channel;
      channel.stage = stage_;
      channel.spec = spec;
      channel.position = static_cast<std::int32_t>(i);
      EP_TRY(auto id, writer_.add_channel(channel));
      at = channels_.emplace(key, id).first;
    }
    EP_CHECK(writer_.write(at->second, frame, time_ns, arrays[i].bytes));
  }
  return {};
}

}  // namespace edgeprobe::pipeline
