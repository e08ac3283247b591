// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace edgeprobe::compare {

/// The inner loops of metrics.h for each instruction set. Internal to this folder, its tests and
/// its benchmark.

/// Element types that the loops read directly; all others are decoded to float first.
enum class Element : std::uint8_t { kFloat32, kInt8, kUInt8 };
constexpr std::size_t kElements = 3;
constexpr std::size_t size_of(Element element) { return element == Element::kFloat32 ? 4 : 1; }

/// Elements at any byte offset; real = (stored - zero) * scale for the integer types.
struct Operand {
  const std::byte* data = nullptr;
  Element element = Element::kFloat32;
  float scale = 1, zero = 0;

  Operand from(std::size_t index) const {
    return {data + index * size_of(element), element, scale, zero};
  }
  float at(std::size_t index) const;
};

/// Sums over one block around the pivots (r - pivot_r, t - pivot_t); float lanes folded into
/// double.
struct Sums {
  double r = 0, t = 0, rr = 0, tt = 0, rt = 0, abs_d = 0, sq_d = 0;
  float max_abs_d = 0;
  float min_r = 0, max_r = 0, min_t = 0, max_t = 0;  ///< Meaningful when n > 0.
  std::uint64_t n = 0, zeros_r = 0, zeros_t = 0, equal = 0;
};

/// Counts of pairs excluded from all sums.
struct NonFinite {
  std::uint64_t nan_r = 0, nan_t = 0, inf_r = 0, inf_t = 0, mismatch = 0, overflow = 0;
  void add(float r, float t);
};

/// Exact integer sums over pairs of stored codes; d = t - r. The products r t follow from the
/// squares: 2 r t = r^2 + t^2 - d^2.
struct CodeSums {
  std::int64_t r = 0, t = 0, rr = 0, tt = 0, abs_d = 0;
  std::int64_t sq_d = 0;  ///< Not filled by Kernels::CodeBlock: the sum of all columns.
  std::uint64_t n = 0, zeros_r = 0, zeros_t = 0, equal = 0;
  std::uint64_t ends_r = 0, ends_t = 0;  ///< Codes at either end of their range.
  int max_abs_d = 0;
  int min_r = 0, max_r = 0, min_t = 0, max_t = 0;  ///< Meaningful when n > 0.
};

/// Pairs in one block; lanes are folded into double more often.
constexpr std::size_t kBlock = 4096;
/// Largest number of code pairs in a block: sums of products stay below 2^31 in each lane.
constexpr std::size_t kCodeBlock = 16384;
/// Largest number of rows whose squared distances of codes fit into a column of 32 bits.
constexpr std::size_t kCodeRows = 65536;
/// Largest number of rows whose squares a float lane adds before folding into double.
constexpr std::size_t kSquareRows = 32;
/// From this value on, the sum of that many squared rows may overflow a float.
constexpr float kLargestSquared = 1e17f;

struct Kernels {
  using Block = void (*)(const Operand& r, const Operand& t, std::size_t n, float pivot_r,
                         float pivot_t, Sums& sums);
  using Find = std::size_t (*)(const Operand& r, const Operand& t, std::size_t n, float abs_d);
  using Squares = void (*)(const Operand& r, const Operand& t, std::size_t rows, std::size_t width,
                           double* columns);
  using CodeBlock = void (*)(const std::byte* r, const std::byte* t, std::size_t n, int zero,
                             std::byte* distances, CodeSums& sums);
  using CodeSquares = void (*)(const std::byte* distances, std::size_t rows, std::size_t width,
                               int most, std::uint32_t* columns);
  using Range = void (*)(const std::byte* floats, std::size_t n, std::uint32_t& least,
                         std::uint32_t& most);
  template <class Function>
  using Table = std::array<std::array<Function, kElements>, kElements>;

  const char* name = "";
  Table<Block> block;  ///< Uses all pairs; the sums are non-finite if a pair is.
  /// Leaves out pairs with a non-finite difference; n counts the others.
  Table<Block> masked;
  Table<Find> find;               ///< First index with |t - r| == abs_d; n if there is none.
  Table<Squares> squares;         ///< Adds (t - r)^2 to columns for each row of `width` pairs.
  Table<Squares> masked_squares;  ///< The same, without pairs that have a non-finite difference.
  /// Sums of codes with the same type and quantisation on both sides, whose differences are
  /// multiples of the scale; at most kCodeBlock pairs. Writes |t - r| of each pair to `distances`.
  /// `zero` may be outside the range of codes.
  CodeBlock signed_codes, unsigned_codes;
  /// Adds the squares of distances to columns for each row of `width`; none is above `most`.
  CodeSquares code_squares;
  /// The smallest bits of a float's absolute value less one (the largest number for 0), and its
  /// largest bits: they show whether any value is denormal, large or not finite.
  Range range;
};

/// A block in double arithmetic, for values whose squares overflow or underflow a float.
void exact_block(const Operand& r, const Operand& t, std::size_t n, float pivot_r, float pivot_t,
                 Sums& sums);
/// True if the float sums did not overflow or underflow.
bool in_float_range(const Sums& sums);
/// Below this, squares of differences approach the smallest normal float (1.2e-38).
constexpr float kSmallestTrusted = 1e-16f;
/// Kernels::masked_squares in double arithmetic.
void exact_squares(const Operand& r, const Operand& t, std::size_t rows, std::size_t width,
                   double* columns);

}  // namespace edgeprobe::compare
