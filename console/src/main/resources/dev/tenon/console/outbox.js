// What waits to be sent from the outboxes of the database, what keeps it back, and what was given up.
import { get, path, send } from './api.js';
import { Asking } from './asking.js';
import { html, useState } from './dom.js';
import { announce, Badge, Empty, Facts, Moment, Notice, Page, Polled, Section, Table } from './parts.js';
import { usePoll } from './poll.js';
import { useRights } from './rights.js';
import { go, replace, to } from './router.js';
import { millis, span } from './time.js';

const PERIOD_MS = 2000;
const PAGE = 20;
const COUNT_MAX = 1000;
const TONES = { DEAD: 'bad', SENT: 'good', DISCARDED: 'warn' };
const DEAD = ['v1', 'outbox', 'dead-letters'];

const LANES = [
  { name: 'Target' },
  { name: 'Key' },
  { name: 'Oldest', class: 'number' },
  { name: 'Behind it', class: 'number medium' },
  { name: 'First message' },
  { name: 'Trouble', class: 'medium' },
];

const LETTERS = [
  { name: 'Message' },
  { name: 'Target' },
  { name: 'Key', class: 'medium' },
  { name: 'Age', class: 'number wide' },
  { name: 'Why it was given up', class: 'medium' },
  { name: 'Actions', unseen: true },
];

export function OutboxPage({ query }) {
  const { outbox = '', after = '' } = query;
  const [asked, setAsked] = useState();
  const may = useRights();
  const poll = usePoll((signal) => fetched(outbox, after, signal), PERIOD_MS, [outbox, after]);
  const operator = may('ADMIN', 'transactions');
  return html`<${Page} title="Outbox" lead="Messages that services send from this database: what is late, what keeps it back, what was given up.">
    ${poll.error?.kind === 'no-outbox' ? html`<${Nowhere} />` : html`<${Polled} poll=${poll}>${(seen) => (seen.shown
      ? html`<${One} seen=${seen} after=${after} ask=${operator && setAsked} />`
      : html`<${None} />`)}<//>`}
    ${asked && html`<${Why} ...${asked} onDone=${poll.refresh} onClose=${() => setAsked(undefined)} />`}
  <//>`;
}

/** All outboxes, and of the one that is shown what waits and what is dead. */
async function fetched(outbox, after, signal) {
  const { outboxes } = await get('/v1/outbox', { limit: 100 }, signal);
  const shown = outboxes.find((one) => one.outbox === outbox) || (outbox === '' ? outboxes[0] : undefined);
  if (!shown) {
    return { outboxes };
  }
  const [{ lanes }, dead] = await Promise.all([
    get('/v1/outbox/lanes', { outbox: shown.outbox, limit: PAGE }, signal),
    get(path(...DEAD), { outbox: shown.outbox, after, limit: PAGE }, signal),
  ]);
  return { outboxes, shown, lanes, dead };
}

function Nowhere() {
  return html`<${Empty} title="The store under this server has no outbox.">
    <p>Messages stand in the database of the service that sends them: start a server over that one (<code>--store jdbc:…</code>).</p><//>`;
}

function None() {
  return html`<${Empty} title="No service has an outbox here.">
    <p>A message that is sent and need not be kept is deleted, so an outbox with nothing to do may not show.</p>
    <p><a href=${to(['outbox'])}>Show the first outbox</a></p><//>`;
}

