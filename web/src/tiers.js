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
