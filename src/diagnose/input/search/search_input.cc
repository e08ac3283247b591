// SPDX-License-Identifier: Apache-2.0
#include "diagnose/input/search/search_input.h"

#include <algorithm>
#include <list>

#include "core/text.h"
#include "diagnose/preprocessing/diagnosis.h"
#include "diagnose/sensor/diagnosis.h"
#include "diagnose/sound/diagnosis.h"
#include "pipeline/inputs/picture.h"

namespace edgeprobe::diagnose {
namespace {

using SearchResult = Result<std::optional<SearchedInput>>;

// Rows are samples, or frames of features.
InputRows rows_of(const audio::FrontEnd& front_end, const Tensor& input) {
  const std::size_t values = element_count(input.spec.shape).value_or(0);
  InputRows rows{values, 1, false, "samples"};
  if (front_end.is_waveform()) return rows;
  const bool cepstrum = front_end.dct != audio::Dct::kNone && front_end.coefficients > 0;
  rows.columns = static_cast<std::size_t>(cepstrum ? front_end.coefficients : front_end.mels);
  if (front_end.c0 == audio::C0::kDropped && values % rows.columns != 0) --rows.columns;
  rows.rows = rows.columns > 0 && values % rows.columns == 0 ? values / rows.columns : 0;
  rows.columns_first = front_end.frequency_first;
  rows.word = "frames of features";
  return rows;
}

InputRows rows_of(const edgeprobe::sensor::FrontEnd& front_end,
                  const edgeprobe::sensor::Series& series, const Tensor& input) {
  InputRows rows;
  rows.columns =
      front_end.axes.empty() ? static_cast<std::size_t>(series.axes) : front_end.axes.size();
  rows.rows = element_count(input.spec.shape).value_or(0) / rows.columns;
  rows.columns_first = front_end.axes_first;
  rows.word = "steps";
  return rows;
}

// A uint8 model may take the pixels directly, with a recipe that stops at whole values without a
// cast. The search decodes stored values by the recipe's last step, so the cast that apply()
// implies is added.
preprocess::Recipe with_stored_type(preprocess::Recipe recipe, const TensorSpec& input) {
  const bool stated =
      std::any_of(recipe.steps.begin(), recipe.steps.end(), [](const preprocess::Step& step) {
        return std::holds_alternative<preprocess::Quantize>(step) ||
               std::holds_alternative<preprocess::Cast>(step);
      });
  if (input.dtype == DType::kUInt8 && !stated)
    recipe.steps.push_back(preprocess::Cast{DType::kUInt8});
  return recipe;
}

/// Visitor that runs the search for each kind of input.
struct InputSearch {
  const InputQuestion& question;
  const std::vector<ObservedInput>& observed;
  const Control& control;

  SearchResult operator()(const preprocess::Recipe* recipe) const {
    std::list<preprocess::Image> images;
    std::vector<InputFrame> frames;
    for (const ObservedInput& one : observed) {
      const dataset::Picture* const picture = dataset::picture_of(one.raw);
      if (!picture) continue;
      auto image = pipeline::picture_for(*recipe, *picture);
      if (!image) return std::move(image.error()).during("'" + sanitized(one.sample) + "'");
      images.push_back(*std::move(image));
      std::optional<preprocess::Source> source;
      if (!picture->encoded.empty()) source = dataset::source_of(*picture);
      frames.push_back({one.sample, &images.back(), one.input, source});
    }
    if (frames.empty()) return std::optional<SearchedInput>();
    const preprocess::Recipe steps =
        with_stored_type(preprocess::without_decode(*recipe), question.reference_input);
    auto found = diagnose_input(frames, steps, question.reference_input, question.target_input);
    if (!found) return std::move(found.error()).during("diagnosis of the model input");
    return std::optional(SearchedInput{*std::move(found), {}});
  }

  SearchResult operator()(const audio::FrontEnd* front_end) const {
    std::vector<sound::Observation> heard;
    for (const ObservedInput& one : observed)
      if (const dataset::Sound* const sound = dataset::sound_of(one.raw))
        heard.push_back({&sound->clip, one.input});
    if (heard.empty()) return std::optional<SearchedInput>();
    EP_TRY(auto found, sound::diagnose(heard, *front_end, question.gray_step, control));
    return std::optional(SearchedInput{std::move(found), rows_of(*front_end, heard[0].input)});
  }

  SearchResult operator()(const edgeprobe::sensor::FrontEnd* front_end) const {
    std::list<edgeprobe::sensor::Series> held;
    std::vector<sensor::Observation> read;
    for (const ObservedInput& one : observed) {
      auto series = dataset::readings_of(one.raw);
      if (!series) return std::move(series.error()).during("'" + sanitized(one.sample) + "'");
      held.push_back(*std::move(series));
      read.push_back({&held.back(), one.input});
    }
    if (read.empty()) return std::optional<SearchedInput>();
    EP_TRY(auto found, sensor::diagnose(read, *front_end, question.gray_step, control));
    return std::optional(
        SearchedInput{std::move(found), rows_of(*front_end, held.front(), read[0].input)});
  }

  SearchResult operator()(const text::FrontEnd*) const { return std::optional<SearchedInput>(); }
};

}  // namespace

Result<std::vector<ObservedInput>> observed_inputs(const trace::Reader& reader,
                                                   const trace::ReadChannel& input,
                                                   const pipeline::TraceSamples& raw,
                                                   const std::vector<std::size_t>& of) {
  std::vector<ObservedInput> observed;
  for (const std::size_t i : of) {
    EP_TRY(const auto message, reader.read(raw.frames[i], input.id));
    if (!message) continue;
    EP_TRY(auto loaded, raw.samples[i].load());
    observed.push_back({raw.samples[i].name, std::move(loaded.input), message->copy()});
  }
  return observed;
}

Result<std::optional<SearchedInput>> search_input(const InputQuestion& question,
                                                  const std::vector<ObservedInput>& observed,
                                                  const Control& control) {
  return std::visit(InputSearch{question, observed, control}, question.front_end);
}

}  // namespace edgeprobe::diagnose
