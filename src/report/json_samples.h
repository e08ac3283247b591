#pragma once

#include <nlohmann/json_fwd.hpp>

#include "diagnose/verdict.h"
#include "report/picture_data.h"

namespace edgeprobe::report {

/// The samples whose inputs are shown: their pictures, and what both sides answer.
nlohmann::ordered_json samples_json(const diagnose::Verdict& verdict, Images images);

}  // namespace edgeprobe::report
