#include "reports/html/style_sheet.h"

namespace hilsa {

// `printing` is set on the root by the charts' script, which must read the colours of paper before
// the browser has turned to it.
constinit const Literal kStyleSheet = R"css(
:root {
  color-scheme: light;
  --page: #ffffff; --text: #1b1f24; --quiet: #57606a; --line: #d5dae0; --box: #f5f7f9;
  --good: #0a6338; --good-box: #e3f3e9; --bad: #a41620; --bad-box: #fce9e9;
  --doubt: #765000; --doubt-box: #fcf1d8; --link: #0b549e; --hatch: #d9dee5;
  --lane1: #1c6fb8; --lane2: #b4530a; --lane3: #3f7d20; --lane4: #8a3ea8;
  --lane5: #a8285f; --lane6: #0e7c7b; --lane7: #806600; --lane8: #5a5f66;
}
@media screen and (prefers-color-scheme: dark) {
  :root:not(.printing) {
    color-scheme: dark;
    --page: #13161a; --text: #e4e7ea; --quiet: #a3abb4; --line: #333a42; --box: #1b2026;
    --good: #74d3a0; --good-box: #12301f; --bad: #ff9d97; --bad-box: #3b181b;
    --doubt: #efc56c; --doubt-box: #352908; --link: #8fbdf2; --hatch: #2d353e;
    --lane1: #67aef0; --lane2: #f0a25e; --lane3: #8ccb69; --lane4: #cf94ea;
    --lane5: #f189b4; --lane6: #5ccbc8; --lane7: #d9bd4f; --lane8: #b4bac2;
  }
}
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; }
body {
  margin: 0; background: var(--page); color: var(--text);
  font: 16px/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif;
  font-variant-numeric: tabular-nums; overflow-wrap: anywhere;
}
main, footer { max-width: 1240px; margin: 0 auto; padding: 0 32px; }
footer { padding-top: 24px; padding-bottom: 48px; color: var(--quiet); font-size: 13px; }
h1, h2, h3, h4 { line-height: 1.25; margin: 0; font-weight: 600; text-wrap: balance; }
h1.index { font-size: 30px; margin: 48px 0 16px; }
h2 { font-size: 26px; margin-top: 72px; margin-bottom: 12px; }
h3 { font-size: 19px; margin-top: 52px; margin-bottom: 12px; }
h4 { font-size: 16px; margin-top: 36px; margin-bottom: 6px; }
p, ul, dl { margin: 0 0 12px; }
p, .notes, .story, summary { max-width: 76ch; }
a { color: var(--link); text-underline-offset: 3px; }
code, pre, .step, text { font-family: ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace; }
code { font-size: .92em; }
pre {
  margin: 0 0 12px; padding: 14px 16px; background: var(--box); border-radius: 6px;
  font-size: 13px; line-height: 1.5; white-space: pre-wrap; overflow-wrap: anywhere;
}
.quiet { color: var(--quiet); }
details { margin: 12px 0; }
summary { cursor: pointer; color: var(--link); width: fit-content; }
summary:focus-visible, a:focus-visible { outline: 2px solid var(--link); outline-offset: 3px; }
details[open] > summary { margin-bottom: 10px; }

.verdict { margin-top: 48px; padding-left: 20px; border-left: 6px solid; }
.verdict.good { border-color: var(--good); } .verdict.good .word { color: var(--good); }
.verdict.bad { border-color: var(--bad); } .verdict.bad .word { color: var(--bad); }
.verdict.doubt { border-color: var(--doubt); } .verdict.doubt .word { color: var(--doubt); }
.verdict h1 { font-size: 34px; letter-spacing: -.012em; max-width: 34ch; text-wrap: pretty; }
.verdict .word::first-letter { text-transform: uppercase; }
.verdict .word { display: inline-block; }
.about { color: var(--quiet); margin-bottom: 6px; }
nav { margin-top: 24px; }
nav ul { list-style: none; padding: 0; display: flex; flex-wrap: wrap; gap: 6px 22px; }
nav.reports ul { display: block; } nav.reports li { padding: 3px 0; }

