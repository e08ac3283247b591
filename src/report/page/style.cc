// SPDX-License-Identifier: Apache-2.0
#include "report/page/html.h"

namespace edgeprobe::report {

const char* style_sheet() {
  return R"css(
:root {
  color-scheme: light dark;
  --page: #f6f7f9; --card: #ffffff; --ink: #16191d; --soft: #555d68; --rule: #d9dde3; --code: #f1f3f6;
  --accent: #0b5cad; --differs: #b3261e; --agrees: #17693a; --undecided: #7d5200; --target: #b3261e; --curve: #0b5cad;
}
@media screen and (prefers-color-scheme: dark) {
  :root {
    --page: #14171b; --card: #1c2026; --ink: #e8eaed; --soft: #a6afba; --rule: #363c45; --code: #252a31;
    --accent: #8ab8f0; --differs: #ff9d94; --agrees: #7fd6a0; --undecided: #f0c36a; --target: #ff9d94; --curve: #8ab8f0;
  }
}
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; }
body { margin: 0; background: var(--page); color: var(--ink);
  font: 16px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif; overflow-wrap: anywhere; }
body > header, body > nav, body > main, body > footer { max-width: 62rem; margin: 0 auto; padding: 0 1.25rem; }
body > header { padding-top: 1.25rem; } body > footer { margin-top: 2.5rem; padding-bottom: 3rem; }
main:focus { outline: none; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; border-radius: .2rem; }
a { color: var(--accent); }
.skip { position: absolute; left: -100rem; } .skip:focus { left: .5rem; top: .5rem; padding: .4rem .8rem; background: var(--card); z-index: 1; }
nav ul { display: flex; flex-wrap: wrap; gap: 0 1.1rem; list-style: none; margin: .5rem 0 0; padding: 0; font-size: .85rem; }
nav li { margin: 0; } nav a { display: inline-block; padding: .15rem 0; }
h1 { font-size: clamp(1.25rem, 1rem + 1vw, 1.6rem); line-height: 1.25; margin: .45rem 0 .35rem; text-wrap: balance; }
h2 { font-size: 1.2rem; line-height: 1.3; margin: 2.5rem 0 .6rem; }
section:first-child > h2 { margin-top: 1rem; }
.more { margin-bottom: .35rem; }
h3 { font-size: 1.05rem; line-height: 1.3; margin: 0 0 .5rem; }
h4 { font-size: .8rem; margin: 1.25rem 0 .35rem; color: var(--soft); font-weight: 600; }
p { margin: 0 0 .75rem; max-width: 46rem; }
ul { margin: 0 0 .75rem; padding-left: 1.25rem; }
li { margin: .2rem 0; }
small, .soft, figcaption, caption { color: var(--soft); font-size: .85rem; }
code, pre { font-family: ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace; font-size: .86rem; }
.lead { color: var(--soft); margin: 0; }
.badge { display: inline-block; border-radius: 1rem; padding: .1rem .75rem; font-weight: 600; font-size: .85rem;
  border: 1.5px solid currentColor; }
.differs { color: var(--differs); } .agrees { color: var(--agrees); } .undecided { color: var(--undecided); }
.confirmed { color: var(--differs); } .nearly { color: var(--undecided); } .note { color: var(--soft); } .partial { color: var(--undecided); }
.card { background: var(--card); border: 1px solid var(--rule); border-radius: .6rem; padding: 1.1rem 1.25rem; margin: 0 0 1rem; }
.card > :last-child { margin-bottom: 0; }
.card h3 .badge { margin-left: .5rem; font-size: .75rem; vertical-align: .1em; }
.figures { display: grid; grid-template-columns: repeat(var(--across), minmax(0, 1fr)); gap: .75rem; margin: 0; }
.figures > div { background: var(--card); border: 1px solid var(--rule); border-radius: .6rem; padding: .8rem 1rem; }
.figures dt { font-size: .85rem; color: var(--soft); }
.figures dd { margin: 0; font-size: 1.5rem; font-weight: 650; line-height: 1.3; font-variant-numeric: tabular-nums; }
.figures small { display: block; font-weight: 400; line-height: 1.35; }
.track { position: relative; display: block; height: .5rem; margin: .35rem 0 .3rem; border-radius: .25rem; background: var(--code);
  border: 1px solid var(--rule); }
.track i { position: absolute; top: 0; bottom: 0; min-width: 2px; background: var(--accent); opacity: .45; border-radius: .2rem; }
.track b { position: absolute; top: -.2rem; bottom: -.2rem; width: 3px; margin-left: -1px; background: var(--ink); border-radius: 2px; }
.facts { display: grid; grid-template-columns: max-content 1fr; gap: .15rem 1rem; margin: 0 0 .75rem; }
.facts dt { color: var(--soft); } .facts dd { margin: 0; font-variant-numeric: tabular-nums; }
.step { display: inline-block; background: var(--code); border-radius: .3rem; padding: .1rem .45rem; }
.codes { display: grid; gap: .6rem; margin: .5rem 0 1rem; }
.codes > div { display: grid; grid-template-columns: 5.5rem minmax(0, 1fr) auto; align-items: start; gap: .75rem; }
.codes h5 { margin: .5rem 0 0; font-size: .85rem; font-weight: 600; }
.copy { font: inherit; font-size: .8rem; color: var(--accent); background: var(--card); border: 1px solid var(--rule); border-radius: .4rem;
  padding: .15rem .6rem; margin-left: .4rem; cursor: pointer; }
.codes .copy { margin: .3rem 0 0; }
pre { margin: 0; padding: .5rem .75rem; background: var(--code); border-radius: .4rem; white-space: pre-wrap; line-height: 1.45; }
.warnings { border-left: 4px solid var(--undecided); }
.pictures { display: grid; grid-template-columns: repeat(4, minmax(0, 1fr)); gap: .75rem; margin: 0 0 1.5rem; }
.pictures figure { margin: 0; }
.pictures img { display: block; width: 100%; height: auto; aspect-ratio: auto; image-rendering: pixelated; border-radius: .3rem;
  background: var(--code); border: 1px solid var(--rule); max-height: 18rem; object-fit: contain; }
.pictures figcaption { margin-top: .3rem; line-height: 1.35; } .pictures small { display: block; }
.plot { position: relative; } .plot svg { position: absolute; inset: 0; width: 100%; height: 100%; }
.over polyline { fill: none; stroke-linejoin: round; stroke-width: 2.5; vector-effect: non-scaling-stroke; }
.over .equal { stroke: #fff; stroke-width: 1.5; stroke-dasharray: 5 4; vector-effect: non-scaling-stroke; }
.over .all { stroke: #4de1ff; } .over .red { stroke: #ff5c5c; stroke-width: 5; } .over .green { stroke: #4ade80; stroke-width: 3.5; }
.over .blue { stroke: #7db4ff; stroke-width: 2; }
.scale { display: flex; align-items: center; gap: .35rem; } .pictures .scale img { width: 4rem; height: .7rem; object-fit: fill; border-radius: 0; }
.strip { margin: 0 0 1rem; } .strip svg { display: block; width: 100%; height: 4rem; background: var(--code); border-radius: .3rem; }
.strip .apart { fill: var(--differs); } .strip .alike { fill: var(--soft); } .strip .first { fill: var(--accent); opacity: .45; }
.strip figcaption { margin-top: .3rem; }
.flips { display: grid; grid-template-columns: repeat(4, minmax(0, 1fr)); gap: .75rem; margin: 0 0 1rem; }
.flip { background: var(--card); border: 1px solid var(--rule); border-radius: .6rem; padding: .6rem; font-size: .85rem; }
.flip img { display: block; width: 100%; height: auto; border-radius: .3rem; } .flip h3 { margin: .4rem 0 .2rem; font-size: .85rem; }
.flip .facts { gap: 0 .6rem; margin: 0; } .labels th, .labels td { overflow-wrap: break-word; }
.no-picture { padding: .75rem; background: var(--code); border-radius: .3rem; }
.sample { font-weight: 600; margin-top: 1rem; }
.drift { margin: 0 0 1rem; }
.chart { display: block; width: 100%; height: auto; background: var(--card); border: 1px solid var(--rule); border-radius: .6rem; }
.chart.narrow { display: none; }
.chart text { font: 12px system-ui, "DejaVu Sans", sans-serif; fill: var(--soft); }
.chart .worst { fill: var(--ink); font-weight: 600; }
.chart .end { text-anchor: end; } .chart .middle { text-anchor: middle; }
.chart .grid { stroke: var(--rule); stroke-width: 1; }
.chart .gap { stroke: var(--undecided); stroke-width: 1.5; stroke-dasharray: 3 4; }
.chart .curve { fill: none; stroke: var(--curve); stroke-width: 2; stroke-linejoin: round; stroke-linecap: round; }
.chart .dot { fill: var(--curve); } .chart .dot.input { fill: var(--target); stroke: var(--card); stroke-width: 1.5; }
.drift figcaption { margin-top: .4rem; }
table { border-collapse: collapse; width: 100%; font-size: .88rem; font-variant-numeric: tabular-nums; }
caption { text-align: left; padding-bottom: .4rem; }
th, td { text-align: left; padding: .35rem .6rem; border-bottom: 1px solid var(--rule); vertical-align: top; }
thead th { font-weight: 600; border-bottom: 2px solid var(--rule); color: var(--soft); overflow-wrap: normal; }
tbody th { font-weight: 400; }
.number { text-align: right; white-space: nowrap; } .type { white-space: nowrap; } .layer { width: 40%; }
.provenance th { width: 14rem; color: var(--soft); } .hash { overflow-wrap: normal; }
details { margin: 1rem 0; } summary { cursor: pointer; color: var(--accent); }
footer { color: var(--soft); font-size: .85rem; }
@media (max-width: 44rem) {
  body > header, body > nav, body > main, body > footer { padding-left: .9rem; padding-right: .9rem; }
  .pictures, .flips { grid-template-columns: repeat(2, minmax(0, 1fr)); }
  .chart.wide { display: none; } .chart.narrow { display: block; }
  .wide-only { display: none; }
  .codes > div { grid-template-columns: minmax(0, 1fr); gap: .25rem; justify-items: start; } .codes pre { width: 100%; } .codes h5 { margin: 0; }
  .facts { grid-template-columns: 1fr; gap: 0; } .facts dd { margin-bottom: .4rem; }
  th, td { padding: .35rem .35rem; }
  .provenance tr, .provenance th, .provenance td { display: block; width: auto; } .provenance th { border: 0; padding-bottom: 0; }
  .flip .facts { grid-template-columns: 1fr; }
  .figures { grid-template-columns: repeat(2, minmax(0, 1fr)); }
}
@media (max-width: 30rem) {
  .medium-only { display: none; }
  thead th.number { white-space: normal; }
}
@media print {
  :root { color-scheme: light; --page: #fff; --card: #fff; --ink: #000; --soft: #444; --rule: #bbb; --code: #f4f4f4; --accent: #0b5cad;
    --differs: #b3261e; --agrees: #17693a; --undecided: #7d5200; --target: #b3261e; --curve: #0b5cad; }
  * { print-color-adjust: exact; }
  body { font-size: 10pt; } body > header, body > nav, body > main, body > footer { max-width: none; padding: 0; }
  h2 { margin-top: 1.5rem; } table { font-size: 8.5pt; } .skip, .copy, nav { display: none; }
  section, article, figure, .codes > div, .facts, .figures > div, .pictures, li, tr { break-inside: avoid; } h1, h2, h3, h4, h5 { break-after: avoid; }
  thead { display: table-header-group; }
  details::details-content { content-visibility: visible; block-size: auto; } summary { list-style: none; color: var(--ink); }
}
)css";
}

}  // namespace edgeprobe::report
