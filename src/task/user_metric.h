// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/result.h"
#include "core/shape.h"
#include "stats/interval.h"
#include "task/annotation.h"
#include "trace/answer.h"
#include "trace/read/reader.h"

/// Metrics that users compute themselves (docs/extending.md).
namespace edgeprobe::task {

struct MetricOutput {
  std::string name;
  Shape shape;
  std::vector<float> values;  ///< Row-major; codes are dequantised.
};

/// One frame as a metric sees it.
struct MetricFrame {
  std::vector<MetricOutput> outputs;
  std::optional<Annotation> annotation;
  std::optional<trace::Answer> answer;  ///< The app's.
};

/// A figure over many frames, computed elsewhere. Keeps what it needs of each frame.
class UserMetric {
 public:
  using Item = std::uint32_t;  ///< Number of a kept frame.

  UserMetric(std::string name, bool higher_is_better)
      : name_(std::move(name)), higher_is_better_(higher_is_better) {}
  UserMetric(const UserMetric&) = delete;
  UserMetric& operator=(const UserMetric&) = delete;
  virtual ~UserMetric() = default;

  const std::string& name() const { return name_; }  ///< Untrusted text.
  bool higher_is_better() const { return higher_is_better_; }
  /// The first error; all later calls return it again.
  const std::optional<Error>& failure() const { return failure_; }

  /// Nothing if the metric leaves this frame out.
  virtual Result<std::optional<Item>> add(const MetricFrame& frame) = 0;
  /// The figure over these items, each as often as it is listed. Nothing if they do not define it.
  virtual Result<std::optional<double>> figure(std::span<const Item> items) = 0;

 protected:
  Error failed(Error error) { return *(failure_ = std::move(error)); }

 private:
  std::string name_;
  bool higher_is_better_;
  std::optional<Error> failure_;
};

struct MetricScore {
  std::optional<double> value;
  std::optional<stats::Interval> ci95;  ///< By bootstrap over frames.
};

/// A user's metric over the frames of one side, or of both.
struct MetricResult {
  std::string name;  ///< Untrusted text.
  bool higher_is_better = true;
  std::uint64_t frames = 0;          ///< Frames that count.
  std::vector<std::size_t> counted;  ///< Their numbers among all frames of the sides; ascending.
  std::uint64_t left_out = 0;        ///< Frames that the metric leaves out on all sides.
  /// Frames that it leaves out on one side only; they do not count.
  std::uint64_t one_sided = 0;
  MetricScore reference;  ///< Empty for one side.
  MetricScore target;
  std::optional<double> difference;  ///< Target minus reference.
  std::optional<stats::Interval> difference_ci95;
  double p_value = 1;  ///< By exchange of answers (stats::paired()).

  /// True if the target is worse by more than chance.
  bool is_loss() const;
};

/// A recorded frame as a metric sees it. kCorrupt if it cannot be read.
Result<MetricFrame> metric_frame(const trace::Reader& trace, std::uint32_t frame,
                                 const std::optional<Annotation>& annotation);

/// Returns a frame of one side.
using MetricFrameAt = std::function<Result<MetricFrame>(std::size_t frame)>;

/// All fail if the metric fails or a frame cannot be read.
Result<MetricScore> metric_score(UserMetric& metric, const std::vector<UserMetric::Item>& items);
/// Over all frames of a trace.
Result<MetricResult> metric_result(
    UserMetric& metric, const trace::Reader& trace,
    const std::function<std::optional<Annotation>(const trace::FrameRecord&)>& annotation_of);
/// Over the frames of two sides.
Result<MetricResult> metric_result(UserMetric& metric, std::size_t frames,
                                   const MetricFrameAt& reference, const MetricFrameAt& target);

}  // namespace edgeprobe::task
