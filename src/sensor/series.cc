// SPDX-License-Identifier: Apache-2.0
#include "sensor/series.h"

#include <cmath>
#include <string>

namespace edgeprobe::sensor {

Result<Series> series_from(const TensorView& tensor, double rate) {
  Shape shape = tensor.spec->shape;
  if (shape.size() == 3 && shape[0] == 1) shape.erase(shape.begin());
  if (shape.size() == 1) shape.push_back(1);
  const std::string title =
      std::string(name(tensor.spec->dtype)) + " " + edgeprobe::to_text(tensor.spec->shape);
  if (shape.size() != 2 || shape[0] < 1 || shape[1] < 1 || shape[1] > kMostAxes)
    return Error{ErrorKind::kUsage, "readings are " + title +
                                        ", expected [steps, axes] with at most " +
                                        std::to_string(kMostAxes) + " axes"};
  if (static_cast<std::size_t>(shape[0]) > kMostValues / static_cast<std::size_t>(shape[1]))
    return Error{ErrorKind::kLimit, "readings are " + title + ": cut them into pieces"};
  EP_TRY(auto values, stored_as_float(tensor));
  Series series{std::move(values), static_cast<int>(shape[1]), rate};
  for (std::size_t i = 0; i < series.values.size(); ++i)
    if (!std::isfinite(series.values[i]))
      return Error{ErrorKind::kCorrupt,
                   "readings: step " + std::to_string(i / static_cast<std::size_t>(series.axes)) +
                       ", axis " + std::to_string(i % static_cast<std::size_t>(series.axes)) +
                       " is not finite"};
  return series;
}

}  // namespace edgeprobe::sensor
