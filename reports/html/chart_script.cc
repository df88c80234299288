#include "reports/html/chart_script.h"

namespace hilsa {

// Lines differ in colour, dashes and points, so that no one of these is needed to tell them apart.
// All texts go onto a canvas: nothing of the data becomes markup.
constinit const Literal kChartScript = R"js(
(function () {
  'use strict';
  var charts = JSON.parse(document.getElementById('chart-data').textContent);
  var root = document.documentElement;
  var dashes = [[], [7, 4], [2, 3], [9, 3, 2, 3]];
  var points = ['circle', 'rect', 'triangle', 'rectRot', 'cross', 'star'];
  function colour(name) { return getComputedStyle(root).getPropertyValue('--' + name).trim(); }
  function lane(index) { return colour('lane' + (index % 8 + 1)); }

  // Shades the times of faults, behind the lines.
  var faults = {
    id: 'faults',
    beforeDatasetsDraw: function (chart) {
      var area = chart.chartArea, context = chart.ctx, scale = chart.scales.x;
      context.save();
      (chart.config.options.faults || []).forEach(function (fault) {
        var from = Math.max(area.left, scale.getPixelForValue(fault.from));
        var to = Math.min(area.right, scale.getPixelForValue(fault.to));
        if (to - from > 0) {
          context.fillStyle = colour('bad-box');
          context.fillRect(from, area.top, Math.max(to - from, 1), area.bottom - area.top);
          context.fillStyle = colour('bad');
          var wide = context.measureText(fault.name).width;
          context.fillText(fault.name, Math.min(from + 4, area.right - wide), area.top + 12);
        }
      });
      context.restore();
    }
  };

  function number(value) {
    return Number(value).toLocaleString('en', { maximumSignificantDigits: 4 });
  }
  // One over the share that took longer, as the percentile: 100 is 99 %.
  function percentile(value) { return Number((100 - 100 / value).toFixed(4)) + ' %'; }

  function scales(chart) {
    var text = colour('quiet'), line = colour('line');
    var curve = chart.kind === 'percentiles';
    var x = {
      type: curve ? 'logarithmic' : 'linear', min: curve ? 1 : 0,
      title: { display: true, text: curve ? 'share of tasks' : 'seconds', color: text },
      ticks: { color: text, maxRotation: 0, autoSkipPadding: 16 }, grid: { display: false }
    };
    if (curve) {
      x.ticks.callback = function (value) { return percentile(value); };
      x.afterBuildTicks = function (axis) {
        axis.ticks = [2, 10, 100, 1000, 10000, 100000].filter(function (value) {
          return !(value > axis.max);
        }).map(function (value) { return { value: value }; });
      };
    } else { x.max = chart.seconds; }
    var y = {
      type: curve ? 'logarithmic' : 'linear', beginAtZero: true,
      grace: chart.faults && chart.faults.length > 0 ? '15%' : 0,
      title: { display: true, text: chart.unit, color: text },
      ticks: { color: text, maxTicksLimit: 7 }, grid: { color: line, drawTicks: false }
    };
    if (curve) {
      delete y.ticks.maxTicksLimit;
      y.ticks.autoSkip = false;
      y.ticks.callback = function (value) {
        var digit = Math.round(value / Math.pow(10, Math.floor(Math.log10(value) + 1e-9)));
        return digit === 1 || digit === 2 || digit === 5 ? number(value) : '';
      };
    }
    [x, y].forEach(function (axis) { axis.grid.borderColor = line; });
    return { x: x, y: y };
  }

  function options(chart) {
    var curve = chart.kind === 'percentiles';
    return {
      animation: false, responsive: true, maintainAspectRatio: false, normalized: true,
      parsing: false, faults: chart.faults, scales: scales(chart),
      interaction: { mode: 'nearest', axis: 'x', intersect: false },
      plugins: {
        legend: { position: 'bottom', align: 'start',
          labels: { color: colour('text'), usePointStyle: true, boxHeight: 6, padding: 14 } },
        tooltip: { animation: false, callbacks: {
          title: function (items) {
            if (items.length === 0) { return ''; }
            var at = items[0].parsed.x;
            return curve ? percentile(at) : number(at) + ' s';
          },
          label: function (item) {
            return item.dataset.label + ': ' + number(item.parsed.y) + ' ' + chart.unit;
          }
        } }
      }
    };
  }

  function paint(dataset, index) {
    dataset.borderColor = dataset.backgroundColor = lane(index);
  }

  Chart.defaults.font.family = getComputedStyle(document.body).fontFamily;
  Chart.defaults.font.size = 12;
  var drawn = charts.map(function (chart) {
    var sets = chart.lines.map(function (line, index) {
      return { label: line.name, data: line.points, borderWidth: 1.8,
        borderDash: dashes[Math.floor(index / 2) % 4], pointStyle: points[index % 6],
        pointRadius: line.points.length > 40 ? 0 : 2.5, pointHitRadius: 8, tension: 0 };
    });
    sets.forEach(paint);
    return { data: chart, chart: new Chart(document.getElementById(chart.id), {
      type: 'line', data: { datasets: sets }, options: options(chart), plugins: [faults] }) };
  });

  function repaint() {
    drawn.forEach(function (one) {
      one.chart.data.datasets.forEach(paint);
      one.chart.options = options(one.data);
      one.chart.resize();
      one.chart.update('none');
    });
  }
  function printing(on) { root.classList.toggle('printing', on); repaint(); }
  window.matchMedia('(prefers-color-scheme: dark)').addEventListener('change', repaint);
  window.addEventListener('beforeprint', function () { printing(true); });
  window.addEventListener('afterprint', function () { printing(false); });
}());
)js";

}  // namespace hilsa
