// SPDX-License-Identifier: Apache-2.0
#include "diagnose/recorded/shown_answers.h"

#include <array>

#include "diagnose/case/counterfactual.h"
#include "diagnose/recorded/places.h"
#include "postprocess/classify.h"
#include "postprocess/detection/candidates.h"
#include "postprocess/pose/recipe.h"
#include "trace/read/answers.h"

namespace edgeprobe::diagnose {
namespace {

using Expected = std::optional<trace::Answer>;

template <class Frame>
std::vector<TensorView> outputs_of_frame(const Frame& frame) {
  return {frame.outputs.begin(), frame.outputs.end()};
}

template <class Made>
Expected expected_from(const Made& made) {
  return made ? Expected(*made) : Expected();
}

// Makes a recipe's answer for one frame if all of its inputs are known; else detectors report the
// reason.
struct Expecting {
  const Case& known;
  std::uint32_t frame;

  Result<Expected> operator()(const postprocess::Classification& recipe) const {
    std::vector<Tensor> outputs;
    for (const trace::ReadChannel* channel : output_channels(*known.target)) {
      EP_TRY(const auto read, known.target->read(frame, channel->id));
      if (read) outputs.push_back(read->copy());
    }
    if (outputs.size() < output_count(*known.target)) return Expected();
    const std::vector<TensorView> views(outputs.begin(), outputs.end());
    return expected_from(postprocess::run(recipe, views));
  }
  Result<Expected> operator()(const postprocess::detection::Recipe& recipe) const {
    const auto recorded = recorded_boxes(known, recipe, frame);
    if (!recorded || !recorded->why_not.empty() || recorded->frames.empty()) return Expected();
    const boxes::RecordedFrame& one = recorded->frames.front();
    return expected_from(postprocess::detection::run(recorded->recipe, outputs_of_frame(one),
                                                     one.picture, recorded->model));
  }
  Result<Expected> operator()(const postprocess::pose::Recipe& recipe) const {
    WantedPlaces wanted{kinds::AnswerId::kPoints};
    wanted.one = frame;
    const auto recorded = recorded_places(known, wanted);
    if (!recorded || !recorded->why_not.empty() || recorded->frames.empty()) return Expected();
    const places::Frame& one = recorded->frames.front();
    return expected_from(
        postprocess::pose::run(recipe, outputs_of_frame(one), one.picture, recorded->model));
  }
  // Masks, vectors and scores are not drawn.
  template <class Other>
  Result<Expected> operator()(const Other&) const {
    return Expected();
  }
};

// Colour of a class: its bits spread over red, green and blue, highest first, as in PASCAL VOC's
// development kit (VOClabelcolormap); 0 is black.
std::array<std::uint8_t, 3> class_color(std::uint32_t number) {
  std::array<std::uint8_t, 3> color{};
  for (int bit = 7; bit >= 0 && number != 0; --bit, number >>= 3)
    for (std::size_t c = 0; c < 3; ++c)
      color[c] = static_cast<std::uint8_t>(color[c] | ((number >> c & 1) << bit));
  return color;
}

// Blends the app's recorded mask, stretched to the raw picture, half into each pixel whose class is
// not `background`. `are_colors`: its numbers are 0xRRGGBB.
Picture mask_picture(const Picture& raw, const trace::Mask& mask, std::int32_t background,
                     bool are_colors) {
  Picture picture = raw;
  picture.role = "answer_mask";
  for (int y = 0; y < raw.height; ++y)
    for (int x = 0; x < raw.width; ++x) {
      const auto cell = [](int at, std::uint32_t from, int to) {
        return static_cast<std::size_t>(static_cast<std::int64_t>(at) * from / to);
      };
      const std::int32_t number = mask.classes[cell(y, mask.height, raw.height) * mask.width +
                                               cell(x, mask.width, raw.width)];
      if (number == background) continue;
      const auto bits = static_cast<std::uint32_t>(number);
      const auto color = are_colors ? std::array{static_cast<std::uint8_t>(bits >> 16 & 0xff),
                                                 static_cast<std::uint8_t>(bits >> 8 & 0xff),
                                                 static_cast<std::uint8_t>(bits & 0xff)}
                                    : class_color(bits);
      std::uint8_t* const pixel =
          &picture.rgb[3 * (static_cast<std::size_t>(y) * static_cast<std::size_t>(raw.width) +
                            static_cast<std::size_t>(x))];
      for (std::size_t c = 0; c < 3; ++c)
        pixel[c] = static_cast<std::uint8_t>((pixel[c] + color[c] + 1) / 2);
    }
  return picture;
}

}  // namespace

Result<std::optional<trace::Answer>> expected_answer(const Case& known, std::uint32_t frame) {
  const auto recipe = answer_recipe(known);
  // An unreadable table is reported where answers are judged.
  if (!recipe || !*recipe) return Expected();
  return std::visit(Expecting{known, frame}, **recipe);
}

std::optional<Picture> answered_mask(const Case& known, std::uint32_t frame, const Picture& raw) {
  const auto answer = trace::answer_of(*known.target, frame);
  if (!answer || !*answer || !(*answer)->mask || (*answer)->mask->classes.empty())
    return std::nullopt;
  const auto* const recipe =
      known.answers ? std::get_if<postprocess::segmentation::Recipe>(&*known.answers) : nullptr;
  const bool are_colors = recipe && recipe->colors.has_value();
  std::int32_t background = 0;
  if (are_colors) {
    auto loaded = *recipe;
    if (postprocess::segmentation::load_colors(loaded)) background = loaded.colors->numbers[0];
  }
  return mask_picture(raw, *(*answer)->mask, background, are_colors);
}

}  // namespace edgeprobe::diagnose
