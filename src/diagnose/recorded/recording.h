// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "diagnose/case/case.h"
#include "kinds/answer_kinds.h"
#include "postprocess/detection/coordinates.h"
#include "trace/answer.h"

namespace edgeprobe::diagnose {

/// The part of the reference's recipe after "||" with its tables; nothing if it has none. Fails if
/// a table cannot be read.
Result<std::optional<kinds::AnswerRecipe>> answer_recipe(const Case& known);

/// Height and width of a model input that is a picture: [1, H, W, C] or [1, C, H, W].
std::optional<postprocess::detection::Size> input_size(const Shape& shape);

/// Sizes of the pictures that the reference's recipe gets; upright if the recipe rotates by the
/// file's orientation.
class PictureSizes {
 public:
  explicit PictureSizes(const Case& known);
  /// Picture size of the target's frame; nothing if it has no picture.
  std::optional<postprocess::detection::Size> of(std::uint32_t frame) const;

 private:
  const Case& known_;
  std::map<std::uint32_t, std::size_t> samples_;
};

/// Reads a frame's outputs in the model's order; nothing if one was not recorded.
using ReadOutputs = Result<std::optional<std::vector<Tensor>>> (*)(const trace::Reader& reader,
                                                                   std::uint32_t frame);
/// Reads all outputs; also nothing if they are too large to keep in memory.
Result<std::optional<std::vector<Tensor>>> outputs_at(const trace::Reader& reader,
                                                      std::uint32_t frame);

/// A frame in which the app answered.
struct AnsweredFrame {
  std::uint32_t number = 0;
  std::vector<Tensor> outputs;
  trace::Answer answer;
};

/// Selects the answers to read.
struct WantedAnswers {
  kinds::AnswerId id{};
  std::size_t step = 1;  ///< Reads every n-th frame.
  ReadOutputs outputs = outputs_at;
  std::optional<std::uint32_t> one = std::nullopt;  ///< Only this frame.
  /// Called for answers of every kind.
  std::function<void(const trace::Answer&)> see = nullptr;
};

struct AnswerCounts {
  std::size_t answers = 0;  ///< Number of frames with an answer.
  std::size_t wanted = 0;   ///< Number of these whose answer is of the wanted kind.
  /// Number of those that also have the model's outputs; only these are visited.
  std::size_t with_outputs = 0;
};

/// Fails if the trace cannot be read or `visit` fails.
Result<AnswerCounts> visit_answers(const Case& known, const WantedAnswers& wanted,
                                   const std::function<Status(AnsweredFrame)>& visit);

/// Answers with places in a picture; `Frame` has the members of places::Frame.
template <class Frame>
struct PlacedAnswers {
  std::vector<Frame> frames;
  AnswerCounts counts;
};

/// `needs_picture`: leaves out frames whose picture size is unknown.
template <class Frame>
Result<PlacedAnswers<Frame>> placed_answers(const Case& known, const WantedAnswers& wanted,
                                            bool needs_picture) {
  PlacedAnswers<Frame> out;
  const PictureSizes sizes(known);
  auto counts = visit_answers(known, wanted, [&](AnsweredFrame frame) -> Status {
    const auto size = sizes.of(frame.number);
    if (!size && needs_picture) return {};
    out.frames.push_back({frame.number, std::move(frame.outputs), std::move(frame.answer),
                          size.value_or(postprocess::detection::Size{1, 1})});
    return {};
  });
  if (!counts) return std::move(counts.error());
  out.counts = *counts;
  return out;
}

}  // namespace edgeprobe::diagnose
