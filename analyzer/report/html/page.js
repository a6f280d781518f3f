// Filters of the page of --output html. Without it the page shows everything and the form stays hidden.
'use strict';

(() => {
  const form = document.querySelector('.filters');
  if (!form)
    return;
  const entries = [...document.querySelectorAll('main > .finding')].map((finding) => ({
    finding,
    link: document.querySelector(`.index a[href="#${finding.id}"]`).parentElement,
    rule: finding.dataset.rule,
    folder: finding.dataset.folder,
  }));
  const status = form.querySelector('[role="status"]');

  function count(keys) {
    const counts = new Map();
    for (const key of keys)
      counts.set(key, (counts.get(key) || 0) + 1);
    return [...counts].sort(([a], [b]) => (a < b ? -1 : 1));
  }

  // A folder and those it lies in, up to the top.
  function ways(folder) {
    const found = [folder];
    for (let at = folder.lastIndexOf('/'); at > 0; at = folder.lastIndexOf('/', at - 1))
      found.push(folder.slice(0, at));
    return found;
  }

  function fill(select, counts) {
    for (const [value, number] of counts)
      select.append(new Option(`${value} (${number})`, value));
  }

  function lies(folder, top) {
    return top === '' || folder === top || folder.startsWith(`${top}/`);
  }

  function filter() {
    const rule = form.elements.rule.value;
    const folder = form.elements.folder.value;
    let shown = 0;
    for (const entry of entries) {
      const fits = (rule === '' || entry.rule === rule) && lies(entry.folder, folder);
      entry.finding.hidden = !fits;
      entry.link.hidden = !fits;
      shown += fits;
    }
    status.textContent = shown === 0 ? 'No finding fits both filters' : `${shown} of ${entries.length} findings`;
  }

  fill(form.elements.rule, count(entries.map((entry) => entry.rule)));
  fill(form.elements.folder, count(entries.flatMap((entry) => ways(entry.folder))));
  form.addEventListener('change', filter);
  form.addEventListener('submit', (event) => event.preventDefault());
  form.addEventListener('reset', (event) => { // the lists come back after this event: here, at once
    event.preventDefault();
    form.elements.rule.value = '';
    form.elements.folder.value = '';
    filter();
  });
  form.hidden = false;
  filter();

  // On a phone a long index would stand in front of the findings: it is folded up, one tap away.
  const index = document.querySelector('.index details');
  if (entries.length > 8 && matchMedia('(max-width: 67.99rem)').matches)
    index.open = false;
})();
