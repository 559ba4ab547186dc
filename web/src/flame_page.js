// The page that eventring profile --flame writes.  It has its data as JSON: names,
// and rows of name, parent and own value, parents first; of the base, too, if
// another profile is compared with.

import { html, render, useState } from './html.js';
import * as format from './format.js';
import { FlameGraph } from './flame_graph.js';
import { child, fromOCaml, newNode, sumUp } from './flame_tree.js';
import { typeNamed, typeOf } from './profile_types.js';

const data = JSON.parse(document.getElementById('data').textContent);

function addRows(root, rows, field) {
  const nodes = [];
  for (const [name, parent, value] of rows) {
    const node = nodes.length === 0 ? root
      : child(nodes[parent], data.names[name], data.kinds[name]);
    node[field] += value;
    nodes.push(node);
  }
}

const type = typeOf(typeNamed(data.type));
const whole = newNode('all');
addRows(whole, data.nodes, 'self');
if (data.base) addRows(whole, data.base, 'baseSelf');
const root = type.fromOCaml ? fromOCaml(whole) : whole;
sumUp(root);

document.title = data.title;
function Page() {
  const [state, set] = useState({});
  return html`<main><h1>${format.name(data.title)}</h1>
    <p class="quiet">${data.about}${data.base_name !== null &&
      `, compared with ${format.name(data.base_name)}`}</p>
    <${FlameGraph} root=${root} bar=${type.bar} compared=${data.compared}
      text=${type.text} state=${state}
      set=${(changes) => set((old) => ({ ...old, ...changes }))} /></main>`;
}

render(html`<${Page} />`, document.getElementById('page'));
