// The books of all services twice a second; a service that does not answer has none.
const shown = document.querySelector('#books');
const state = document.querySelector('#state');

function section(name, figures) {
  const part = document.createElement('section');
  part.append(Object.assign(document.createElement('h2'), { textContent: name }));
  const list = document.createElement('dl');
  for (const [figure, value] of Object.entries(figures)) {
    list.append(Object.assign(document.createElement('dt'), { textContent: figure }));
    list.append(Object.assign(document.createElement('dd'), { textContent: value }));
  }
  if (Object.keys(figures).length === 0) {
    part.className = 'down';
    list.textContent = 'does not answer';
  }
  part.append(list);
  return part;
}

async function show() {
  try {
    const books = await (await fetch('books')).json();
    shown.replaceChildren(...['orders', 'stock', 'wallets', 'coupons'].map(name => section(name, books[name])));
    for (const part of document.querySelectorAll('#shelf i')) {
      part.style.width = `${100 * (books.stock[part.className] ?? 0) / (books.stock.pieces || 1)}%`;
    }
    state.textContent = !books.settled ? 'under way'
      : books.mistakes.length ? books.mistakes.join('; ') : 'settled: the books balance';
  } catch {
    state.textContent = 'the order service does not answer';
  }
  setTimeout(show, 500);
}

document.querySelector('#buy').addEventListener('submit', async event => {
  event.preventDefault();
  const says = event.target.querySelector('output');
  says.textContent = '…';
  try {
    const answer = await fetch('orders', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ user: event.target.user.value, item: 'phone' }),
    });
    const order = await answer.json();
    says.textContent = `${order.id}: ${order.status}`;
  } catch {
    says.textContent = 'no answer: look again in a moment';
  }
});

show();
