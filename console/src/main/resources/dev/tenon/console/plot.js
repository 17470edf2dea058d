// A small live plot. What it shows is told in words beside it, so that nobody depends on the picture.
import uPlot from './vendor/uplot.js';
import { html, useEffect, useLayoutEffect, useRef } from './dom.js';
import { theme } from './theming.js';
import { useSignal } from './signal.js';

const HEIGHT = 92;
const STEPS = Array.from({ length: 13 }, (unused, n) => [1, 2, 5].map((first) => first * 10 ** n)).flat();

export function Plot({ times, values, label }) {
  const frame = useRef();
  const plot = useRef();
  const look = useSignal(theme);
  useLayoutEffect(() => {
    const style = getComputedStyle(frame.current);
    const color = (name) => style.getPropertyValue(name).trim();
    const axis = { stroke: color('--muted'), grid: { stroke: color('--line'), width: 1 }, ticks: { show: false }, font: '11px Inter, system-ui, sans-serif' };
    plot.current = new uPlot({
      width: Math.max(120, frame.current.clientWidth),
      height: HEIGHT,
      padding: [6, 26, 0, 0],
      legend: { show: false },
      cursor: { show: false },
      scales: { y: { range: (u, low, high) => [0, Math.max(1, high * 1.15)] } },
      axes: [
        { ...axis, grid: { show: false }, size: 20, space: 70, values: (u, seconds) => seconds.map(clock) },
        { ...axis, size: 42, space: 30, incrs: STEPS, values: (u, ticks) => ticks.map(short) },
      ],
      series: [{}, { stroke: color('--accent'), width: 1.75, fill: color('--accent-wash'), points: { show: false } }],
    }, [times, values], frame.current);
    const observer = new ResizeObserver(([entry]) => {
      plot.current.setSize({ width: Math.max(120, entry.contentRect.width), height: HEIGHT });
    });
    observer.observe(frame.current);
    return () => {
      observer.disconnect();
      plot.current.destroy();
    };
  }, [look]);
  useEffect(() => {
    plot.current.setData([times, values]);
  });
  return html`<div class="plot" ref=${frame} role="img" aria-label=${label}></div>`;
}

function clock(seconds) {
  const date = new Date(seconds * 1000);
  return `${date.getHours()}:${String(date.getMinutes()).padStart(2, '0')}:${String(date.getSeconds()).padStart(2, '0')}`;
}

function short(number) {
  return number >= 1e6 ? `${number / 1e6} M` : number >= 1e3 ? `${number / 1e3} k` : String(number);
}
