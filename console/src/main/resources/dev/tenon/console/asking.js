// A dialog that asks for one line of text, and then does what it was opened for.
import { html, useState } from './dom.js';
import { described, Dialog, Field, Problem } from './parts.js';

const LONGEST = 200;

/** act(text) is done when it answers; what it throws is shown, and the text can be mended. */
export function Asking({ title, label, hint, verb, start = '', blank, act, onClose, danger, children }) {
  const [text, setText] = useState(start);
  const [wrong, setWrong] = useState('');
  const [error, setError] = useState();
  const [busy, setBusy] = useState(false);
  async function submit(event) {
    event.preventDefault();
    if (text.trim() === '') {
      setWrong(blank);
      document.getElementById('asked').focus();
      return;
    }
    setBusy(true);
    try {
      await act(text.trim());
      onClose();
    } catch (failure) {
      setError(failure);
      setBusy(false);
    }
  }
  return html`<${Dialog} title=${title} onClose=${onClose}>
    <form onSubmit=${submit} novalidate>
      ${children}
      <${Field} id="asked" label=${label} hint=${hint} complaint=${wrong}>
        <input ...${described('asked', hint, wrong)} value=${text} maxlength=${LONGEST} autocomplete="off" autofocus
          onInput=${(event) => { setText(event.target.value); setWrong(''); }} />
      <//>
      ${error && html`<${Problem} error=${error} />`}
      <div class="dialog-end">
        <button type="button" onClick=${onClose}>Cancel</button>
        <button class=${danger ? 'danger-solid' : 'primary'} disabled=${busy}>${verb}</button>
      </div>
    </form>
  <//>`;
}
