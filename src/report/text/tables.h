// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

namespace edgeprobe::bisect {
struct Bisected;
}
namespace edgeprobe::engine {
struct EngineIdentity;
}
namespace edgeprobe::evidence {
struct Opened;
struct Replayed;
}  // namespace edgeprobe::evidence
namespace edgeprobe::matrix {
struct Matrix;
}
namespace edgeprobe::precision {
struct Predicted;
}

/// Results of one verb each, for a terminal and as JSON.
namespace edgeprobe::report {

/// The result: a sentence, and a line for each wrong operator.
std::string bisect_text(const bisect::Bisected& bisected);
/// Same as JSON, with every run on the device (docs/guides/bisect.md).
std::string bisect_json(const bisect::Bisected& bisected);

/// Contents of an evidence file, and the result of its replay (null: none).
std::string evidence_file_text(const evidence::Opened& opened, std::size_t bytes,
                               const engine::EngineIdentity* engine,
                               const evidence::Replayed* replayed);
/// Same as JSON (docs/reference/evidence.md).
std::string evidence_file_json(const evidence::Opened& opened, std::size_t bytes,
                               const engine::EngineIdentity* engine,
                               const evidence::Replayed* replayed);

/// The engines, which of them agree, and the layers where they diverge. `inputs` describes their
/// inputs. At most 40 layers, the farthest and the first of each engine, unless `all`.
std::string matrix_text(const matrix::Matrix& matrix, const std::string& model,
                        const std::string& inputs, bool all);
/// Same as JSON (docs/reference/engines.md).
std::string matrix_json(const matrix::Matrix& matrix, const std::string& model,
                        const std::string& inputs);

/// The prediction: a line for each precision, and the layers that break it.
std::string precision_text(const precision::Predicted& predicted, const std::string& model,
                           const std::string& inputs);
/// Same as JSON, with the figures of every layer (docs/guides/precision.md).
std::string precision_json(const precision::Predicted& predicted, const std::string& model,
                           const std::string& inputs);

}  // namespace edgeprobe::report
