// The button that copies the address of the view that is shown.  The address has no token
// (see api.js): it may go into a chat or a ticket.

import { html, useState } from './html.js';

const needed = 'The link has no token: its reader opens it with the token of this server.';

const follows = 'It follows the process. ';
const holds = 'It holds this time, and the address above follows the process. ';
const kept = 'The rings keep its events for a while only: save the range to keep them. ';

// [to]: the address of [what], which the button names, that of this view without it.  Of a
// process that is [alive], the view may have a time that is [fixed], or [held] returns its
// address with the time that it shows now, or is null: it has none.
export function CopyLink({ to, what, fixed, held = null, alive }) {
  const [copied, set] = useState(null);
  const whole = (address) => new URL(address, location.href).href;
  const view = whole(to ?? location.hash);
  const copy = async () => {
    const link = held ? whole(held()) : view;
    const reservation = `${!alive ? '' : fixed ? kept : held ? holds + kept : follows}${needed}`;
    try {
      await navigator.clipboard.writeText(link);
      set({ view, text: `Copied. ${reservation}` });
    } catch {
      // Browsers have a clipboard only for https and for this machine.
      set({ view, text: `Copy this address: ${link} ${reservation}` });
    }
  };
  // Another view has another link.
  const text = copied?.view === view ? copied.text : '';
  return html`<button type="button" class="copy link" onClick=${copy}
      title=${`Copy the address of ${what ?? 'this view'}, without the token`}>${
        what ? `Copy the link to ${what}` : 'Copy link'}</button>
    <span class="message" role="status">${text}</span>`;
}
