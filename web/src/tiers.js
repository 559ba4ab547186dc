// The tiers of the history of a process, as components want them.

import { useEffect } from './html.js';

// Asks for the tiers of [shown] that have not come yet.
export function useTiers(shown, { history, redraw, failed }, live) {
  useEffect(() => {
    const abort = new AbortController();
    for (const tier of shown.filter((t) => !t.loaded))
      history.load(tier, abort.signal).then(redraw, failed);
    return () => abort.abort();
  }, [history, shown.map((tier) => tier.name).join(), live]);
}

// Keeps the tier that is shown up to date.  The finest has its new rows from the
// stream, but not the changes of earlier rows.
export function useFreshTier(tier, { history, paced }, live) {
  useEffect(() => {
    if (!live) return undefined;
    const abort = new AbortController();
    const load = () => history.load(tier, abort.signal).then(paced, () => {});
    const timer = setInterval(load,
                              Math.min(Math.max(tier.ns / 1e6, 2000), 5000));
    if (tier.loaded) load();
    return () => {
      clearInterval(timer);
      abort.abort();
    };
  }, [tier, live]);
}
