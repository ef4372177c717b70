// Bytes in, whole characters out.
#include "core/utf8_stream.h"

#include "catch.h"
#include "core/utf8_check.h"

namespace {

bool is_utf8(std::string_view text) {
  lc::Utf8Check check;
  return check.add(text) && check.end();
}

}  // namespace

TEST_CASE("characters pass as soon as they are whole", "[core]") {
  const std::string euro = "\xE2\x82\xAC";
  const std::string face = "\xF0\x9F\x98\x80";
  lc::Utf8Stream stream;
  CHECK(stream.add("a") == "a");
  CHECK(stream.add("b\xE2") == "b");
  CHECK(stream.add("\x82").empty());
  CHECK(stream.add("\xAC") == euro);
  CHECK(stream.add(face.substr(0, 1)).empty());
  CHECK(stream.add(face.substr(1, 1)).empty());
  CHECK(stream.add(face.substr(2, 1)).empty());
  CHECK(stream.add(face.substr(3, 1) + "z") == face + "z");
  CHECK(stream.add(euro + face.substr(0, 2)) == euro);
  CHECK(stream.end() == face.substr(0, 2));
  CHECK(stream.end().empty());
}

TEST_CASE("a text cut anywhere comes out whole, in valid parts", "[core]") {
  const std::string text =
      "na\xC3\xAFve \xE6\x9D\xB1\xE4\xBA\xAC \xF0\x9F\x98\x80\xF0\x9F\x91\x8D!";
  for (size_t size = 1; size <= 7; ++size) {
    lc::Utf8Stream stream;
    std::string out;
    for (size_t at = 0; at < text.size(); at += size) {
      const std::string part = stream.add(text.substr(at, size));
      CHECK(is_utf8(part));
      out += part;
      CHECK(out.size() + 3 >= std::min(at + size, text.size()));
    }
    CHECK(stream.end().empty());
    CHECK(out == text);
  }
}

TEST_CASE("the beginning of a text ends with a whole character", "[core]") {
  const std::string text = "a\xE6\x9D\xB1z";
  const std::vector<size_t> wanted = {0, 1, 1, 1, 4, 5, 5};
  for (size_t bytes = 0; bytes < wanted.size(); ++bytes) {
    CAPTURE(bytes);
    CHECK(lc::beginning_of(text, bytes) == text.substr(0, wanted[bytes]));
  }
  CHECK(lc::beginning_of("\xFF\xFE\xE6", 3) == "\xFF\xFE");
}

TEST_CASE("bytes that begin no character pass unchanged and at once", "[core]") {
  for (const std::string bytes : {"\xFF", "\x80", "\xC0\x80", "\xC3(", "\xE2\x28", "\xED\xA0\x80",
                                  "\xF5", "\xF0\x80\x80\x80"}) {
    CAPTURE(bytes);
    lc::Utf8Stream stream;
    CHECK(stream.add(bytes) == bytes);
    CHECK(stream.end().empty());
  }
  lc::Utf8Stream stream;
  CHECK(stream.add("\xE2\x82").empty());
  CHECK(stream.add("a") ==
        "\xE2\x82"
        "a");
}
