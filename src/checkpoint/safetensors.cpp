#include "checkpoint/safetensors.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>

#include "core/error.h"
#include "core/file_io.h"

namespace lc {
namespace {

struct Type {
  const char* name;
  at::ScalarType type;
};
constexpr Type kTypes[] = {{"F64", at::kDouble},    {"F32", at::kFloat}, {"F16", at::kHalf},
                           {"BF16", at::kBFloat16}, {"I64", at::kLong},  {"I32", at::kInt},
                           {"I16", at::kShort},     {"I8", at::kChar},   {"U8", at::kByte},
                           {"BOOL", at::kBool}};
constexpr uint64_t kLargestHeader = 100'000'000;
constexpr const char* kMetadata = "__metadata__";

[[noreturn]] void malformed(const std::filesystem::path& path, const std::string& what) {
  throw Error(ErrorKind::kData, path.string(), "is no whole safetensors file: " + what,
              "take an intact copy, or write it anew");
}

at::ScalarType type_of(const std::filesystem::path& path, const std::string& name) {
  for (const Type& type : kTypes) {
    if (name == type.name) return type.type;
  }
  malformed(path, "unknown type " + name);
}

std::string name_of(at::ScalarType type) {
  for (const Type& known : kTypes) {
    if (known.type == type) return known.name;
  }
  LC_CHECK(!"a tensor type that safetensors has no name for");
  return "";
}

// Parses the header; duplicate names are refused, since JSON alone would keep the last.
nlohmann::ordered_json parse_header(const std::filesystem::path& path, std::string_view text) {
  std::set<std::string> names;
  const auto callback = [&](int depth, nlohmann::ordered_json::parse_event_t event,
                            nlohmann::ordered_json& value) {
    if (depth == 1 && event == nlohmann::ordered_json::parse_event_t::key &&
        !names.insert(value.get<std::string>()).second) {
      malformed(path, "the name " + value.get<std::string>() + " stands twice");
    }
    return true;
  };
  auto header = nlohmann::ordered_json::parse(text, callback, false);
  if (!header.is_object()) malformed(path, "its header is no JSON object");
  return header;
}

struct Entry {
  std::string name;
  at::ScalarType type;
  std::vector<int64_t> shape;
  uint64_t begin;
  uint64_t end;
};

Entry read_entry(const std::filesystem::path& path, const std::string& name,
                 const nlohmann::ordered_json& json) {
  try {
    Entry entry{name, type_of(path, json.at("dtype").get<std::string>()),
                json.at("shape").get<std::vector<int64_t>>(), 0, 0};
    const auto& offsets = json.at("data_offsets");
    if (!offsets.is_array() || offsets.size() != 2 || !offsets[0].is_number_unsigned() ||
        !offsets[1].is_number_unsigned()) {
      malformed(path, "bad offsets of " + name);
    }
    entry.begin = offsets[0].get<uint64_t>();
    entry.end = offsets[1].get<uint64_t>();
    for (const auto& size : json.at("shape")) {
      if (!size.is_number_unsigned()) malformed(path, "a size of " + name + " is no whole number");
    }
    uint64_t extent = c10::elementSize(entry.type);  // bytes, were no size 0
    for (const int64_t size : entry.shape) {
      const auto least = static_cast<uint64_t>(std::max<int64_t>(size, 1));
      if (size < 0 || extent > std::numeric_limits<int64_t>::max() / least) {
        malformed(path, "the shape of " + name + " overflows");
      }
      extent *= least;
    }
    const bool nothing = std::count(entry.shape.begin(), entry.shape.end(), 0) > 0;
    const uint64_t bytes = nothing ? 0 : extent;
    if (entry.end < entry.begin || entry.end - entry.begin != bytes) {
      malformed(path, "shape and offsets of " + name + " disagree");
    }
    return entry;
  } catch (const nlohmann::json::exception&) {
    malformed(path, "the entry of " + name + " is malformed");
  }
}

}  // namespace

SafetensorsFile read_safetensors(const std::filesystem::path& path) {
  const MappedFile mapped(path);
  const std::string_view bytes = mapped.bytes();
  uint64_t header_length = 0;
  if (bytes.size() < sizeof(header_length)) malformed(path, "it is shorter than its header");
  std::memcpy(&header_length, bytes.data(), sizeof(header_length));
  if (header_length > kLargestHeader || header_length > bytes.size() - sizeof(header_length)) {
    malformed(path, "it is shorter than its header");
  }
  const std::string_view data = bytes.substr(sizeof(header_length) + header_length);
  const auto header = parse_header(path, bytes.substr(sizeof(header_length), header_length));

  SafetensorsFile file;
  std::vector<Entry> entries;
  for (const auto& [name, json] : header.items()) {
    if (name != kMetadata) {
      entries.push_back(read_entry(path, name, json));
      continue;
    }
    if (!json.is_object()) malformed(path, "its metadata is no object");
    for (const auto& [key, value] : json.items()) {
      if (!value.is_string()) malformed(path, "its metadata holds more than texts");
      file.metadata[key] = value.get<std::string>();
    }
  }
  std::vector<Entry> ordered = entries;
  std::stable_sort(ordered.begin(), ordered.end(), [](const Entry& a, const Entry& b) {
    return std::pair(a.begin, a.end) < std::pair(b.begin, b.end);
  });
  uint64_t position = 0;
  for (const Entry& entry : ordered) {
    if (entry.begin != position) malformed(path, "a hole or an overlap before " + entry.name);
    position = entry.end;
  }
  if (position != data.size()) {
    malformed(path, "it holds " + std::to_string(data.size()) +
                        " bytes of data where its header says " + std::to_string(position));
  }
  for (const Entry& entry : entries) {
    at::Tensor tensor = at::empty(entry.shape, entry.type);
    if (entry.end > entry.begin) {
      std::memcpy(tensor.mutable_data_ptr(), data.data() + entry.begin, entry.end - entry.begin);
    }
    file.tensors.emplace_back(entry.name, tensor);
  }
  return file;
}

void write_safetensors(const std::filesystem::path& path, const NamedTensors& tensors,
                       const std::map<std::string, std::string>& metadata) {
  auto header = nlohmann::ordered_json::object();
  if (!metadata.empty()) header[kMetadata] = metadata;
  uint64_t position = 0;
  for (const auto& [name, tensor] : tensors) {
    LC_CHECK(!header.contains(name));
    const uint64_t end = position + tensor.nbytes();
    header[name] = {{"dtype", name_of(tensor.scalar_type())},
                    {"shape", tensor.sizes().vec()},
                    {"data_offsets", {position, end}}};
    position = end;
  }
  std::string text = header.dump();
  text.resize((text.size() + 7) / 8 * 8, ' ');
  const uint64_t length = text.size();
  AtomicFile file(path);
  file.write(&length, sizeof(length));
  file.write(text);
  for (const auto& [name, tensor] : tensors) {
    const at::Tensor here = tensor.detach().to(at::kCPU).contiguous();
    file.write(here.const_data_ptr(), here.nbytes());
  }
  file.commit();
}

}  // namespace lc
