// A menu: a panel below its name, which a click elsewhere or Esc closes.

import { html, useEffect, useRef, useState } from './html.js';

// [panel]: returns what is in the panel, while that is open.
export function Menu({ label, panel }) {
  const [open, setOpen] = useState(false);
  const menu = useRef(null);
  useEffect(() => {
    const outside = (event) => menu.current.contains(event.target) || setOpen(false);
    addEventListener('pointerdown', outside);
    return () => removeEventListener('pointerdown', outside);
  }, []);
  const close = () => {
    setOpen(false);
    menu.current.querySelector('summary').focus();
  };
  return html`<details ref=${menu} class="menu" open=${open}
      onToggle=${(e) => setOpen(e.target.open)}
      onKeyDown=${(e) => e.key === 'Escape' && close()}>
    <summary>${label}</summary>
    <div class="panel">${open && panel()}</div>
  </details>`;
}
