#include "checkpoint/safetensors.h"

#include <ATen/ATen.h>

#include <cstdlib>
#include <cstring>
#include <fstream>

#include "catch.h"
#include "core/error.h"
#include "core/file_io.h"
#include "core/rng.h"
#include "core/temporary_folder.h"

namespace lc {
namespace {

namespace fs = std::filesystem;

std::string file_with(const std::string& header, const std::string& data) {
  const uint64_t length = header.size();
  std::string text(sizeof(length), '\0');
  std::memcpy(text.data(), &length, sizeof(length));
  return text + header + data;
}

void overwrite(const fs::path& file, const std::string& content) {
  std::ofstream(file, std::ios::binary | std::ios::trunc) << content;
}

}  // namespace

TEST_CASE("Every type and shape survives a file", "[safetensors]") {
  const TemporaryFolder temporary;
  const fs::path file = temporary.path() / "a.safetensors";
  NamedTensors tensors;
  for (const at::ScalarType type : {at::kDouble, at::kFloat, at::kHalf, at::kBFloat16, at::kLong,
                                    at::kInt, at::kShort, at::kChar, at::kByte, at::kBool}) {
    tensors.emplace_back("type" + std::to_string(static_cast<int>(type)),
                         at::arange(6, at::kLong).view({2, 3}).to(type));
  }
  tensors.emplace_back("transposed", at::arange(6, at::kLong).view({2, 3}).t());
  tensors.emplace_back("scalar", at::scalar_tensor(2.5, at::kDouble));
  tensors.emplace_back("nothing", at::empty({0, 4}, at::kFloat));
  write_safetensors(file, tensors, {{"format", "pt"}});
  const SafetensorsFile read = read_safetensors(file);
  CHECK(read.metadata.at("format") == "pt");
  REQUIRE(read.tensors.size() == tensors.size());
  for (size_t i = 0; i < tensors.size(); ++i) {
    CHECK(read.tensors[i].first == tensors[i].first);
    CHECK(read.tensors[i].second.scalar_type() == tensors[i].second.scalar_type());
    CHECK(at::equal(read.tensors[i].second, tensors[i].second));
  }
}

TEST_CASE("The bytes are those that the format asks for", "[safetensors]") {
  const TemporaryFolder temporary;
  const fs::path file = temporary.path() / "a.safetensors";
  overwrite(file, file_with(R"({"x":{"dtype":"I16","shape":[2],"data_offsets":[0,4]}})",
                            std::string("\x01\x00\xff\xff", 4)));
  const auto read = read_safetensors(file);
  REQUIRE(read.tensors.size() == 1);
  CHECK(at::equal(read.tensors[0].second, at::tensor({1, -1}, at::kShort)));
  write_safetensors(file, read.tensors);
  const std::string bytes = read_file(file);
  uint64_t length = 0;
  std::memcpy(&length, bytes.data(), sizeof(length));
  CHECK((length + 8) % 8 == 0);
  CHECK(bytes.substr(8 + length) == std::string("\x01\x00\xff\xff", 4));
}

TEST_CASE("Files that break the format are refused", "[safetensors]") {
  const TemporaryFolder temporary;
  const fs::path file = temporary.path() / "a.safetensors";
  const auto x = [](const std::string& rest) { return R"({"x":{"dtype":"F32",)" + rest + "}}"; };
  const std::string eight(8, 'a');
  for (const std::string& content :
       {std::string(), std::string("short"), file_with("{", ""), file_with("[]", ""),
        file_with(x(R"("shape":[2])"), eight),
        file_with(x(R"("shape":[3],"data_offsets":[0,8])"), eight),
        file_with(x(R"("shape":[1],"data_offsets":[4,8])"), eight),
        file_with(x(R"("shape":[2],"data_offsets":[0,8])"), eight + "more"),
        file_with(x(R"("shape":[2],"data_offsets":[8,0])"), eight),
        file_with(x(R"("shape":[-2,-1],"data_offsets":[0,8])"), eight),
        file_with(x(R"("shape":[4611686018427387904,4],"data_offsets":[0,0])"), ""),
        file_with(x(R"("shape":[0,4611686018427387904,4],"data_offsets":[0,0])"), ""),
        file_with(x(R"("shape":[2.5],"data_offsets":[0,8])"), eight),
        file_with(R"({"x":{"dtype":"F99","shape":[2],"data_offsets":[0,8]}})", eight),
        file_with(R"({"x":{"dtype":"U8","shape":[4],"data_offsets":[0,4]},)"
                  R"("x":{"dtype":"U8","shape":[4],"data_offsets":[4,8]}})",
                  eight),
        file_with(R"({"__metadata__":{"a":1}})", "")}) {
    overwrite(file, content);
    INFO(content);
    CHECK_THROWS_AS(read_safetensors(file), Error);
  }
}

TEST_CASE("Damaged files throw or give shapes that fit their bytes", "[safetensors]") {
  const TemporaryFolder temporary;
  const fs::path file = temporary.path() / "a.safetensors";
  write_safetensors(file, {{"a", at::ones({3, 5}, at::kFloat)}, {"b", at::ones({7}, at::kLong)}});
  const std::string intact = read_file(file);
  for (uint64_t trial = 0; trial < 4000; ++trial) {
    std::string damaged = intact;
    const uint64_t bits = hash_bits(trial);
    if (trial % 4 == 0) {
      damaged.resize(bits % intact.size());
    } else {
      for (uint64_t k = 0; k <= trial % 3; ++k) {
        const uint64_t place = hash_bits(bits + k);
        damaged[place % intact.size()] = static_cast<char>(place >> 40);
      }
    }
    overwrite(file, damaged);
    try {
      for (const auto& [name, tensor] : read_safetensors(file).tensors) {
        REQUIRE(tensor.nbytes() <= damaged.size());
      }
    } catch (const Error& error) {
      REQUIRE(error.kind() == ErrorKind::kData);
    }
  }
}

TEST_CASE("Golden files of another writer are read", "[safetensors]") {
  const char* folder = std::getenv("LC_GOLDEN_DIR");
  if (folder == nullptr) {
    WARN("LC_GOLDEN_DIR isn't set: no golden file is read");
    return;
  }
  int64_t files = 0;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.path().extension() != ".safetensors") continue;
    INFO(entry.path().string());
    CHECK_NOTHROW(read_safetensors(entry.path()));
    ++files;
  }
  CHECK(files > 0);
}

}  // namespace lc
