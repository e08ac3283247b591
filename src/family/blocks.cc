// SPDX-License-Identifier: Apache-2.0
// Names of layers with weights are those of the modules in NN-Stretch's PyTorch code, so that its
// checkpoints fit.
#include "family/blocks.h"

#include "family/forms.h"

namespace edgeprobe::family {

int Builder::squeeze(const std::string& name, int input, std::int64_t inner) {
  const std::int64_t outer = channels(input);
  int factors = global_pool(name + ".avg_pool", input);
  factors = conv(name + ".f_ex.0", factors, inner, 1, 1, 1, true);
  factors = activation(name + ".f_ex.1", factors, inner_);
  factors = conv(name + ".f_ex.2", factors, outer, 1, 1, 1, true);
  factors = push(like(name + ".f_ex.3", Op::kSigmoid, factors));
  return multiply(name, input, factors);
}

/// The layers parallel to the shortcut of a residual block.
int Builder::transform(Block kind, const std::string& name, int input, const Branch& branch,
                       std::int64_t stride, double squeeze_share) {
  const auto inner = static_cast<double>(channels(input));
  int x = input;
  if (kind == Block::kBasic) {
    x = norm(name + ".a_bn", conv(name + ".a", x, branch.width, 3, stride));
    x = activation(name + ".a_af", x, branch.activation);
    return norm(name + ".b_bn", conv(name + ".b", x, branch.width, 3), true);
  }
  const std::int64_t width = rounded(static_cast<double>(branch.width) * branch.multiplier);
  x = norm(name + ".a_bn", conv(name + ".a", x, width, 1));
  x = activation(name + ".a_af", x, branch.activation);
  x = norm(name + ".b_bn", conv(name + ".b", x, width, 3, stride, width / branch.group_width));
  x = activation(name + ".b_af", x, branch.activation);
  if (const std::int64_t squeezed = rounded(inner * squeeze_share); squeezed > 0)
    x = squeeze(name + ".se", x, squeezed);
  return norm(name + ".c_bn", conv(name + ".c", x, branch.width, 1), true);
}

int Builder::mbconv(const std::string& name, int input, const Branch& branch, std::int64_t stride,
                    double squeeze_share) {
  const auto width = static_cast<double>(channels(input));
  const std::int64_t expanded = truncated(width * branch.multiplier);
  int x = input;
  if (expanded != channels(input)) {
    x = norm(name + ".exp_bn", conv(name + ".exp", x, expanded, 1));
    x = activation(name + ".exp_af", x, branch.activation);
  }
  x = conv(name + ".dwise", x, expanded, branch.kernel, stride, expanded);
  x = activation(name + ".dwise_af", norm(name + ".dwise_bn", x), branch.activation);
  if (const std::int64_t squeezed = truncated(width * squeeze_share); squeezed > 0)
    x = squeeze(name + ".se", x, squeezed);
  const bool has_shortcut = stride == 1 && channels(input) == branch.width;
  x = norm(name + ".lin_proj_bn", conv(name + ".lin_proj", x, branch.width, 1));
  return has_shortcut ? add(name + ".add", input, x) : x;
}

int Builder::unit(const std::string& name, int input, const Branch& branch, std::int64_t stride) {
  const std::int64_t half = branch.width / 2;
  // A unit that changes the width reads all channels twice, as one with a stride does.
  const bool splits = stride == 1 && channels(input) == 2 * half;
  int left = input, right = input;
  if (splits) {
    left = slice(name + ".left", input, 0, half);
    right = slice(name + ".right", input, half, half);
  } else {
    const std::string at = name + ".branch1.";
    left = norm(at + "1", conv(at + "0", left, channels(left), 3, stride, channels(left)));
    left = norm(at + "3", conv(at + "2", left, half, 1));
    left = activation(at + "4", left, branch.activation);
  }
  const std::string at = name + ".branch2.";
  right = activation(at + "2", norm(at + "1", conv(at + "0", right, half, 1)), branch.activation);
  right = norm(at + "4", conv(at + "3", right, half, 3, stride, half));
  right = norm(at + "6", conv(at + "5", right, half, 1));
  right = activation(at + "7", right, branch.activation);
  return shuffle(name + ".shuffle", concat(name + ".concat", {left, right}), 2);
}

int Builder::block(Block kind, const std::string& name, int input, const Branch& branch,
                   std::int64_t stride, double squeeze_share) {
  switch (kind) {
    case Block::kMbconv: return mbconv(name, input, branch, stride, squeeze_share);
    case Block::kShuffle: return unit(name, input, branch, stride);
    case Block::kPlain: {
      int x = norm(name + ".a_bn", conv(name + ".a", input, branch.width, 3, stride));
      x = activation(name + ".a_af", x, branch.activation);
      x = norm(name + ".b_bn", conv(name + ".b", x, branch.width, 3));
      return activation(name + ".b_af", x, branch.activation);
    }
    case Block::kLinearBottleneck: {
      const int x = transform(kind, name + ".f", input, branch, stride, squeeze_share);
      const bool has_shortcut = stride == 1 && channels(input) == branch.width;
      return has_shortcut ? add(name + ".add", input, x) : x;
    }
    case Block::kBasic:
    case Block::kBottleneck: break;
  }
  int shortcut = input;
  if (stride != 1 || channels(input) != branch.width)
    shortcut = norm(name + ".bn", conv(name + ".proj", input, branch.width, 1, stride));
  const int x = transform(kind, name + ".f", input, branch, stride, squeeze_share);
  return activation(name + ".af", add(name + ".add", shortcut, x), branch.activation);
}

}  // namespace edgeprobe::family