.badge {
  display: inline-block; padding: 1px 9px; border-radius: 4px; border: 1px solid transparent;
  font-size: 13px; font-weight: 600; line-height: 1.5; max-width: 100%; overflow-wrap: break-word;
}
.badge.good { color: var(--good); background: var(--good-box); }
.badge.bad { color: var(--bad); background: var(--bad-box); }
.badge.doubt { color: var(--doubt); background: var(--doubt-box); }
.words.bad { color: var(--bad); font-weight: 600; }
.badge.quiet { background: none; border-color: currentColor; font-weight: 400; }

table { border-collapse: collapse; width: 100%; font-size: 14px; margin: 0 0 16px; }
caption { text-align: left; color: var(--quiet); padding-bottom: 8px; }
th, td { padding: 9px 18px 9px 0; text-align: left; vertical-align: top;
  border-bottom: 1px solid var(--line); }
th:last-child, td:last-child { padding-right: 0; }
thead th { font-weight: 400; color: var(--quiet); vertical-align: bottom; font-size: 13px; }
tbody th { font-weight: 600; min-width: 11em; }
th small { display: block; font-weight: 400; font-size: 13px; color: var(--quiet); }
td small { display: block; font-size: 12px; margin-top: 3px; }
th.number, td.number { text-align: right; }
td.number.whole { white-space: nowrap; }
.whole { overflow-wrap: normal; }
.notes { padding-left: 18px; font-size: 14px; }
.notes li { margin-bottom: 4px; }
.advice { font-size: 17px; }

.charts { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 480px), 1fr));
  gap: 32px 40px; }
figure { margin: 0; min-width: 0; }
figcaption { font-size: 14px; color: var(--quiet); margin-bottom: 8px; }
.chart { position: relative; height: 300px; width: 100%; }

.telling { display: grid; gap: 0 48px; grid-template-columns: minmax(0, 1fr); align-items: start; }
.story { padding-left: 0; list-style: none; }
.story li { margin-bottom: 4px; }
.story li:last-child:not(:only-child) { font-weight: 600; }
.telling > div:empty { display: none; }
svg.cycle { display: block; max-width: 100%; height: auto; margin: 12px 0 20px; }
.cycle text { font-size: 12px; fill: var(--text); text-anchor: middle; }
.cycle text.quiet { fill: var(--quiet); }
.cycle text.name { font-weight: 600; }
.cycle .node { fill: var(--box); stroke: var(--line); stroke-width: 1.5; }
.cycle .edge { fill: none; stroke: var(--text); stroke-width: 1.3; }
.cycle .inferred { stroke-dasharray: 5 4; }
.cycle .head { fill: var(--text); }
.edges { font-size: 14px; }

.legend { list-style: none; padding: 0; display: flex; flex-wrap: wrap; gap: 6px 26px;
  font-size: 13px; color: var(--quiet); }
.key { display: inline-block; width: 22px; height: 13px; margin-right: 8px; vertical-align: -2px;
  background: var(--box); border-left: 3px solid var(--lane1); border-radius: 2px; }
.key.failed { outline: 1.5px solid var(--bad); outline-offset: -1.5px; }

