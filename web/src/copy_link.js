// The button that copies the address of the view that is shown.  The address has no token
// (see api.js): it may go into a chat or a ticket.

import { html, useState } from './html.js';

const needed = 'The link has no token: its reader opens it with the token of this server.';

const live = 'It follows the process: to share this time, hold it by Live, and copy again. ';
const held = 'The rings keep its events for a while only: save the range to keep them. ';

// [to]: the address of [what], which the button names, that of this view without it; [fixed]:
// the range is held; [alive]: the process goes on.
export function CopyLink({ to, what, fixed, alive }) {
  const [copied, set] = useState(null);
  const linkNow = () => new URL(to ?? location.hash, location.href).href;
  const copy = async () => {
    const link = linkNow();
    const reservation = `${!alive ? '' : fixed ? held : live}${needed}`;
    try {
      await navigator.clipboard.writeText(link);
      set({ link, text: `Copied. ${reservation}` });
    } catch {
      // Browsers have a clipboard only for https and for this machine.
      set({ link, text: `Copy this address: ${link} ${reservation}` });
    }
  };
  // Another view has another link.
  const text = copied?.link === linkNow() ? copied.text : '';
  return html`<button type="button" class="copy link" onClick=${copy}
      title=${`Copy the address of ${what ?? 'this view'}, without the token`}>${
        what ? `Copy the link to ${what}` : 'Copy link'}</button>
    <span class="message" role="status">${text}</span>`;
}
