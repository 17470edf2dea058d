// The nodes of the cluster: who leads, and how far each has got.
import { get, Refusal } from './api.js';
import { html } from './dom.js';
import { Badge, Empty, Facts, Moment, Notice, Page, Polled, Section, Table } from './parts.js';
import { usePoll } from './poll.js';
import { grouped } from './time.js';

const PERIOD_MS = 2000;
const WITHOUT_CLUSTER = [404, 409];

async function load(signal) {
  try {
    return await get('/v1/cluster', {}, signal);
  } catch (error) {
    if (error instanceof Refusal && WITHOUT_CLUSTER.includes(error.status)) {
      return { single: true };
    }
    throw error;
  }
}

export function ClusterPage() {
  const poll = usePoll(load, PERIOD_MS, []);
  return html`<${Page} title="Cluster" lead="Its members, who leads them, and how far each has got.">
    <${Polled} poll=${poll}>${(cluster) => (cluster.single || !cluster.members ? html`<${Single} />` : html`<${Members} of=${cluster} />`)}<//>
  <//>`;
}

function Single() {
  return html`<${Empty} title="This server is no member of a cluster.">
    <p>It stands alone, or over a store that others may share. Three nodes or more survive the loss of one:</p>
    <pre><code>./tenon server --node n1 --peers n1=host1:7710,n2=host2:7710,n3=host3:7710</code></pre><//>`;
}

function Members({ of: cluster }) {
  const committed = cluster.members.map((member) => member.committed).filter((index) => index !== undefined && index !== null).map(BigInt);
  const furthest = committed.reduce((most, index) => (index > most ? index : most), 0n);
  return html`
    ${cluster.members.length === 1 && html`<${Notice} title="A cluster of one.">
      What it holds outlives a crash, as long as its disk does. Three nodes go on when one is lost.<//>`}
    ${cluster.members.filter((member) => member.trouble).map((member) => html`<${Notice} key=${member.name} title=${`${member.name} serves nobody.`}>
      ${member.trouble}<//>`)}
    <${Section} title="This node" id="this-node">
      <${Facts} of=${[
        ['Name', cluster.node],
        ['Leader', cluster.leader || html`<${Badge} tone="warn">none: an election is on<//>`],
        ['Term', cluster.term !== undefined && grouped(cluster.term)],
        ['Applied up to', cluster.applied !== undefined && html`<code>${String(cluster.applied)}</code>`],
        ['Last snapshot', snapshotOf(cluster)],
      ]} />
    <//>
    <${Section} title="Members" id="members" aside=${html`<span class="muted">${grouped(cluster.members.length)} in all, ${Math.floor(cluster.members.length / 2) + 1} make a majority</span>`}>
      <${Table} label="Members" columns=${[{ name: 'Node' }, { name: 'Role' }, { name: 'Address', class: 'medium' },
        { name: 'Committed', class: 'number' }, { name: 'Behind', class: 'number' }]}>
        ${cluster.members.map((member) => html`<tr key=${member.name}>
          <th scope="row">${member.name}${member.name === cluster.node && html` <span class="muted">(this one)</span>`}</th>
          <td>${member.name === cluster.leader ? html`<${Badge} tone="good">leader<//>` : 'follower'}</td>
          <td class="medium"><code>${member.address ?? '–'}</code></td>
          <td class="number">${known(member.committed) ? html`<code>${String(member.committed)}</code>` : '–'}</td>
          <td class="number">${known(member.committed) ? grouped(furthest - BigInt(member.committed)) : '–'}</td>
        </tr>`)}
      <//>
    <//>`;
}

function known(index) {
  return index !== undefined && index !== null && BigInt(index) >= 0n;
}

function snapshotOf({ snapshot }) {
  if (snapshot === undefined || snapshot === null) {
    return undefined;
  }
  return typeof snapshot === 'object'
    ? html`<code>${String(snapshot.index)}</code>${snapshot.at && html` <${Moment} at=${snapshot.at} />`}`
    : html`<code>${String(snapshot)}</code>`;
}
