// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"

/// Families of image classifiers: networks whose stages have one branch for each processor, as in
/// NN-Stretch (J. Wei et al., MobiSys 2023), described in a YAML file and built as one list of
/// layers (network.h).
namespace edgeprobe::family {

enum class Stem {
  kConv,    ///< A convolution of stride 2.
  kPooled,  ///< The same, and a max pool of stride 2.
  kSmall,   ///< A 3x3 convolution of stride 1, for pictures of 32 pixels.
};

enum class Block {
  kPlain,             ///< Two 3x3 convolutions.
  kBasic,             ///< Two 3x3 convolutions and a shortcut.
  kBottleneck,        ///< 1x1, grouped 3x3, 1x1 and a shortcut.
  kLinearBottleneck,  ///< The same without an activation after the sum, and without a projection.
  kMbconv,            ///< Expansion, depthwise convolution, projection.
  kShuffle,           ///< The unit of ShuffleNet V2.
};

enum class Activation { kRelu, kSilu };

/// The convolutions that lead into a branch of another width and out of it.
enum class Adapters {
  kNone,      ///< A branch reads the joined tensor, and its own width is joined.
  kBranched,  ///< In stages with several branches.
  kAll,       ///< In all stages, as the artifact's PyTorch module has them.
};

/// Blocks of one width on one processor.
struct Branch {
  std::int64_t depth = 1, width = 0, stride = 1;
  /// Width of a bottleneck as a share of the branch's; expansion of kMbconv.
  double multiplier = 1;
  std::int64_t group_width = 0;  ///< Channels of each group of a bottleneck.
  std::int64_t kernel = 3;       ///< Of kMbconv; 3 in all other blocks.
  Activation activation = Activation::kRelu;
  std::size_t processor = 0;  ///< Index into Configuration::processors.
};

struct Stage {
  std::vector<Branch> branches;
  std::int64_t joined = 0;  ///< Channels that the file states for the joined tensor.
  int line = 0;             ///< In the file, from 1.
};

/// The networks that share a supernet's weights: shares of each branch's depth and width, and the
/// step of widths.
struct Elastic {
  double least_depth = 0.66, least_width = 0.5;
  std::int64_t grid = 8;
};

struct Configuration {
  std::string name;
  Stem stem = Stem::kConv;
  std::int64_t stem_width = 32, stem_kernel = 7;
  Block block = Block::kBottleneck;
  std::vector<Stage> stages;
  double squeeze = 0;  ///< Width inside a squeeze-excite, as a share of the block's input; 0: none.
  /// Of stem, head and the inside of every squeeze-excite.
  Activation activation = Activation::kRelu;
  Adapters adapters = Adapters::kNone;
  std::int64_t head_width = 0;  ///< 0: no convolution before the pool.
  std::int64_t classes = 10;
  double epsilon = 1e-5, momentum = 0.1;  ///< Of batch norms; momentum in PyTorch's sense.
  std::vector<std::string> processors;
  std::size_t stem_processor = 0, head_processor = 0, merge_processor = 0;
  std::int64_t size = 224;  ///< Pixels of a side of the picture.
  /// Crop and resize of NN-Stretch's training, in pixels; 0: not stated. They are not the size.
  std::int64_t train_size = 0, test_size = 0;
  std::optional<Elastic> elastic;     ///< Set for a supernet, whose largest network this is.
  std::string training;               ///< JSON: OPTIM, TRAIN, TEST and BN with all defaults.
  std::vector<std::string> warnings;  ///< Contradictions of the file, each with file and line.
};

/// Largest file, and largest values of a configuration.
inline constexpr std::size_t kMostFileBytes = 1'000'000;
inline constexpr std::int64_t kDeepestBranch = 256, kWidest = 65'536, kMostClasses = 100'000;
inline constexpr std::size_t kMostStages = 64, kMostBranches = 16;

/// Reads a configuration in NN-Stretch's form (the keys of pycls) or in the short one
/// (docs/reference/families.md). `label` precedes messages. kUsage with file, line, key and a
/// sentence for anything that is not a network.
Result<Configuration> read_configuration(std::string_view text, const std::string& label);
/// Same for a file; its stem is the name, unless the file states one. A missing file is kUsage too.
Result<Configuration> load_configuration(const std::filesystem::path& path);

/// The configuration in the short form; reads back as the same network, with the same training.
/// Adapters of all stages (Adapters::kAll) become those of branched ones.
std::string to_short_form(const Configuration& configuration);

/// In the order of the enums, as the short form spells them.
const std::vector<std::string>& stem_names();
const std::vector<std::string>& block_names();
const std::vector<std::string>& activation_names();

}  // namespace edgeprobe::family
