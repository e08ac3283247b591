// SPDX-License-Identifier: Apache-2.0
#include "dataset/annotations/readers.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "archive/npz.h"
#include "core/codec.h"
#include "core/text.h"

namespace edgeprobe::dataset {
namespace {

using ByName = std::map<std::string, task::Annotation>;

Error bad(const std::string& array, const std::string& what) {
  return {ErrorKind::kCorrupt, "array '" + array + "' " + what};
}

template <class T>
double number_at(const std::byte* bytes, std::size_t index) {
  return static_cast<double>(load_little<T>(bytes + index * sizeof(T)));
}

/// The numbers of an array, unrounded: 64-bit boxes keep their precision.
Result<std::vector<double>> values_of(const Tensor& tensor) {
  const std::size_t size = size_of(tensor.spec.dtype);
  double (*at)(const std::byte*, std::size_t) = nullptr;
  switch (tensor.spec.dtype) {
    case DType::kFloat64: at = number_at<double>; break;
    case DType::kInt64: at = number_at<std::int64_t>; break;
    case DType::kUInt64: at = number_at<std::uint64_t>; break;
    case DType::kInt32: at = number_at<std::int32_t>; break;
    case DType::kUInt32: at = number_at<std::uint32_t>; break;
    default: break;
  }
  std::vector<double> values;
  if (at) {
    for (std::size_t i = 0; i < tensor.bytes.size() / size; ++i)
      values.push_back(at(tensor.bytes.data(), i));
    return values;
  }
  EP_TRY(const auto floats, stored_as_float(tensor));
  values.assign(floats.begin(), floats.end());
  return values;
}

bool is_number_of_class(double value, double most) {
  return value >= 0 && value <= most && std::floor(value) == value;
}

class Arrays {
 public:
  explicit Arrays(const archive::Npz& npz) : npz_(npz) {}

  Result<ByName> read() {
    const auto names = npz_.texts.find(archive::kSamples);
    if (names == npz_.texts.end())
      return Error{ErrorKind::kCorrupt,
                   "expected an array 'samples' of texts, the names of the samples"};
    names_ = names->second;
    for (const auto& [name, add] :
         std::initializer_list<std::pair<const char*, Status (Arrays::*)(const Tensor&)>>{
             {"boxes", &Arrays::add_boxes},
             {"points", &Arrays::add_points},
             {"masks", &Arrays::add_masks},
             {"vectors", &Arrays::add_vectors},
             {"anomalies", &Arrays::add_anomalies},
             {"identities", &Arrays::add_identities},
             {"labels", &Arrays::add_labels}})
      if (const Tensor* const array = array_named(name)) {
        EP_CHECK((this->*add)(*array));
        return std::move(by_name_);
      }
    return Error{
        ErrorKind::kCorrupt,
        "expected, in addition to 'samples', one of the arrays boxes, points, masks, vectors, "
        "anomalies, identities, labels"};
  }

 private:
  const Tensor* array_named(const std::string& name) const {
    const auto at = std::find_if(npz_.arrays.begin(), npz_.arrays.end(),
                                 [&](const Tensor& array) { return array.spec.name == name; });
    return at == npz_.arrays.end() ? nullptr : &*at;
  }

  Status put(std::size_t row, task::Annotation truth) {
    if (by_name_.emplace(names_[row], std::move(truth)).second) return {};
    return Error{ErrorKind::kCorrupt,
                 "'samples' has the name '" + sanitized(names_[row], 80) + "' twice"};
  }

  // Checks for one entry for each sample and `rank` dimensions.
  Status check(const Tensor& array, std::size_t rank, const char* expected) const {
    const Shape& shape = array.spec.shape;
    if (shape.size() == rank && static_cast<std::size_t>(shape[0]) == names_.size()) return {};
    return bad(array.spec.name, "has the shape " + to_text(shape) + ", expected " + expected +
                                    " for the " + std::to_string(names_.size()) + " samples");
  }

  // Reads an integer for each sample.
  Status add_numbers(const Tensor& array, double most,
                     const std::function<task::Annotation(double)>& truth_of) {
    EP_CHECK(check(array, 1, "(n,)"));
    EP_TRY(const auto values, values_of(array));
    for (std::size_t row = 0; row < names_.size(); ++row) {
      if (!is_number_of_class(values[row], most))
        return bad(array.spec.name, "row " + std::to_string(row) + " holds " + number(values[row]) +
                                        "; expected whole numbers 0 to " + number(most));
      EP_CHECK(put(row, truth_of(values[row])));
    }
    return {};
  }
  Status add_labels(const Tensor& array) {
    return add_numbers(array, 16'777'215,
                       [](double v) { return task::ClassLabel{static_cast<int>(v)}; });
  }
  Status add_anomalies(const Tensor& array) {
    return add_numbers(array, 1, [](double v) { return task::TrueAnomaly{v == 1}; });
  }
  Status add_identities(const Tensor& array) {
    return add_numbers(array, 16'777'215, [](double v) {
      return task::Identity{std::to_string(static_cast<std::int64_t>(v))};
    });
  }

  Status add_vectors(const Tensor& array) {
    EP_CHECK(check(array, 2, "(n, d)"));
    EP_TRY(const auto values, values_of(array));
    const auto length = static_cast<std::size_t>(array.spec.shape[1]);
    for (std::size_t row = 0; row < names_.size(); ++row) {
      task::TrueVector vector;
      for (std::size_t i = 0; i < length; ++i) {
        vector.values.push_back(static_cast<float>(values[row * length + i]));
        if (!std::isfinite(vector.values.back()))
          return bad("vectors", "row " + std::to_string(row) + " holds NaN or infinity");
      }
      EP_CHECK(put(row, std::move(vector)));
    }
    return {};
  }