function One({ seen, after, ask }) {
  const { outboxes, shown, lanes, dead } = seen;
  const name = shown.outbox;
  return html`
    <div class="toolbar"><div class="field inline"><label for="outbox">Outbox</label>
      <select id="outbox" value=${name} onChange=${(event) => replace(['outbox'], { outbox: event.target.value })}>
        ${outboxes.map((one) => html`<option key=${one.outbox} value=${one.outbox}>${one.outbox}</option>`)}
      </select></div></div>
    <${Section} title="How it is" id="facts">
      <${Facts} of=${[['Behind', shown.lag ? age(shown.lag) : 'not at all'], ['To be sent', count(shown.waiting)],
        ['Dead letters', shown.deadLetters > 0 ? html`<${Badge} tone="bad">${count(shown.deadLetters)}<//>` : '0'],
        ['Oldest of these', shown.oldestDeath && html`<${Moment} at=${shown.oldestDeath} />`]]} />
    <//>
    <${Section} title="What waits" id="lanes">
      ${lanes.length === 0 ? html`<p class="muted">Everything is sent.</p>` : html`
        <${Table} label="What waits" columns=${LANES}>
          ${lanes.map((lane) => html`<${Lane} key=${`${lane.target} ${lane.key}`} lane=${lane} />`)}
        <//>`}
    <//>
    <${Section} title="Dead letters" id="dead">
      ${dead.messages.length === 0 ? html`<p class="muted">There are none${after && ' after that'}.</p>` : html`
        <${Table} label="Dead letters" columns=${LETTERS}>
          ${dead.messages.map((letter) => html`<${Letter} key=${letter.number} letter=${letter} ask=${ask} />`)}
        <//>`}
      ${(after || dead.next) && html`<nav class="pages" aria-label="Pages">
        <button type="button" disabled=${!after} onClick=${() => go(['outbox'], { outbox: name })}>First</button>
        <button type="button" disabled=${!dead.next} onClick=${() => go(['outbox'], { outbox: name, after: String(dead.next) })}>Next</button>
      </nav>`}
    <//>`;
}

function Lane({ lane: { target, key, waiting, failing, first } }) {
  return html`<tr>
    <th scope="row">${target}</th>
    <td>${key || html`<span class="muted">none</span>`}</td>
    <td class="number">${age(first.age)}</td>
    <td class="number medium">${count(waiting)}</td>
    <td><a href=${to(['outbox', String(first.number)])}>${String(first.number)}</a> <${State} of=${first} />${
      failing && first.state !== 'DEAD' && html` <${Badge} tone="bad">failing<//>`}</td>
    <td class="medium">${first.lastError || html`<span class="muted">none</span>`}</td>
  </tr>`;
}

function Letter({ letter, ask }) {
  const number = String(letter.number);
  return html`<tr>
    <th scope="row"><a href=${to(['outbox', number])}>${number}</a></th>
    <td>${letter.target}</td>
    <td class="medium">${letter.key}</td>
    <td class="number wide">${age(letter.age)}</td>
    <td class="medium">${letter.lastError}</td>
    <td>${ask && html`<${Acts} number=${number} ask=${ask} />`}</td>
  </tr>`;
}

/** What can be done to a dead letter. */
function Acts({ number, ask }) {
  return html`
    <button type="button" aria-label="Replay ${number}" onClick=${() => ask({ word: 'replay', number })}>Replay …</button>
    <button type="button" class="danger" aria-label="Discard ${number}" onClick=${() => ask({ word: 'discard', number })}>Discard …</button>`;
}

function Why({ word, number, onDone, onClose }) {
  const discards = word === 'discard';
  const verb = discards ? 'Discard' : 'Replay';
  return html`<${Asking} title="${verb} message ${number}" label="Reason" hint="goes into its history and the audit log" verb=${verb}
      blank="Say why: somebody will ask." onClose=${onClose} danger=${discards}
      act=${async (reason) => {
        await send('POST', `${path(...DEAD, number)}/${word}`, { body: { reason } });
        announce(`Message ${number} is ${discards ? 'discarded' : 'to be sent again'}`);
        onDone();
      }}>
    ${discards
      ? html`<p>It is <strong>never sent</strong>, and those behind it, of its target and key, go on without it.</p>`
      : html`<p>The service sends it again, with all its attempts, and those behind it after it. It may have arrived before.</p>`}
  <//>`;
}

