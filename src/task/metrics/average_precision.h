// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace edgeprobe::task {

/// Detections and truths of one class in one frame, each compared with each other: boxes by
/// overlap, key points by OKS.
struct Scene {
  std::size_t frame = 0;
  int label = 0;
  std::vector<double> scores, areas;  ///< Scores and areas of the detections.
  std::vector<double> truth_areas;    ///< Areas of the truths.
  /// Flags of the truths; matching an ignored one is not an error.
  std::vector<bool> truth_ignored, crowd;
  std::vector<double> similarity;  ///< detections x truths, row-major.
};

/// Sizes, in square pixels, that count; others are ignored on both sides.
struct AreaRange {
  double low = 0, high = 1e10;
};
inline constexpr AreaRange kAllAreas{0, 1e10}, kSmallAreas{0, 32 * 32},
    kMediumAreas{32 * 32, 96 * 96}, kLargeAreas{96 * 96, 1e10};

/// Similarity thresholds for a match: .5, .55, … .95.
inline constexpr std::size_t kThresholds = 10;
double similarity_threshold(std::size_t index);

/// Average precision by COCO's rules: detections are matched to truths by falling score, at each
/// threshold of similarity; precision is interpolated at 101 recalls; the mean over classes and
/// thresholds.
class AveragePrecision {
 public:
  /// At most `most` detections of a class in a frame count, those with the highest scores.
  AveragePrecision(std::span<const Scene> scenes, const AreaRange& range, std::size_t most);

  /// Mean over the classes with a truth, for thresholds first..first+count-1; frame i counts
  /// weights[i] times. Empty without any truth.
  std::optional<double> mean(std::span<const std::uint32_t> weights, std::size_t first = 0,
                             std::size_t count = kThresholds) const;
  /// Average precision of one class.
  std::optional<double> of_class(int label, std::span<const std::uint32_t> weights,
                                 std::size_t first = 0, std::size_t count = kThresholds) const;
  /// Maximum recall, averaged over the classes and all thresholds.
  std::optional<double> mean_recall(std::span<const std::uint32_t> weights) const;
  /// Number of truths by class, without ignored ones.
  std::vector<std::pair<int, std::uint64_t>> there(std::span<const std::uint32_t> weights) const;
  double cost() const;  ///< Steps of mean().

 private:
  struct Found {
    double score;
    std::size_t frame;
    std::uint16_t right = 0, ignored = 0;  ///< One bit for each threshold.
  };
  struct Class {
    std::vector<Found> found;                                  ///< By falling score.
    std::vector<std::pair<std::size_t, std::uint64_t>> there;  ///< Frame and number of objects.
  };
  static std::uint64_t count_there(const Class& one, std::span<const std::uint32_t> weights);
  static double precision(const Class& one, std::uint64_t there,
                          std::span<const std::uint32_t> weights, std::size_t threshold);
  static double recall(const Class& one, std::uint64_t there,
                       std::span<const std::uint32_t> weights, std::size_t threshold);

  std::map<int, Class> classes_;
};

}  // namespace edgeprobe::task