  Status add_masks(const Tensor& array) {
    EP_CHECK(check(array, 3, "(n, height, width)"));
    EP_TRY(const auto values, values_of(array));
    const auto height = static_cast<std::uint32_t>(array.spec.shape[1]),
               width = static_cast<std::uint32_t>(array.spec.shape[2]);
    const std::size_t size = std::size_t{height} * width;
    for (std::size_t row = 0; row < names_.size(); ++row) {
      auto classes = std::make_shared<std::vector<std::uint8_t>>(size);
      for (std::size_t i = 0; i < size; ++i) {
        const double value = values[row * size + i];
        if (!is_number_of_class(value, task::TrueMask::kIgnored))
          return bad("masks", "row " + std::to_string(row) + " holds " + number(value) +
                                  "; expected classes 0 to 254, or 255 for what does not count");
        (*classes)[i] = static_cast<std::uint8_t>(value);
      }
      EP_CHECK(put(row, task::TrueMask{height, width, std::move(classes)}));
    }
    return {};
  }

  /// Width and height of each sample's picture; zeros if the file has none.
  Result<std::vector<double>> sizes() const {
    const Tensor* const array = array_named("sizes");
    if (!array) return std::vector<double>(2 * names_.size(), 0);
    EP_CHECK(check(*array, 2, "(n, 2)"));
    if (array->spec.shape[1] != 2) return bad("sizes", "expected width and height in each row");
    auto values = values_of(*array);
    if (!values) return values;
    for (const double value : *values)
      if (!(value > 0 && value < 1e9)) return bad("sizes", "holds " + number(value));
    return values;
  }

  Status add_boxes(const Tensor& array) {
    const Shape& shape = array.spec.shape;
    if (shape.size() != 2 || shape[1] != 6)
      return bad("boxes", "has the shape " + to_text(shape) +
                              ", expected (m, 6): sample, x0, y0, x1, y1, class");
    EP_TRY(const auto values, values_of(array));
    EP_TRY(const auto size, sizes());
    std::vector<task::TrueBoxes> all(names_.size());
    for (std::size_t row = 0; row < all.size(); ++row) {
      all[row].width = size[2 * row];
      all[row].height = size[2 * row + 1];
    }
    for (std::size_t m = 0; m < static_cast<std::size_t>(shape[0]); ++m) {
      const double* const v = values.data() + 6 * m;
      const std::string who = "row " + std::to_string(m);
      if (!is_number_of_class(v[0], static_cast<double>(names_.size()) - 1))
        return bad("boxes", who + " is of sample " + number(v[0]) + "; there are " +
                                std::to_string(names_.size()));
      if (!is_number_of_class(v[5], 16'777'215))
        return bad("boxes", who + " has the class " + number(v[5]));
      if (!std::all_of(v + 1, v + 5, task::is_coordinate) || v[3] < v[1] || v[4] < v[2])
        return bad("boxes",
                   who +
                       " ends before it begins, or contains NaN or an impossible coordinate; x0, "
                       "y0 is the upper left corner, x1, y1 the lower right one, in pixels");
      auto& there = all[static_cast<std::size_t>(v[0])];
      if (there.width > 0 &&
          (v[1] >= there.width || v[2] >= there.height || v[3] <= 0 || v[4] <= 0))
        return bad("boxes", who + " is outside its picture");
      task::TrueBox box;
      box.label = static_cast<int>(v[5]);
      box.box = {v[1], v[2], v[3] - v[1], v[4] - v[2]};
      box.area = box.box.area();
      there.boxes.push_back(std::move(box));
    }
    for (std::size_t row = 0; row < all.size(); ++row) EP_CHECK(put(row, std::move(all[row])));
    return {};
  }

  // One body for each sample; its box is the bounding rectangle of the labelled points.
  Status add_points(const Tensor& array) {
    EP_CHECK(check(array, 3, "(n, k, 3)"));
    if (array.spec.shape[2] != 3 || array.spec.shape[1] == 0)
      return bad("points", "expected x, y, v of at least one point");
    EP_TRY(const auto values, values_of(array));
    EP_TRY(const auto size, sizes());
    const auto count = static_cast<std::size_t>(array.spec.shape[1]);
    for (std::size_t row = 0; row < names_.size(); ++row) {
      task::TruePose pose;
      double left = INFINITY, top = INFINITY, right = -INFINITY, bottom = -INFINITY;
      for (std::size_t i = 0; i < count; ++i) {
        const double* const v = values.data() + 3 * (row * count + i);
        if (!std::all_of(v, v + 3, task::is_coordinate))
          return bad(
              "points",
              "row " + std::to_string(row) +
                  " contains NaN or an impossible coordinate; v = 0 says that a point is not "
                  "labelled");
        pose.points.push_back({v[0], v[1], v[2]});
        if (!(v[2] > 0)) continue;
        left = std::min(left, v[0]);
        right = std::max(right, v[0]);
        top = std::min(top, v[1]);
        bottom = std::max(bottom, v[1]);
      }
      if (right >= left) pose.box = {left, top, right - left, bottom - top};
      pose.area = pose.box.area();
      EP_CHECK(put(row, task::TruePoses{size[2 * row], size[2 * row + 1], {std::move(pose)}}));
    }
    return {};
  }

  const archive::Npz& npz_;
  std::vector<std::string> names_;
  ByName by_name_;
};

}  // namespace

Result<ByName> parse_arrays(ByteView file) {
  EP_TRY(const auto npz, archive::parse_npz(file));
  return Arrays(npz).read();
}

}  // namespace edgeprobe::dataset
