// Decodes any ID: by every definition of this server, and by every format that its text has.
import { get, path, Refusal } from './api.js';
import { html, useEffect, useState } from './dom.js';
import { formatsOf } from './formats.js';
import { announce, Badge, Empty, Facts, Moment, Page, Problem, Section } from './parts.js';
import { go, to } from './router.js';
import { grouped, isMoment, relative } from './time.js';

const AT_ONCE = 6;
const LONGEST = 300;

export function DecodePage({ query }) {
  const id = (query.id || '').trim();
  const [typed, setTyped] = useState(id);
  useEffect(() => setTyped(id), [id]);
  function decode(event) {
    event.preventDefault();
    go(['decode'], { id: typed.trim() });
  }
  return html`<${Page} title="Decode an ID" lead="Paste any ID: every definition here that could have made it, and every format that it has.">
    <form class="decode row" role="search" onSubmit=${decode}>
      <div class="field grow"><label for="id">ID</label>
        <input id="id" class="code" value=${typed} maxlength=${LONGEST} spellcheck="false" autocomplete="off" placeholder="1541815603606036480"
          onInput=${(event) => setTyped(event.target.value)} /></div>
      <button class="primary">Decode</button>
    </form>
    ${id === ''
      ? html`<${Empty} title="Nothing to decode yet.">
          <p>A number, a UUID, a ULID, an ObjectId, a TypeID, a template’s text, or public text such as <code>ord_…</code></p><//>`
      : html`<${ByDefinition} key=${id} id=${id} /><${ByFormat} id=${id} />`}
  <//>`;
}

function ByDefinition({ id }) {
  const [state, setState] = useState({ found: [], asked: 0 });
  useEffect(() => {
    const stop = new AbortController();
    ask(id, stop.signal, setState).catch((error) => !stop.signal.aborted && setState((before) => ({ ...before, error })));
    return () => stop.abort();
  }, []);
  const { found, asked, of, error } = state;
  const done = of !== undefined && asked === of;
  return html`<section aria-labelledby="by-definition" aria-busy=${done ? 'false' : 'true'}>
    <h2 id="by-definition" class="over">Definitions that could have made it</h2>
    ${error && html`<${Problem} error=${error} />`}
    ${found.length > 0 && html`<div class="cards">${found.map((parts) => html`
      <${Section} key=${parts.name} id="d-${parts.name}" title=${html`<a href=${to(['ids', parts.name])}>${parts.name}</a>`}
          aside=${html`<${Badge}>${parts.kind}<//>`}>
        <${Facts} of=${fieldsOf(parts)} />
      <//>`)}</div>`}
    ${done && found.length === 0 && html`<p class="muted">None of the ${grouped(of)} ${of === 1 ? 'definition' : 'definitions'} of this server.</p>`}
    ${!done && !error && of !== undefined && html`<p class="waiting">Asked ${asked} of ${of} definitions …</p>`}
  </section>`;
}

async function ask(id, signal, setState) {
  const { ids } = await get('/v1/ids', {}, signal);
  const names = ids.filter((entry) => !entry.unreadable).map((entry) => entry.name);
  setState((before) => ({ ...before, of: names.length }));
  let hits = 0;
  async function work() {
    for (let name = names.shift(); name !== undefined; name = names.shift()) {
      const parts = await decoded(name, id, signal);
      hits += parts ? 1 : 0;
      setState((before) => ({
        ...before,
        asked: before.asked + 1,
        found: parts ? [...before.found, parts].sort((a, b) => a.name.localeCompare(b.name)) : before.found,
      }));
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  announce(hits === 0 ? 'No definition could have made it' : `${hits} ${hits === 1 ? 'definition' : 'definitions'} could have made it`);
}

/** Its parts, or undefined if it is not of that name, or not ours to read. */
async function decoded(name, id, signal) {
  try {
    return await get(path('v1', 'ids', name, 'decode', id), {}, signal);
  } catch (error) {
    if (error instanceof Refusal && [400, 403, 404].includes(error.status)) {
      return undefined;
    }
    throw error;
  }
}

function ByFormat({ id }) {
  const formats = formatsOf(id);
  const likely = formats.filter((format) => format.likely);
  const others = formats.filter((format) => !format.likely);
  return html`<section aria-labelledby="by-format">
    <h2 id="by-format" class="over">Formats that it has</h2>
    ${formats.length === 0 && html`<p class="muted">No number and none of the common formats. What has a prefix is read by its definition alone.</p>`}
    ${likely.length > 0 && html`<div class="cards">${likely.map((format) => html`<${Format} key=${format.format} of=${format} />`)}</div>`}
    ${others.length > 0 && html`<details class="others" open=${likely.length === 0}>
      <summary>${likely.length === 0 ? 'Possible' : 'Possible, but less likely'} (${others.length})</summary>
      <div class="cards">${others.map((format) => html`<${Format} key=${format.format} of=${format} />`)}</div>
    </details>`}
  </section>`;
}

function Format({ of: { format, fields, note } }) {
  const id = `f-${format.replace(/\W+/g, '-')}`;
  return html`<${Section} id=${id} title=${format}>
    <${Facts} of=${fieldsOf(fields)} />
    ${note && html`<p class="hint">${note}</p>`}
  <//>`;
}

function fieldsOf(parts) {
  return Object.entries(parts)
    .filter(([name]) => !['id', 'name', 'kind'].includes(name))
    .map(([name, value]) => [name, isMoment(value)
      ? html`<${Moment} at=${value} /><span class="muted">, ${relative(value)}</span><br /><code>${value}</code>`
      : html`<code>${String(value)}</code>`]);
}
