// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "diagnose/input/parts/place.h"
#include "diagnose/preprocessing/model/input_diagnosis.h"

/// Parts of a model input that have other values than the reference's, matched exactly. Each finder
/// examines all kept pictures and reports nothing unless it is right for every picture in which it
/// can be checked.
namespace edgeprobe::diagnose {

/// Each channel holds another channel, a constant, or a channel of another frame.
std::optional<InputFault> channel_sources(const RecordedPictures& recorded);

/// The picture equals the reference's except for one part. That part holds a constant, an older
/// picture, the same in every frame, or copies of the picture's last row or column.
std::optional<InputFault> stale_parts(const RecordedPictures& recorded, const Unequal& unequal);

/// Everything but the bars equals the reference's picture; the bars hold its edges, a mirrored copy
/// or its opposite side.
std::optional<InputFault> borders(const RecordedPictures& recorded, const Unequal& unequal);

/// Every value is a function of the reference's value, of any form: the same in all frames, or one
/// for each frame.
std::optional<InputFault> own_curves(const RecordedPictures& recorded);

/// The reference's own pixels in other places, by any rule: rows and columns reordered or repeated,
/// blocks exchanged or rotated.
std::optional<InputFault> moved_places(const RecordedPictures& recorded);

}  // namespace edgeprobe::diagnose
