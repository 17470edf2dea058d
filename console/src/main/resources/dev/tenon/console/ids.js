// All ID definitions: what they are, how far they got, how long they last.
import { get, path } from './api.js';
import { html, useEffect, useRef, useState } from './dom.js';
import { told } from './definitions.js';
import { Badge, Empty, Page, Polled, Table } from './parts.js';
import { usePoll } from './poll.js';
import { useRights } from './rights.js';
import { go, replace, to } from './router.js';
import { grouped, span } from './time.js';

const PERIOD_MS = 2000;
const PAGE = 25;
const REPORTS_MS = 30000;
const AT_ONCE = 4;
const MANY = 10n ** 15n;

const COLUMNS = [
  { name: 'Name' },
  { name: 'Kind' },
  { name: 'Definition', class: 'wide' },
  { name: 'Issued', class: 'number' },
  { name: 'Highest seen', class: 'number wide' },
  { name: 'Outlook', class: 'medium' },
];

export function IdsPage({ query }) {
  const may = useRights();
  const poll = usePoll((signal) => get('/v1/ids', {}, signal), PERIOD_MS, []);
  return html`<${Page} title="IDs" lead="What is defined, how far it got, and how long it lasts."
      actions=${html`<a class="button" href=${to(['decode'])}>Decode an ID</a>
        ${may('ADMIN', 'ids') && html`<a class="button primary" href=${to(['define'])}>Define a name</a>`}`}>
    <${Polled} poll=${poll}>${({ ids }) => html`<${List} ids=${ids} query=${query} />`}<//>
  <//>`;
}

function List({ ids, query }) {
  const wanted = (query.filter || '').toLowerCase();
  const matching = ids.filter((entry) => entry.name.toLowerCase().includes(wanted));
  const pages = Math.max(1, Math.ceil(matching.length / PAGE));
  const page = Math.min(pages, Math.max(1, Number(query.page) || 1));
  const shown = matching.slice((page - 1) * PAGE, page * PAGE);
  const reports = useReports(shown.map((entry) => entry.name));
  return html`
    <div class="toolbar">
      <div class="field inline"><label for="filter">Filter</label>
        <input id="filter" type="search" value=${query.filter || ''} placeholder="part of a name" autocomplete="off"
          onInput=${(event) => replace(['ids'], { filter: event.target.value })} /></div>
      <p class="count">${grouped(matching.length)} ${matching.length === 1 ? 'name' : 'names'}</p>
    </div>
    ${shown.length === 0
      ? html`<${Empty} title="No name has “${query.filter}” in it.">
          <p><a href=${to(['ids'])}>Show all names</a>, or define one.</p><//>`
      : html`<${Table} label="ID definitions" columns=${COLUMNS}>
          ${shown.map((entry) => html`<${Row} key=${entry.name} entry=${entry} outlook=${reports.get(entry.name)?.outlook} />`)}
        <//>`}
    ${pages > 1 && html`<nav class="pages" aria-label="Pages">
      <button type="button" disabled=${page === 1} onClick=${() => go(['ids'], { ...query, page: page - 1 })}>Previous</button>
      <span>Page ${page} of ${pages}</span>
      <button type="button" disabled=${page === pages} onClick=${() => go(['ids'], { ...query, page: page + 1 })}>Next</button>
    </nav>`}`;
}

function Row({ entry, outlook }) {
  return html`<tr>
    <th scope="row"><a href=${to(['ids', entry.name])}>${entry.name}</a>
      ${entry.unreadable && html` <${Badge} tone="bad">unreadable<//>`}
      ${entry.regression && html` <${Badge} tone="bad">went back<//>`}</th>
    <td>${entry.definition?.kind ?? '–'}</td>
    <td class="wide muted">${entry.unreadable || told(entry.definition) || '–'}</td>
    <td class="number">${grouped(entry.issued)}</td>
    <td class="number wide">${entry.highestSeen === undefined ? '–' : html`<code>${entry.highestSeen}</code>`}</td>
    <td class="medium"><${Outlook} of=${outlook} /></td>
  </tr>`;
}

/** How long a definition lasts, in a few words. */
export function Outlook({ of: outlook }) {
  if (!outlook) {
    return html`<span class="muted">–</span>`;
  }
  const tone = outlook.warning ? 'warn' : '';
  if (outlook.expires) {
    const left = new Date(outlook.expires).getTime() - Date.now();
    return html`<span class=${tone} title=${outlook.warning || outlook.expires}>until ${outlook.expires.slice(0, 10)}
      <span class="muted"> (${span(left)})</span></span>`;
  }
  if (outlook.left !== undefined) {
    const many = BigInt(outlook.left) > MANY;
    return html`<span title="${grouped(outlook.left)} left">${many ? 'no end in sight' : `${grouped(outlook.left)} left`}</span>`;
  }
  return html`<span>${grouped(outlook.perPeriod)} a ${outlook.period}</span>`;
}

/** The full reports of a few names, which cost the store a question each: asked seldom, and a few at a time. */
function useReports(names) {
  const [reports, setReports] = useState(new Map());
  const asked = useRef(new Map());
  useEffect(() => {
    const stop = new AbortController();
    const due = names.filter((name) => performance.now() - (asked.current.get(name) ?? -Infinity) > REPORTS_MS);
    async function work() {
      for (let name = due.shift(); name !== undefined && !stop.signal.aborted; name = due.shift()) {
        try {
          const report = await get(path('v1', 'ids', name), {}, stop.signal);
          asked.current.set(name, performance.now());
          setReports((before) => new Map(before).set(name, report));
        } catch (e) {
          return; // the list itself says that the server is away
        }
      }
    }
    for (let i = 0; i < AT_ONCE; i++) {
      work();
    }
    return () => stop.abort();
  }, [names.join('/'), Math.floor(performance.now() / REPORTS_MS)]);
  return reports;
}
