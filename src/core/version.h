// What this program was built from: for --version, logs and checkpoints.
#pragma once

namespace lc {

struct VersionInfo {
  const char* version;         // of this project, "0.1.0"
  const char* commit;          // git commit, "-dirty" after it if files were changed; or "unknown"
  const char* build_type;      // "Release", "Debug", ...
  const char* compiler;        // "GNU 12.2.0"
  const char* libtorch;        // version that it was compiled with, "2.13.0"
  const char* libtorch_build;  // "CPU" or "CUDA": whether that LibTorch has the CUDA library
};

// Defined in a file that the build writes; link lc_version (every app does).
VersionInfo version_info();

}  // namespace lc
