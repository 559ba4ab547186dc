// The only door to preact: elements are written html`<p>${text}</p>`.  Values
// become text nodes and properties, never markup.

import { Component, h, render } from 'preact';
import htm from 'htm';

export { render };
export {
  useCallback, useEffect, useLayoutEffect, useMemo, useReducer, useRef,
  useState,
} from 'preact/hooks';
export const html = htm.bind(h);

// Shows an error of the elements inside instead of leaving the page half drawn.
export class Guard extends Component {
  static getDerivedStateFromError(error) {
    return { error };
  }

  componentDidCatch(error) {
    console.error(error);
  }

  render({ children }, { error }) {
    return error
      ? h('p', { class: 'error', role: 'alert' },
          `This view failed: ${error.message}. Another view may work.`)
      : children;
  }
}