export function MessagePage({ name }) {
  const [asked, setAsked] = useState();
  const may = useRights();
  const poll = usePoll((signal) => one(name, signal), PERIOD_MS, [name]);
  const dead = poll.data?.message.state === 'DEAD' && may('ADMIN', 'transactions');
  return html`<${Page} title="Message ${name}" lead=${html`<a href=${to(['outbox'], { outbox: poll.data?.message.outbox })}>Outbox</a>`}
      actions=${dead && html`<${Acts} number=${name} ask=${setAsked} />`}>
    <${Polled} poll=${poll}>${({ message, lane }) => html`
      <${Blocker} message=${message} lane=${lane} />
      <${Section} title="Message" id="facts">
        <${Facts} of=${[['State', html`<${State} of=${message} />`], ['Target', message.target], ['Key', message.key], ['Type', message.type],
          ['ID', message.id], ['Outbox', message.outbox], ['Written', html`<${Moment} at=${message.enqueuedAt} />`],
          ['Attempts', String(message.attempts)], ['Next', message.dueAt && html`<${Moment} at=${message.dueAt} />`],
          ['Ended', message.endedAt && html`<${Moment} at=${message.endedAt} />`], ['Size', `${message.size} bytes`]]} />
      <//>
      ${message.content && html`<${Content} of=${message.content} />`}
      <${History} events=${message.history} />`}
    <//>
    ${asked && html`<${Why} ...${asked} onDone=${poll.refresh} onClose=${() => setAsked(undefined)} />`}
  <//>`;
}

/** A message, and the lane that it is in. */
async function one(number, signal) {
  const message = await get(path('v1', 'outbox', 'messages', number), {}, signal);
  if (!message.key || message.state === 'SENT' || message.state === 'DISCARDED') {
    return { message };
  }
  const { lanes } = await get('/v1/outbox/lanes', { outbox: message.outbox, target: message.target, key: message.key }, signal);
  return { message, lane: lanes[0] };
}

/** What keeps it back, or how many it keeps back. */
function Blocker({ message, lane }) {
  if (lane && lane.first.number !== message.number) {
    const number = String(lane.first.number);
    return html`<${Notice} tone="warn" title="Another message goes first.">
      <a href=${to(['outbox', number])}>Message ${number}</a> of the same target and key: ${lane.first.lastError || lane.first.state.toLowerCase()}<//>`;
  }
  if (message.state === 'DEAD') {
    return html`<${Notice} tone="bad" title="It was given up${lane && lane.waiting > 0 ? `, and keeps ${count(lane.waiting)} back` : ''}.">
      ${message.lastError}<//>`;
  }
  return null;
}

function Content({ of: { text, base64, complete, headers } }) {
  const heads = Object.entries(headers);
  return html`<${Section} title="What is in it" id="content">
    ${heads.length > 0 && html`<${Facts} of=${heads} />`}
    <pre tabindex="0"><code>${text ?? base64}</code></pre>
    ${!complete && html`<p class="muted">That is the beginning of it.</p>`}
  <//>`;
}

function History({ events }) {
  return html`<${Section} title="History" id="history">
    ${events.length === 0 ? html`<p class="muted">Nothing has gone wrong.</p>` : html`
      <${Table} label="History" columns=${[{ name: 'When' }, { name: 'What' }, { name: 'By', class: 'medium' }, { name: 'Why' }]}>
        ${events.map((event, i) => html`<tr key=${`${event.at} ${i}`}>
          <td><${Moment} at=${event.at} /></td>
          <th scope="row">${event.what}</th>
          <td class="medium">${event.by}</td>
          <td>${event.detail}</td>
        </tr>`)}
      <//>`}
  <//>`;
}

function State({ of: { state } }) {
  return html`<${Badge} tone=${TONES[state]}>${state.toLowerCase()}<//>`;
}

function age(duration) {
  const ms = millis(duration);
  return ms === undefined ? String(duration) : span(ms);
}

/** How many; from a thousand on the server has not counted. */
function count(number) {
  return number >= COUNT_MAX ? `${COUNT_MAX} or more` : String(number);
}
