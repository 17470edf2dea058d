// What is done to a lock that others hold. Each says first what it means for the holder.
import { path, send } from './api.js';
import { Asking } from './asking.js';
import { html } from './dom.js';
import { announce, Facts } from './parts.js';
import { Mode, Owner } from './locks.js';

/** Forced release: needs a reason, and takes away only the grant that was seen. */
export function ReleaseDialog({ name, holder, onDone, onClose }) {
  return html`<${Asking} title="Release ${name} by force" label="Reason" hint="goes into the server’s log" verb="Release"
      blank="Say why: whoever lost the lock will want to know." onClose=${onClose} danger=${true}
      act=${async (reason) => {
        const taken = await send('DELETE', path('v1', 'locks', name), { query: { reason, token: holder.token } });
        announce(`${name} was taken from ${taken.owner}`);
        onDone();
      }}>
    <p>The next in the queue gets it at once. <strong>The holder does not know</strong> until it renews: what it writes until then is
      kept out only where its fencing token is checked.</p>
    <${Facts} of=${[['Holder', html`<${Owner} of=${holder} />`], ['Token', html`<code>${String(holder.token)}</code>`],
      ['Mode', html`<${Mode} of=${holder} />`]]} />
  <//>`;
}

/** Asks all holders to let go, which they are free to do. */
export function RevokeDialog({ name, onDone, onClose }) {
  return html`<${Asking} title="Ask the holders of ${name} to let go" label="Who asks" hint="the holders are told" verb="Ask" start="console"
      blank="Say who asks." onClose=${onClose}
      act=${async (by) => {
        const { asked } = await send('POST', `${path('v1', 'locks', name)}/revoke`, { body: { by } });
        announce(`${asked} ${asked === 1 ? 'holder was' : 'holders were'} asked`);
        onDone();
      }}>
    <p>Nothing is taken away: each holder is told at its next renewal, and lets go when it can.</p>
  <//>`;
}
