// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "core/text.h"
#include "dataset/labels.h"
#include "dataset/layouts/files.h"
#include "dataset/sources.h"
#include "dataset/tables.h"

namespace edgeprobe::dataset {

Result<DataSet> open_class_folders(const Place& place) {
  DataSet data;
  EP_TRY(data.classes, folders_in(place.folder));
  Labels labels;
  labels.from_folders = true;
  labels.classes = data.classes;
  std::string note;
  EP_TRY(auto all, open_folder(place.folder, labels, 0, &note));
  if (!note.empty()) data.notes.push_back(note);
  Lone outside("files are in no folder that names their class, and are left out");
  for (Sample& sample : all) {
    if (sample.annotation) data.samples.push_back(std::move(sample));
    else outside.add(sample.name);
  }
  outside.note(data.notes);
  EP_CHECK(check_no_class_is_empty(data, "folders"));
  EP_CHECK(renumber(data, place.names, ""));
  return data;
}

}  // namespace edgeprobe::dataset
