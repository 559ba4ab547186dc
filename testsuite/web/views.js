// Each view of the page with the server of mock.js: its address, what is there when it is
// drawn, and what is clicked first.
const process = '#/process/100';
export const views = {
  'all processes': ['', '.process .verdict', '.ended summary'],
  verdict: [`${process}/charts`, '.diagnosis li', '.diagnosis summary'],
  charts: [`${process}/charts`, '.chart canvas'],
  timeline: [`${process}/timeline?from=40000000000&to=40040000000&backup=1`, '.minimap'],
  tables: [`${process}/tables?last=all`, '[data-table=pauses]'],
  requests: [`${process}/requests?last=all&request=7`, '[data-table=request-work]'],
  locks: [`${process}/locks?last=all`, '[data-table=locks]'],
  events: [`${process}/events?last=all`, 'section table'],
  between: [`${process}/between?first=minor&then=minor`, '.histogram'],
  'flame graph': [`${process}/flame?last=all`, '.flame button'],
  'live heap': [`${process}/flame?type=live`, '.plot'],
  control: [`${process}/control`, '.control fieldset'],
  'an ended process': ['#/process/101/charts', '.chart canvas'],
  downloads: [`${process}/charts`, '.menu[open]', '.menu summary'],
  comparison: ['#/compare/100/101', '[data-table=differences-causes]'],
  runs: ['#/runs', '[data-table=batches]'],
  'a batch': ['#/runs?batch=nightly', '[data-table=runs]'],
  'compared runs': ['#/runs/comparison?groups=["nightly"]', '[data-table=figures]'],
  versions: ['#/runs/timeline?groups=["nightly"]', '.versions'],
  saved: ['#/saved', 'h1'], rules: ['#/rules', 'form.rule'],
};
