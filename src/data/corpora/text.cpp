// Any text: a file, a folder or a glob pattern; one file, one document.
#include "data/corpora/locate.h"

namespace lc {

CorpusKind text_corpus() {
  CorpusKind kind;
  kind.name = "text";
  kind.says = "any file, folder or glob pattern; one file is one document";
  kind.locate = [](const std::filesystem::path& path) {
    return FilesBySplit{{"all", list_pattern(path.string())}};
  };
  return kind;
}

}  // namespace lc