.timeline { margin: 12px 0 24px; max-width: calc(var(--lanes) * 460px); }
.lanes, .steps { display: grid; grid-template-columns: repeat(var(--lanes), minmax(0, 1fr)); }
.steps {
  list-style: none; margin: 0; padding: 4px 0;
  background: linear-gradient(to right, transparent calc(50% - .5px), var(--line) 0,
    var(--line) calc(50% + .5px), transparent 0) 0 0 / calc(100% / var(--lanes)) 100%;
}
.lane { margin: 0 5px; padding: 6px 0 8px; border-bottom: 3px solid; line-height: 1.3; font-size: 13px; }
.lane b { display: block; font-size: 14px; }
.lane span { color: var(--quiet); }
.ends .lane { border-bottom: 0; border-top: 3px solid var(--line); }
.ends .who, .step .who { display: none; }
.ends .failed span { color: var(--bad); }
.lane1 { border-color: var(--lane1); } .lane2 { border-color: var(--lane2); }
.lane3 { border-color: var(--lane3); } .lane4 { border-color: var(--lane4); }
.lane5 { border-color: var(--lane5); } .lane6 { border-color: var(--lane6); }
.lane7 { border-color: var(--lane7); } .lane8 { border-color: var(--lane8); }
.node.lane1 { stroke: var(--lane1); } .node.lane2 { stroke: var(--lane2); }
.node.lane3 { stroke: var(--lane3); } .node.lane4 { stroke: var(--lane4); }
.node.lane5 { stroke: var(--lane5); } .node.lane6 { stroke: var(--lane6); }
.node.lane7 { stroke: var(--lane7); } .node.lane8 { stroke: var(--lane8); }
.step {
  margin: 3px 5px; padding: 6px 10px 7px; background: var(--box); border-left: 3px solid;
  border-radius: 3px; font-size: 12.5px; line-height: 1.45; min-width: 0;
  display: flex; flex-direction: column; break-inside: avoid;
}
.step.lane1 { border-color: var(--lane1); } .step.lane2 { border-color: var(--lane2); }
.step.lane3 { border-color: var(--lane3); } .step.lane4 { border-color: var(--lane4); }
.step.lane5 { border-color: var(--lane5); } .step.lane6 { border-color: var(--lane6); }
.step.lane7 { border-color: var(--lane7); } .step.lane8 { border-color: var(--lane8); }
.step code { font-size: inherit; }
.head { display: flex; gap: 8px; color: var(--quiet); font-size: 11px; line-height: 1.4; }
.head .at { margin-left: auto; }
.answer { color: var(--quiet); }
.answer::before { content: "→ "; }
.wait, .key.waits {
  background: repeating-linear-gradient(135deg, var(--hatch) 0 4px, transparent 4px 9px);
}
.wait { flex: 1; margin: 6px -10px; padding: 6px 10px; min-height: 34px; }
.wait { display: flex; align-items: center; }
.step.failed { box-shadow: inset 0 0 0 1.5px var(--bad); }
.step.failed .answer { color: var(--bad); font-weight: 600; }
.more { color: var(--quiet); font-size: 14px; }

dl.facts { display: grid; grid-template-columns: minmax(8em, max-content) minmax(0, 1fr);
  gap: 4px 24px; font-size: 14px; }
dt { color: var(--quiet); } dd { margin: 0; }

@media (min-width: 1024px) {
  .telling { grid-template-columns: minmax(0, 76ch) minmax(0, 1fr); }
}
@media (max-width: 1023px) {
  .steps, .lanes { font-size: 12px; }
  table, tbody, tr, th, td, caption { display: block; }
  thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  tbody { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 300px), 1fr));
    gap: 14px; }
  tr { border: 1px solid var(--line); border-radius: 6px; padding: 10px 14px; break-inside: avoid; }
  th, td, td.number.whole { border: 0; padding: 3px 0; white-space: normal; }
  .whole { overflow-wrap: anywhere; }
  td { display: grid; grid-template-columns: minmax(6.5em, 2fr) minmax(0, 3fr); gap: 12px; }
  td.number { text-align: left; }
  td::before { content: attr(data-label); color: var(--quiet); }
  td.blank { display: none; }
}
@media (max-width: 640px) {
  body { font-size: 15px; }
  main, footer { padding-left: 16px; padding-right: 16px; }
  h2 { font-size: 22px; margin-top: 56px; }
  h3 { font-size: 18px; margin-top: 40px; }
  .verdict { margin-top: 20px; padding-left: 14px; }
  .verdict h1 { font-size: 25px; }
  .chart { height: 240px; }
  .step { margin: 3px 2px; padding: 5px 6px; font-size: 11.5px; }
  .wait { margin: 5px -6px; padding: 5px 6px; }
  .lane { margin: 0 2px; }
  .timeline.many .steps { display: block; background: none; padding: 0; }
  .timeline.many .lanes { grid-template-columns: repeat(auto-fill, minmax(100px, 1fr)); }
  .timeline.many .step { margin: 5px 0; border-left-width: 5px; }
  .timeline.many .who { display: inline; font-weight: 600; color: var(--text); }
  .timeline.many .ends { display: block; }
  .timeline.many .ends .lane { border-top: 0; border-left: 5px solid; padding: 1px 8px;
    margin: 5px 0; }
  dl.facts { grid-template-columns: minmax(0, 1fr); gap: 0; }
  dd { margin-bottom: 8px; }
}
@media print {
  body { font-size: 10.5pt; }
  main, footer { max-width: none; padding: 0; }
  nav { display: none; }
  * { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
  h2, h3, h4 { break-after: avoid; }
  figure, svg.cycle { break-inside: avoid; }
}
)css";

}  // namespace hilsa
