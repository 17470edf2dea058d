// Defines a name. What the server would refuse anyway is said at the field, as soon as it can be seen.
import { path, send } from './api.js';
import { html, useState } from './dom.js';
import { complaint, definitionOf, KINDS, labelFields, shownFields } from './definitions.js';
import { write } from './json.js';
import { announce, described, Field, Notice, Page, Section, useReachable } from './parts.js';
import { useRights } from './rights.js';
import { go, to } from './router.js';

const NAME = { name: 'name', label: 'Name', required: true, max: 200, pattern: /^[^/\x00-\x1f]+$/, placeholder: 'orders' };

export function DefinePage() {
  const may = useRights();
  const [kind, setKind] = useState('snowflake');
  const [values, setValues] = useState({});
  const [tried, setTried] = useState(false);
  const [refusal, setRefusal] = useState();
  const reachable = useReachable();
  const fields = [NAME, ...shownFields(kind, values), ...labelFields(kind)];
  const complaints = Object.fromEntries(fields.map((field) => [field.name, complaint(field, values[field.name])]));
  const set = (name) => (event) => {
    setValues({ ...values, [name]: event.target.value });
    setRefusal(undefined);
  };
  async function define(event) {
    event.preventDefault();
    setTried(true);
    const wrong = fields.find((field) => complaints[field.name]);
    if (wrong) {
      document.getElementById(`f-${wrong.name}`).focus();
      return;
    }
    try {
      const name = values.name.trim();
      await send('PUT', path('v1', 'ids', name), { body: definitionOf(kind, values) });
      announce(`${name} is defined`);
      go(['ids', name]);
    } catch (error) {
      setRefusal(error);
    }
  }
  const input = (field) => html`<${Input} key=${field.name} field=${field} value=${values[field.name]}
    complaint=${tried || values[field.name] ? complaints[field.name] : ''} onInput=${set(field.name)} />`;
  const complete = fields.every((field) => !complaints[field.name]);
  return html`<${Page} title="Define a name" lead=${html`<a href=${to(['ids'])}>IDs</a>`}>
    ${!may('ADMIN', 'ids') && html`<p class="hint">Defining needs a key with the right ADMIN for the name.</p>`}
    <form class="define" onSubmit=${define} novalidate>
      <${Section} title="What it gives" id="what">
        <div class="fields">
          ${input(NAME)}
          <${Field} id="f-kind" label="Kind" hint=${KINDS[kind].about}>
            <select ...${described('f-kind', 'yes')} value=${kind} onChange=${(event) => setKind(event.target.value)}>
              ${Object.keys(KINDS).map((name) => html`<option key=${name} value=${name}>${name}</option>`)}
            </select>
          <//>
          ${shownFields(kind, values).map(input)}
        </div>
      <//>
      <${Section} title="How it is shown" id="shown" aside=${html`<span class="muted">optional</span>`}>
        <div class="fields">${labelFields(kind).map(input)}</div>
      <//>
      ${refusal && html`<${Notice} tone="bad" title=${refusal.title || 'Not defined'}>${refusal.message}<//>`}
      <div class="form-end">
        <button class="primary" disabled=${!reachable}>Define</button>
        <p class="hint">A definition never changes.
          ${complete && html` This sends <code class="request">PUT ${path('v1', 'ids', values.name.trim())} ${write(definitionOf(kind, values))}</code>`}</p>
      </div>
    </form>
  <//>`;
}

function Input({ field, value, complaint: wrong, onInput }) {
  const id = `f-${field.name}`;
  const attributes = described(id, field.hint, wrong);
  return html`<${Field} id=${id} label=${field.label} hint=${field.hint} complaint=${wrong}>
    ${field.options
      ? html`<select ...${attributes} value=${value ?? field.options[0]} onChange=${onInput}>
          ${field.options.map((option) => html`<option key=${option} value=${option}>${option}</option>`)}</select>`
      : html`<input ...${attributes} value=${value ?? field.value ?? ''} placeholder=${field.placeholder} autocomplete="off"
          spellcheck="false" required=${field.required} inputmode=${field.number ? 'numeric' : undefined} onInput=${onInput} />`}
  <//>`;
}
