// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace edgeprobe::compare {

/// The inner loops of metrics.h, once for each instruction set. Internal to this folder, its tests
/// and its benchmark.

/// Element types that the loops read straight from a tensor; everything else is decoded to float
/// first.
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

/// Pairs that no sum takes in.
struct NonFinite {
  std::uint64_t nan_r = 0, nan_t = 0, inf_r = 0, inf_t = 0, mismatch = 0, overflow = 0;
  void add(float r, float t);
};

/// Integer sums over pairs of codes as they are stored; d = t - r. Exact.
struct CodeSums {
  std::int64_t r = 0, t = 0, rr = 0, tt = 0, rt = 0, abs_d = 0;
  std::uint64_t n = 0, zeros_r = 0, zeros_t = 0, equal = 0;
  int max_abs_d = 0;
  int min_r = 0, max_r = 0, min_t = 0, max_t = 0;  ///< Meaningful when n > 0.
};

/// Pairs in one block; lanes are folded into double more often than that.
constexpr std::size_t kBlock = 4096;
/// Most pairs of codes in one block: its sums of products stay below 2^31 in each lane.
constexpr std::size_t kCodeBlock = 16384;
/// Most rows whose squares a float lane adds up before it is folded into double.
constexpr std::size_t kSquareRows = 32;
/// From here on the squares of so many rows may leave the range of float.
constexpr float kLargestSquared = 1e17f;

struct Kernels {
  using Block = void (*)(const Operand& r, const Operand& t, std::size_t n, float pivot_r,
                         float pivot_t, Sums& sums);
  using Find = std::size_t (*)(const Operand& r, const Operand& t, std::size_t n, float abs_d);
  using Squares = void (*)(const Operand& r, const Operand& t, std::size_t rows, std::size_t width,
                           double* columns);
  using CodeBlock = void (*)(const std::byte* r, const std::byte* t, std::size_t n, int zero,
                             CodeSums& sums);
  using FindCode = std::size_t (*)(const std::byte* r, const std::byte* t, std::size_t n,
                                   int abs_d);
  using CodeSquares = void (*)(const std::byte* r, const std::byte* t, std::size_t rows,
                               std::size_t width, double* columns);
  template <class Function>
  using Table = std::array<std::array<Function, kElements>, kElements>;

  const char* name = "";
  Table<Block> block;  ///< Every pair counts; the sums are not finite when a pair is not.
  /// Pairs whose difference is not finite are left out; n says how many stayed.
  Table<Block> masked;
  Table<Find> find;               ///< First index with |t - r| == abs_d; n when there is none.
  Table<Squares> squares;         ///< Adds (t - r)^2 of each row of `width` pairs to its column.
  Table<Squares> masked_squares;  ///< The same; pairs whose difference is not finite add nothing.
  /// Codes of one type and one quantisation on both sides, whose differences are multiples of the
  /// scale.
  struct Codes {
    CodeBlock block;      ///< At most kCodeBlock pairs; `zero` may lie outside of the codes.
    FindCode find;        ///< First index with |t - r| == abs_d; n when there is none.
    CodeSquares squares;  ///< As above, in codes.
  };
  Codes signed_codes, unsigned_codes;
};

/// A block in double arithmetic: for values whose squares leave the range of float.
void exact_block(const Operand& r, const Operand& t, std::size_t n, float pivot_r, float pivot_t,
                 Sums& sums);
/// True when float sums lost nothing to overflow or underflow.
bool in_float_range(const Sums& sums);
/// Below this, squares of differences approach the smallest normal float (1.2e-38).
constexpr float kSmallestTrusted = 1e-16f;
/// Kernels::masked_squares in double arithmetic.
void exact_squares(const Operand& r, const Operand& t, std::size_t rows, std::size_t width,
                   double* columns);

}  // namespace edgeprobe::compare
