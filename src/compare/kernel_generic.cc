// Four lanes in the compiler's own vector type: SSE2 on x86-64, NEON on aarch64, plain code elsewhere.
#include <cstring>
#include <type_traits>

#include "compare/kernel_sets.h"

#define EDGEPROBE_TARGET

namespace edgeprobe::compare {
namespace {

struct Lanes4 {
  static constexpr std::size_t kWidth = 4;
  using F = float __attribute__((vector_size(16)));
  using I = std::int32_t __attribute__((vector_size(16)));
  using K = I;

  static F splat(float v) { return F{v, v, v, v}; }
  static I splat_int(int v) { return I{v, v, v, v}; }
  static F add(F a, F b) { return a + b; }
  static F sub(F a, F b) { return a - b; }
  static F fma(F a, F b, F c) { return a * b + c; }
  static F abs(F a) { return as_float(as_int(a) & splat_int(0x7fffffff)); }
  static F min(F a, F b) { return a < b ? a : b; }
  static F max(F a, F b) { return a > b ? a : b; }
  static K all() { return splat_int(-1); }
  static K first(std::size_t n) { return I{0, 1, 2, 3} < splat_int(static_cast<int>(n)); }
  static K both(K a, K b) { return a & b; }
  static K below(F a, F b) { return a < b; }
  static K equal(F a, F b) { return a == b; }
  static unsigned bits(K k) { return (k[0] & 1u) | (k[1] & 2u) | (k[2] & 4u) | (k[3] & 8u); }
  static F keep(K k, F a) { return as_float(as_int(a) & k); }
  static F select(K k, F yes, F no) { return as_float((as_int(yes) & k) | (as_int(no) & ~k)); }
  static I select_int(K k, I yes, I no) { return (yes & k) | (no & ~k); }
  static I tally(I count, K k) { return count - k; }
  static std::uint64_t total_int(I a) {
    std::uint64_t sum = 0;
    for (int lane = 0; lane < 4; ++lane) sum += static_cast<std::uint32_t>(a[lane]);
    return sum;
  }
  static float largest(F a) {
    float best = a[0];
    for (int lane = 1; lane < 4; ++lane) best = a[lane] > best ? a[lane] : best;
    return best;
  }
  static F load_floats(const float* p) {
    F v;
    std::memcpy(&v, p, sizeof v);
    return v;
  }
  static void store(float* p, F a) { std::memcpy(p, &a, sizeof a); }
  static void add_to(double* p, F a) {
    for (int lane = 0; lane < 4; ++lane) p[lane] += double{a[lane]};
  }
  static void add_to(std::uint32_t* p, I a) {
    for (int lane = 0; lane < 4; ++lane) p[lane] += static_cast<std::uint32_t>(a[lane]);
  }

  template <Element kElement>
  static F load(const std::byte* data, std::size_t i, F scale, F zero) {
    if constexpr (kElement == Element::kFloat32) {
      F v;
      std::memcpy(&v, data + i * 4, sizeof v);
      return v;
    } else {
      using Code = std::conditional_t<kElement == Element::kInt8, std::int8_t, std::uint8_t>;
      Code c[4];
      std::memcpy(c, data + i, 4);
      return (F{float(c[0]), float(c[1]), float(c[2]), float(c[3])} - zero) * scale;
    }
  }
  template <Element kElement>
  static F load_part(const std::byte* data, std::size_t i, std::size_t n, F scale, F zero) {
    std::byte buffer[16] = {};
    std::memcpy(buffer, data + i * size_of(kElement), n * size_of(kElement));
    return load<kElement>(buffer, 0, scale, zero);
  }

 private:
  static I as_int(F a) {
    I bits;
    std::memcpy(&bits, &a, sizeof bits);
    return bits;
  }
  static F as_float(I a) {
    F value;
    std::memcpy(&value, &a, sizeof value);
    return value;
  }
};

#include "compare/kernel_body.h"

}  // namespace

const Kernels& generic_kernels() {
  static const Kernels set = make_kernels<Lanes4>("generic");
  return set;
}

}  // namespace edgeprobe::compare
