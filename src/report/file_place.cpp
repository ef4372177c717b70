#include "report/file_place.h"

namespace lc {

FilePlace own_place(const OwnFiles& files) {
  return {files.folder, files.as_trained ? files.split : files.split + "_other"};
}

}  // namespace lc
