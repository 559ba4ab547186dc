// Files that the browser saves.

import * as format from './format.js';

// Has the browser save [blob] as a file called [name].
export function saveFile(name, blob) {
  const url = URL.createObjectURL(blob);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(url), 60000);
}

export const saveText = (name, text, type) =>
  saveFile(name, new Blob([text], { type: `${type};charset=utf-8` }));

// Returns [text] with only letters that any system allows in the name of a file.
export const safeName = (text) =>
  text.replace(/[^A-Za-z0-9._-]+/g, '_').replace(/^[.-]+/, '') || 'file';

// Returns the begin of the name of a file about [process].
export const fileOf = (process) =>
  safeName(`${format.program(process)}-${process.pid}`);
