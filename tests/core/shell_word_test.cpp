#include "core/shell_word.h"

#include <array>
#include <cstdio>
#include <string>
#include <vector>

#include "catch.h"

TEST_CASE("A shell reads a word back as it was") {
  CHECK(lc::shell_word("runs/xl_2.json") == "runs/xl_2.json");
  CHECK(lc::shell_word("") == "''");
  const std::vector<std::string> words = {"a b", "it's", "$HOME", "`id`", "a\"b", "*",
                                          "x;y", "\\",   "'",     "#",    "~",    "a&b"};
  for (const std::string& word : words) {
    std::FILE* shell = popen(("printf %s " + lc::shell_word(word)).c_str(), "r");
    REQUIRE(shell != nullptr);
    std::array<char, 64> buffer{};
    const size_t bytes = std::fread(buffer.data(), 1, buffer.size(), shell);
    CHECK(pclose(shell) == 0);
    CHECK(std::string(buffer.data(), bytes) == word);
  }
}
