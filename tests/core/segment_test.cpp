#include "core/segment.h"

#include <ATen/ATen.h>

#include "catch.h"
#include "core/device.h"
#include "core/error.h"

namespace lc {

TEST_CASE("Rows of a segment are those lanes, in everything", "[segment]") {
  Segment segment;
  segment.inputs_BT = at::arange(12, at::kLong).view({4, 3});
  segment.targets_BT = segment.inputs_BT + 1;
  segment.valid_BT = segment.inputs_BT.ne(11);
  segment.weights_BT = segment.valid_BT.to(at::kFloat);
  segment.starts_B = {1, 0, 1, 0};
  segment.padded_B = {0, 0, 0, 1};
  segment.lanes_B = {10, 11, 12, 13};
  segment.first_positions_B = {0, 3, 0, 6};
  segment.epoch = 2;
  segment.index = 5;
  segment.end = SegmentEnd::kKeepOpen;
  const Segment part = segment.rows(2, 2);
  CHECK(part.lanes() == 2);
  CHECK(part.length() == 3);
  CHECK(at::equal(part.inputs_BT, at::arange(6, 12, at::kLong).view({2, 3})));
  CHECK(at::equal(part.targets_BT, part.inputs_BT + 1));
  CHECK(part.valid_BT.sum().item<int64_t>() == 5);
  CHECK(part.weights_BT.sum().item<double>() == 5);
  CHECK(part.starts_B == std::vector<char>{1, 0});
  CHECK(part.padded_B == std::vector<char>{0, 1});
  CHECK(part.lanes_B == std::vector<int64_t>{12, 13});
  CHECK(part.first_positions_B == std::vector<int64_t>{0, 6});
  CHECK(part.epoch == 2);
  CHECK(part.index == 5);
  CHECK(part.end == SegmentEnd::kKeepOpen);
}

TEST_CASE("Devices are known by name, and unknown ones refused", "[device]") {
  CHECK(parse_device("cpu").is_cpu());
  for (const char* name : {"gpu", "", "cuda:", "cuda:x", "cuda:-1", "cuda:999"}) {
    INFO(name);
    try {
      parse_device(name);
      FAIL("taken");
    } catch (const Error& error) {
      CHECK(error.kind() == ErrorKind::kUsage);
      CHECK(std::string(error.what()).find("those that are there: cpu") != std::string::npos);
    }
  }
}

}  // namespace lc
