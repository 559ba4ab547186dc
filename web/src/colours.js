// The colours of the style sheet, for what is not drawn by it.

// Returns the colour that the CSS variable --[name] has now.
export function colour(name) {
  return getComputedStyle(document.documentElement)
    .getPropertyValue(`--${name}`).trim();
}

// Returns the colour of text on the colour [hex].
export function textOn(hex) {
  const [r, g, b] = [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16));
  return 0.3 * r + 0.59 * g + 0.11 * b < 110 ? '#ffffff' : colour('on-bar');
}
