// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "diagnose/input/parts/place.h"
#include "diagnose/preprocessing/model/input_diagnosis.h"

/// Parts of a model input that hold other values in place of the reference's values, exactly. Each
/// finder looks at all kept pictures and says nothing unless it holds in every one that can tell.
namespace edgeprobe::diagnose {

/// Every channel holds another one, one value, or what belongs to another frame.
std::optional<InputFault> channel_sources(const RecordedPictures& recorded);

/// The picture is the reference's but for a part, which holds one value, an older picture, the same
/// in every frame, or the picture's last row or column again.
std::optional<InputFault> stale_parts(const RecordedPictures& recorded, const Unequal& unequal);

/// All but the bars is the reference's picture, and the bars hold its edges, a mirrored copy or its
/// other side.
std::optional<InputFault> borders(const RecordedPictures& recorded, const Unequal& unequal);

/// Every value is a function of the reference's value, of any form: of all frames, or of each its
/// own.
std::optional<InputFault> own_curves(const RecordedPictures& recorded);

/// The reference's own pixels in other places, by any rule: rows and columns in another order or
/// several times, blocks that are exchanged or turned.
std::optional<InputFault> moved_places(const RecordedPictures& recorded);

}  // namespace edgeprobe::diagnose
