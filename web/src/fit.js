// Texts in a place that may be too narrow.

// Returns the beginning of [text] that fits into [width] pixels, in a font
// whose characters are about [advance] wide.
export function fit(text, width, advance = 6.2) {
  const most = Math.floor(width / advance);
  if (text.length <= most) return text;
  return most < 3 ? '' : `${text.slice(0, most - 1)}…`;
}
