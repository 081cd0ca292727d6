import type {filter as en} from '../en/filter'

export const filter: typeof en = {
  // the search
  search: 'Vorgänge suchen',
  searchHint: 'Findet Nummer oder Kürzel eines Vorgangs sowie Wörter in Namen, Texten und Personen (/)',
  searchTooLong: (words, most) => `Die Suche hat ${words} Wörter; neben diesem Filter sind höchstens ${most} möglich.`,
  noRoom: comparisons => `Neben ${comparisons} Vergleichen ist kein Platz für die Suche; sie findet daher nichts. Bitte einige entfernen.`,

  // the bar
  bar: 'Filter',
  chips: 'Filter',
  match: 'Welche der Filter auf eine Zeile zutreffen müssen',
  matchAll: 'Alle treffen zu',
  matchAny: 'Einer trifft zu',
  add: 'Filter hinzufügen',
  clear: 'Alle entfernen',
  tooMany: (comparisons, most) => `${comparisons} Vergleiche, wobei jede Option zählt; ein Filter kann höchstens ${most} haben. Bitte einige entfernen.`,

  // a chip
  missingColumn: operator => `Fehlende Spalte ${operator} …`,
  faulty: (filter, problem) => `${filter}: filtert nichts. ${problem}.`,
  faultyBetween: ': filtert nichts. ',
  filtersNothing: 'Filtert nichts',
  remove: 'Entfernen',
  removeFilter: filter => `Filter „${filter}“ entfernen`,

  // the editor
  editorAdd: 'Filter hinzufügen',
  editorChange: 'Filter ändern',
  whichColumn: 'Nach welcher Spalte filtern?',
  columns: 'Spalten',
  noColumn: 'Keine Spalte hat diesen Namen.',
  anotherColumn: 'Andere Spalte wählen',
  comparison: 'Vergleich',
  operand: (column, operator) => `${column} ${operator}`,
  from: 'Von',
  to: 'Bis',
  backwards: 'Der Bereich endet, bevor er beginnt',
  listHint: 'Mehrere durch Kommas trennen; Werte mit Komma in Anführungszeichen setzen.',
  zoneHint: 'In der Zeitzone dieses Browsers.',
  withThisTooMany: (comparisons, most) => `Damit hat der Filter ${comparisons} Vergleiche, wobei jede Option zählt; möglich sind höchstens ${most}.`,
  apply: 'Anwenden',
}
