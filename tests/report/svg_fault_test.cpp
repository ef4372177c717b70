// Which files are whole SVG images.
#include "report/svg_fault.h"

#include <string>

#include "catch.h"

TEST_CASE("An SVG image may be empty, and may have what XML allows before it") {
  for (const char* image :
       {"<svg></svg>", "<svg/>", "<svg a=\"b\"\n/>\n", "<svg a='>'><b/></svg >\n",
        "\xEF\xBB\xBF \n<svg></svg>",
        "<?xml version=\"1.0\"?>\n<!-- <a> --><svg\twidth=\"1\"></svg>",
        "<!DOCTYPE svg><svg></svg>", "<!DOCTYPE svg PUBLIC \"-//W3C>\" 'a>b'>\n<svg></svg>",
        "<!DOCTYPE svg [ <!ENTITY a \"x>y\"> ]>\n<svg>&a;</svg>",
        "<!DOCTYPE svg [<!-- isn't ]> --><?a b'c ]>?>\n<!ENTITY a ']>'>] ><svg/>",
        "<svg><!-- > --><svg/></svg>"}) {
    CAPTURE(image);
    CHECK(lc::svg_fault(image).empty());
  }
}

TEST_CASE("Other files than SVG images are told by how they begin") {
  const auto fault = [](const std::string& beginning) {
    return "is no SVG image: it begins with \"" + beginning + "\"";
  };
  CHECK(lc::svg_fault("<svgfoo></svgfoo>") == fault("<svgfoo></svgfoo>"));
  CHECK(lc::svg_fault("<svg:svg></svg:svg>") == fault("<svg:svg></svg:svg>"));
  CHECK(lc::svg_fault("<a>\n<svg/></a>") == fault("<a>\\n<svg/></a>"));
  CHECK(lc::svg_fault("<!-- a") == fault("<!-- a"));
  CHECK(lc::svg_fault("<!DOCTYPE svg [") == fault("<!DOCTYPE svg ["));
  CHECK(lc::svg_fault("{}") == fault("{}"));
}

TEST_CASE("A part of an SVG image and an empty file are told apart") {
  for (const char* part : {"<svg", "<svg ", "<svg width=\"1", "<svg width=\"/>\"", "<svg>",
                           "<svg><a/>", "<svg></svgfoo>", "<svg></svg", "<svg><!-- /> -->"}) {
    CAPTURE(part);
    CHECK(lc::svg_fault(part) == "is a part of an SVG image: its last tag is missing");
  }
  CHECK(lc::svg_fault("") == "is empty");
  CHECK(lc::svg_fault(" \n") == "is empty");
}
