// Which keys are for the page, and not for the browser or a field.

export const hasModifier = ({ ctrlKey, metaKey, altKey }) => ctrlKey || metaKey || altKey;

export const isTyping = (element) => element.closest(
  'input:not([type=checkbox]), textarea, select, [contenteditable], dialog') !== null;
