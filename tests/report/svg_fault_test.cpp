// Which files are whole SVG images.
#include <string>

#include "catch.h"
#include "report/svg/fault.h"

TEST_CASE("An SVG image may be empty, and may have what XML allows before it") {
  for (const char* image :
       {"<svg></svg>", "<svg/>", "<svg a=\"b\"\n/>\n", "<svg a='>'><b/></svg >\n",
        "\xEF\xBB\xBF \n<svg></svg>",
        "<?xml version=\"1.0\"?>\n<!-- <a> --><svg\twidth=\"1\"></svg>",
        "<!DOCTYPE svg><svg></svg>", "<!DOCTYPE svg PUBLIC \"-//W3C>\" 'a>b'>\n<svg></svg>",
        "<!DOCTYPE svg [ <!ENTITY a \"x>y\"> ]>\n<svg>&a;</svg>",
        "<!DOCTYPE svg [<!-- isn't ]> --><?a b'c ]>?>\n<!ENTITY a ']>'>] ><svg/>",
        "<svg><!-- > --><svg/></svg>", "<svg></svg>\n<!-- </svg> -->\n", "<svg/> <?done?>",
        "<svg><style><![CDATA[a > b { c: '<' }]]></style></svg>", "<svg><a b='</svg>'/></svg>"}) {
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

TEST_CASE("What goes on after an SVG image is told, since no browser shows it") {
  const auto fault = [](const std::string& more) {
    return "goes on after the SVG image, with \"" + more + "\"";
  };
  CHECK(lc::svg_fault("<svg></svg>a") == fault("a"));
  CHECK(lc::svg_fault("<svg></svg>\n<svg>") == fault("<svg>"));
  CHECK(lc::svg_fault("<svg/><b></b>") == fault("<b></b>"));
}

TEST_CASE("A part of an SVG image and an empty file are told apart") {
  for (const char* part : {"<svg", "<svg ", "<svg width=\"1", "<svg width=\"/>\"", "<svg>",
                           "<svg><a/>", "<svg></svgfoo>", "<svg></svg", "<svg><!-- /> -->",
                           "<svg><svg></svg>", "<svg><a b=\"</svg>\"/>", "<svg><!-- </svg> -->"}) {
    CAPTURE(part);
    CHECK(lc::svg_fault(part) == "is a part of an SVG image: its last tag is missing");
  }
  CHECK(lc::svg_fault("") == "is empty");
  CHECK(lc::svg_fault(" \n") == "is empty");
}
