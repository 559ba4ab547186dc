// The button that copies the address of the view that is shown.  The address has no token
// (see api.js): it may go into a chat or a ticket.

import { html, useState } from './html.js';
import { Message } from './control.js';

const needed = 'The link has no token: its reader opens it with the token of this server.';

const live = 'It follows the process: press Live first for a link to this time. ';
const held = 'The rings keep its events for a while only: save the range to keep them. ';

// [fixed]: the range is held; [alive]: the process goes on.
export function CopyLink({ fixed, alive }) {
  const [copied, set] = useState(null);
  const copy = async () => {
    const link = location.href;
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
  const message = copied?.link === location.href ? copied : null;
  return html`<button type="button" class="copy link" onClick=${copy}
      title="Copy the address of this view, without the token">Copy link</button>
    <${Message} message=${message} />`;
}
