#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace edgeprobe::compare {

/// The inner loops of metrics.h, once for each instruction set. Internal to this folder, its tests and
/// its benchmark.

/// Element types that the loops read straight from a tensor; everything else is decoded to float first.
enum class Element : std::uint8_t { kFloat32, kInt8, kUInt8 };
constexpr std::size_t kElements = 3;
constexpr std::size_t size_of(Element element) { return element == Element::kFloat32 ? 4 : 1; }

/// Elements at any byte offset; real = (stored - zero) * scale for the integer types.
struct Operand {
  const std::byte* data = nullptr;
  Element element = Element::kFloat32;
  float scale = 1, zero = 0;

  Operand from(std::size_t index) const { return {data + index * size_of(element), element, scale, zero}; }
  float at(std::size_t index) const;
};

/// Sums over one block around the pivots (r - pivot_r, t - pivot_t); float lanes folded into double.
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

/// Sums for each of `width` columns; arrays are padded to whole vectors.
struct ColumnSums {
  enum Sum { kR, kT, kRR, kTT, kRT, kAbsD, kSqD, kSums };
  enum Extreme { kMaxAbsD, kMinR, kMaxR, kMinT, kMaxT, kExtremes };
  enum Count { kN, kZerosR, kZerosT, kEqual, kCounts };

  std::size_t width = 0, padded = 0;
  std::vector<double> sums;              ///< kSums x padded.
  std::vector<float> pivot_r, pivot_t;   ///< padded; zero behind width.
  std::vector<float> extremes;           ///< kExtremes x padded.
  std::vector<std::uint32_t> counts;     ///< kCounts x padded.
  std::vector<std::uint64_t> max_row;    ///< Row of kMaxAbsD.
  std::vector<NonFinite> non_finite;     ///< width.

  explicit ColumnSums(std::size_t columns);
  /// Everything to nothing added; pivots stay.
  void clear();
};

/// Pairs in one block; lanes are folded into double more often than that.
constexpr std::size_t kBlock = 4096;
/// Most rows whose sums a lane of the column loop holds before it is folded into double.
constexpr std::size_t kTileRows = 64;

struct Kernels {
  using Block = void (*)(const Operand& r, const Operand& t, std::size_t n, float pivot_r, float pivot_t,
                         Sums& sums);
  using Find = std::size_t (*)(const Operand& r, const Operand& t, std::size_t n, float abs_d);
  using Rows = void (*)(const Operand& r, const Operand& t, std::size_t rows, std::uint64_t first_row,
                        ColumnSums& columns);
  template <class Function>
  using Table = std::array<std::array<Function, kElements>, kElements>;

  const char* name = "";
  Table<Block> block;   ///< Every pair counts; the sums are not finite when a pair is not.
  Table<Block> masked;  ///< Pairs whose difference is not finite are left out; n says how many stayed.
  Table<Find> find;     ///< First index with |t - r| == abs_d; n when there is none.
  Table<Rows> rows;     ///< Adds at most kTileRows rows of columns.width pairs each.
};

/// The fastest set that this processor runs; chosen at the first call.
const Kernels& kernels();
/// Every set that this processor runs, slowest first: "generic", "avx2", "avx512".
std::vector<const Kernels*> available_kernels();

/// A block in double arithmetic: for values whose squares leave the range of float.
void exact_block(const Operand& r, const Operand& t, std::size_t n, float pivot_r, float pivot_t, Sums& sums);
/// True when float sums lost nothing to overflow or underflow.
bool in_float_range(const Sums& sums);
/// Below this, squares of differences approach the smallest normal float (1.2e-38).
constexpr float kSmallestTrusted = 1e-16f;
/// `count` columns from `column` on in double arithmetic, over `rows` rows.
void exact_columns(const Operand& r, const Operand& t, std::size_t rows, std::uint64_t first_row,
                   std::size_t column, std::size_t count, ColumnSums& columns);
void classify_columns(const Operand& r, const Operand& t, std::size_t rows, std::size_t column,
                      std::size_t count, ColumnSums& columns);

}  // namespace edgeprobe::compare
