// Notifications of the browser when a rule has fired.

import { html, useEffect, useState } from './html.js';
import { get } from './api.js';
import * as format from './format.js';

const key = 'eventring-notify';
const period_ms = 2000;
const event_name = 'eventring-notify';

const isOn = () => localStorage.getItem(key) === '1' &&
  globalThis.Notification?.permission === 'granted';

export function NotifyButton() {
  const [on, set] = useState(isOn());
  const [refused, refuse] = useState(false);
  if (!globalThis.Notification) return null;
  const press = async () => {
    const wanted = !on && await Notification.requestPermission() === 'granted';
    refuse(!on && !wanted);
    localStorage.setItem(key, wanted ? '1' : '0');
    set(wanted);
    dispatchEvent(new Event(event_name));
  };
  return html`<p><button aria-pressed=${on} onClick=${press}>
    ${on ? 'Notifications of this browser are on' : 'Notify me in this browser'}</button>
    ${refused && html`${' '}<span class="error">The browser does not allow it.</span>`}</p>`;
}

// Tells of the rules that have fired since the last answer, while it is on.
export function useNotifications(live) {
  const [on, set] = useState(isOn());
  useEffect(() => {
    const change = () => set(isOn());
    addEventListener(event_name, change);
    return () => removeEventListener(event_name, change);
  }, []);
  useEffect(() => {
    if (!on || !live) return undefined;
    const abort = new AbortController();
    let before = null;
    const ask = async () => {
      const { rules } = await get('/api/rules', {}, abort.signal);
      for (const rule of rules) {
        const fired = before?.get(rule.id);
        if (fired !== undefined && rule.fired > fired)
          new Notification(`Eventring: ${format.name(rule.when)}`,
                           { body: format.name(rule.last_result ?? '') });
      }
      before = new Map(rules.map((rule) => [rule.id, rule.fired]));
    };
    const timer = setInterval(() => ask().catch(() => {}), period_ms);
    ask().catch(() => {});
    return () => {
      clearInterval(timer);
      abort.abort();
    };
  }, [on, live]);
}
