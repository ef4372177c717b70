#include "report/html/style.h"

namespace lc {
namespace {

// Colours and type.
constexpr const char* kTheme = R"css(
:root{color-scheme:light dark;--ground:#f4f6f8;--card:#ffffff;--ink:#1b1f24;--soft:#57606a;
--line:#dfe4e9;--accent:#0072b2;--mark:#b35900;--marked:#fff6e8;--code:#eef1f4}
@media (prefers-color-scheme:dark){:root{--ground:#010409;--card:#0d1117;--ink:#e6edf3;
--soft:#9198a1;--line:#262c34;--accent:#56b4e9;--mark:#ff9d57;--marked:#241a0e;--code:#161b22}}
*{box-sizing:border-box}
html{scroll-behavior:smooth;-webkit-text-size-adjust:100%}
body{margin:0;background:var(--ground);color:var(--ink);line-height:1.5;font-size:15px;
font-family:Inter,'Segoe UI','Helvetica Neue',Helvetica,Arial,'DejaVu Sans',sans-serif}
h1,h2,h3,h4,h5{line-height:1.25;margin:0;font-weight:650}
h1{font-size:28px;letter-spacing:-.01em}
h2{font-size:20px;margin:44px 0 14px;padding-top:8px}
h3{font-size:16px;margin:22px 0 10px}
h4{font-size:15px;margin:0 0 10px}
h5{font-size:13px;margin:16px 0 6px;color:var(--soft);font-weight:600}
p{margin:6px 0}
a{color:var(--accent);text-decoration:none}
a:hover{text-decoration:underline}
code,pre{font-family:ui-monospace,'SF Mono',Menlo,Consolas,'DejaVu Sans Mono',monospace}
pre{background:var(--code);border-radius:8px;padding:12px 14px;margin:8px 0;overflow-x:auto;
font-size:12.5px;line-height:1.6}
)css";

// Places on the page.
constexpr const char* kLayout = R"css(
header,main,footer{max-width:1180px;margin:0 auto;padding:0 24px}
header{padding-top:36px}
header p{color:var(--soft)}
nav{position:sticky;top:0;z-index:1;background:var(--ground);border-bottom:1px solid var(--line);
margin-top:14px}
nav div{max-width:1180px;margin:0 auto;padding:9px 24px;display:flex;gap:20px;overflow-x:auto;
font-size:14px;white-space:nowrap}
section{scroll-margin-top:44px}
h2[id],h3[id]{scroll-margin-top:44px}
.cards{display:grid;gap:16px;grid-template-columns:repeat(auto-fit,minmax(250px,1fr))}
.plots{display:grid;gap:16px;grid-template-columns:repeat(auto-fit,minmax(min(100%,440px),1fr))}
.card{background:var(--card);border:1px solid var(--line);border-radius:12px;padding:18px 20px;
min-width:0;margin-bottom:16px}
.card>h3:first-child{margin-top:0}
.cards .card,.plots .card{margin-bottom:0}
.cards{margin-bottom:16px}
.plot{padding:4px}
.cards+.card,.card+.cards,.plots+h3{margin-top:16px}
figure{margin:0;overflow-x:auto}
figure img{display:block;max-width:100%;height:auto}
.wide figure img{max-width:max(100%,600px)}
.pair{display:grid;grid-template-columns:minmax(230px,1fr) minmax(0,820px);gap:12px 26px}
.pair>div{min-width:0}
.pair figure img{margin:-14px 0 0 auto}
@media (max-width:1000px){.pair{grid-template-columns:minmax(0,1fr)}.pair figure img{margin:0}}
footer{color:var(--soft);font-size:13px;padding-top:26px;padding-bottom:44px}
@media (max-width:520px){header,main,footer{padding-left:14px;padding-right:14px}
nav div{padding:9px 14px;gap:16px}h1{font-size:23px}.card{padding:14px}.plot{padding:2px}}
)css";

// Numbers.
constexpr const char* kNumbers = R"css(
.name{font-weight:650;overflow-wrap:anywhere}
.kind{color:var(--soft);font-size:13px;margin:0}
.headline{font-size:32px;font-weight:650;letter-spacing:-.02em;margin:12px 0 0;
font-variant-numeric:tabular-nums}
.headline small{font-size:14px;font-weight:500;color:var(--soft);letter-spacing:0}
.note{color:var(--soft);font-size:13px;overflow-wrap:anywhere}
.facts{display:grid;grid-template-columns:auto 1fr;gap:3px 14px;margin:14px 0 0;padding-top:12px;
border-top:1px solid var(--line);font-size:13.5px}
.facts dt{color:var(--soft)}
.facts dd{margin:0;text-align:right;font-variant-numeric:tabular-nums;overflow-wrap:anywhere}
.scroll{overflow-x:auto}
.pairs{display:inline-block;vertical-align:top;max-width:100%;margin-right:26px}
table{border-collapse:collapse;font-size:13.5px;font-variant-numeric:tabular-nums;min-width:0}
th{font-weight:600;text-align:left;color:var(--soft);white-space:nowrap;font-size:12.5px}
th,td{padding:5px 22px 5px 0;border-bottom:1px solid var(--line);vertical-align:top}
tr:last-child td{border-bottom:0}
td{overflow-wrap:anywhere}
thead+tbody td:first-child{overflow-wrap:break-word}
th.number,td.number{text-align:right;white-space:nowrap}
td.key{color:var(--soft);white-space:nowrap}
td.differs{color:var(--mark);box-shadow:inset 3px 0 0 var(--mark);padding-left:11px;
background:var(--marked);font-weight:600}
td.soft{color:var(--soft)}
details{margin:8px 0}
summary{cursor:pointer;color:var(--accent);font-size:13.5px;padding:2px 0}
details[open] summary{margin-bottom:6px}
)css";

}  // namespace

std::string html_style() { return std::string(kTheme) + kLayout + kNumbers; }

}  // namespace lc
