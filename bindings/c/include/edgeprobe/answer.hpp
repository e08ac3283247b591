// SPDX-License-Identifier: Apache-2.0
// The answer of a frame in the application's own containers of labels, scores, boxes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "edgeprobe/tensor.hpp"
#include "edgeprobe/types.hpp"

namespace edgeprobe {
inline namespace v1 {

/// An application's result from the model's outputs. Numbers and texts are borrowed: they must live
/// until Frame::answer() returns; temporaries in that call do. A list of length 0 is an answer, "no
/// box"; an omitted one means nothing. Labels, classes, scores and boxes have equal lengths.
class Answer {
 public:
  Answer() noexcept { answer_.struct_size = sizeof answer_; }
  Answer(const Answer&) = delete;
  Answer& operator=(const Answer&) = delete;

  /// Distinguishes several answers of a frame.
  Answer& name(Name name) noexcept {
    answer_.name = name.c_str();
    return *this;
  }
  /// UTF-8: a container of std::string or const char*.
  template <class Container>
  Answer& labels(const Container& labels) noexcept {
    return put_labels(std::begin(labels), std::end(labels));
  }
  Answer& labels(std::initializer_list<const char*> labels) noexcept {
    return put_labels(labels.begin(), labels.end());
  }
  /// Class numbers instead of labels, or in addition: integers of any type.
  template <class Container>
  Answer& classes(const Container& classes) noexcept {
    using T = detail::Value<Container>;
    static_assert(std::is_integral_v<T>, "classes are whole numbers");
    const std::size_t count = std::size(classes);
    if constexpr (std::is_same_v<T, std::int64_t>) {
      answer_.classes = std::data(classes);
    } else {
      guard([&] { classes_.assign(std::begin(classes), std::end(classes)); });
      answer_.classes = classes_.data();
    }
    return put(EDGEPROBE_ANSWER_CLASSES, count);
  }
  Answer& classes(std::initializer_list<std::int64_t> classes) noexcept {
    guard([&] { classes_.assign(classes); });
    answer_.classes = classes_.data();
    return put(EDGEPROBE_ANSWER_CLASSES, classes.size());
  }
  /// A container of float.
  template <class Container>
  Answer& scores(const Container& scores) noexcept {
    static_assert(std::is_same_v<detail::Value<Container>, float>, "scores are float");
    return this->scores(std::data(scores), std::size(scores));
  }
  Answer& scores(const float* scores, std::size_t count) noexcept {
    answer_.scores = scores;
    return put(EDGEPROBE_ANSWER_SCORES, count);
  }
  Answer& scores(std::initializer_list<float> scores) noexcept {
    return this->scores(scores.begin(), scores.size());
  }
  /// Four numbers each, in the application's form: a container of float or of std::array<float, 4>.
  template <class Container>
  Answer& boxes(const Container& boxes) noexcept {
    return this->boxes(rows<4>(boxes), row_count<4>(boxes));
  }
  Answer& boxes(const float* boxes, std::size_t count) noexcept {
    answer_.boxes = boxes;
    return put(EDGEPROBE_ANSWER_BOXES, count);
  }
  /// A class for each pixel: a container of std::uint8_t, std::uint16_t or std::int32_t.
  template <class Container>
  Answer& mask(const Container& classes, std::size_t height, std::size_t width) noexcept {
    if (std::size(classes) != height * width)
      fail("the mask of an answer has another number of values than its height times its width");
    answer_.mask = std::data(classes);
    answer_.mask_dtype = DtypeOf<detail::Value<Container>>::value;
    answer_.mask_height = static_cast<std::uint32_t>(height);
    answer_.mask_width = static_cast<std::uint32_t>(width);
    answer_.parts |= EDGEPROBE_ANSWER_MASK;
    return *this;
  }
  /// x, y and score each; NaN for a point that is not visible: float or std::array<float, 3>.
  template <class Container>
  Answer& points(const Container& points) noexcept {
    answer_.points = rows<3>(points);
    answer_.point_count = row_count<3>(points);
    answer_.parts |= EDGEPROBE_ANSWER_POINTS;
    return *this;
  }
  /// An embedding: a container of float.
  template <class Container>
  Answer& vector(const Container& values) noexcept {
    static_assert(std::is_same_v<detail::Value<Container>, float>, "the vector is float");
    answer_.vector = std::data(values);
    answer_.vector_count = std::size(values);
    answer_.parts |= EDGEPROBE_ANSWER_VECTOR;
    return *this;
  }
  /// An anomaly score.
  Answer& score(float score) noexcept {
    answer_.score = score;
    answer_.parts |= EDGEPROBE_ANSWER_SCORE;
    return *this;
  }
  Answer& alarm(bool alarm) noexcept {
    answer_.alarm = alarm ? 1 : 0;
    answer_.parts |= EDGEPROBE_ANSWER_ALARM;
    return *this;
  }
  /// The recognised or generated text, in UTF-8.
  Answer& text(Name text) noexcept {
    answer_.text = text.c_str();
    answer_.parts |= EDGEPROBE_ANSWER_TEXT;
    return *this;
  }

  Status log(edgeprobe_frame* frame) const noexcept {
    return status(problem_ != nullptr && frame != nullptr
                      ? edgeprobe_fail(EDGEPROBE_USAGE, problem_)
                      : edgeprobe_log_answer(frame, &answer_));
  }

 private:
  void fail(const char* problem) noexcept {
    if (problem_ == nullptr) problem_ = problem;
  }
  template <class Call>
  void guard(const Call& call) noexcept {
    try {
      call();
    } catch (...) {
      fail("no memory for an answer");
    }
  }
  Answer& put(edgeprobe_answer_part part, std::size_t count) noexcept {
    if (has_count_ && answer_.count != count)
      fail("labels, classes, scores and boxes of an answer differ in number; give one for each");
    has_count_ = true;
    answer_.count = count;
    answer_.parts |= part;
    return *this;
  }
  static const char* c_text(const char* text) noexcept { return text; }
  static const char* c_text(const std::string& text) noexcept { return text.c_str(); }
  template <class At>
  Answer& put_labels(At at, At end) noexcept {
    guard([&] {
      labels_.clear();
      for (; at != end; ++at) labels_.push_back(c_text(*at));
    });
    answer_.labels = labels_.data();
    return put(EDGEPROBE_ANSWER_LABELS, labels_.size());
  }
  template <std::size_t kWidth, class Container>
  static const float* rows(const Container& values) noexcept {
    using T = detail::Value<Container>;
    if constexpr (std::is_same_v<T, float>) {
      return std::data(values);
    } else {
      static_assert(std::is_same_v<T, std::array<float, kWidth>>,
                    "boxes are float or std::array<float, 4>, points float or "
                    "std::array<float, 3>");
      return std::size(values) > 0 ? std::data(values)->data() : nullptr;
    }
  }
  template <std::size_t kWidth, class Container>
  std::size_t row_count(const Container& values) noexcept {
    if constexpr (std::is_same_v<detail::Value<Container>, float>) {
      if (std::size(values) % kWidth != 0)
        fail("boxes have four numbers each, points three: the answer has some left over");
      return std::size(values) / kWidth;
    } else {
      return std::size(values);
    }
  }

  edgeprobe_answer answer_ = {};
  bool has_count_ = false;
  const char* problem_ = nullptr;
  std::vector<const char*> labels_;
  std::vector<std::int64_t> classes_;
};

}  // namespace v1
}  // namespace edgeprobe
