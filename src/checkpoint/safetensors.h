// The safetensors format: u64 little-endian header length, JSON header, raw row-major data.
// Types: F64, F32, F16, BF16, I64, I32, I16, I8, U8, BOOL. Overlaps, holes, bad bounds, duplicate
// names and truncated files are refused with Error(kData).
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "core/named_tensors.h"

namespace lc {

struct SafetensorsFile {
  NamedTensors tensors;                         // on the CPU, in file order, owning their storage
  std::map<std::string, std::string> metadata;  // "__metadata__"
};

SafetensorsFile read_safetensors(const std::filesystem::path& path);
// Written atomically (temporary file, fsync, rename). Tensors may live on any device.
void write_safetensors(const std::filesystem::path& path, const NamedTensors& tensors,
                       const std::map<std::string, std::string>& metadata = {});

}  // namespace lc
