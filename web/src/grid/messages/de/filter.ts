import {counter} from '../counted'
import type {filter as en} from '../en/filter'

const counted = counter('de')
const compared = (n: number) => counted(n, {one: 'Vergleich', other: 'Vergleiche'})

export const filter: typeof en = {
  // the search
  search: 'Vorgänge suchen',
  searchHint: 'Findet Nummer oder Kürzel eines Vorgangs sowie Wörter in Namen, Texten und Personen (/)',
  searchTooLong: (words, most) => `Die Suche hat ${counted(words, {one: 'Wort', other: 'Wörter'})}; neben diesem Filter sind höchstens ${most} möglich.`,
  noRoom: comparisons =>
    `Mit ${counted(comparisons, {one: 'Vergleich', other: 'Vergleichen'})} lässt dieser Filter keinen Platz für die Suche. Bitte einige Bedingungen entfernen.`,

  // the bar
  bar: 'Filter',
  chips: 'Filter',
  match: 'Auf Zeilen treffen zu',
  matchAll: 'Alle Filter',
  matchAny: 'Mindestens ein Filter',
  add: 'Filter hinzufügen',
  clear: 'Filter zurücksetzen',
  tooMany: (comparisons, most) =>
    `Dieser Filter hat ${compared(comparisons)}, wobei jede ausgewählte Option zählt; möglich sind höchstens ${most}. Bitte einige Bedingungen entfernen.`,

  // a chip
  missingColumn: operator => `Fehlende Spalte ${operator} …`,
  faulty: (filter, problem) => `${filter}: nicht angewendet. ${problem}.`,
  faultyBetween: ': nicht angewendet. ',
  further: 'Weitere Bedingungen',
  furtherHint: 'Ein anderes Programm hat diese Ansicht gespeichert, mit Bedingungen, die diese Seite anwenden, aber nicht bearbeiten kann',
  filtersNothing: 'Nicht angewendet',
  remove: 'Entfernen',
  removeFilter: filter => `Filter entfernen: ${filter}`,

  // the editor
  editorAdd: 'Filter hinzufügen',
  editorChange: 'Filter bearbeiten',
  whichColumn: 'Spalte zum Filtern auswählen',
  anotherColumn: 'Andere Spalte auswählen',
  comparison: 'Vergleich',
  operand: (column, operator) => `${column} ${operator}`,
  from: 'Von',
  to: 'Bis',
  backwards: 'Der Bereich endet, bevor er beginnt',
  listHint: 'Werte durch Kommas trennen; Werte, die ein Komma enthalten, in Anführungszeichen setzen.',
  zoneHint: 'In der Zeitzone dieses Browsers.',
  withThisTooMany: (comparisons, most) =>
    `Damit hätte der Filter ${compared(comparisons)}, wobei jede ausgewählte Option zählt; möglich sind höchstens ${most}.`,
  pickPerson: 'Wählen Sie aus der Liste, oder löschen Sie den Text',
  removePerson: name => `${name} entfernen`,
  apply: 'Anwenden',

  // a date or a time
  kind: operand => `${operand}: Art des Werts`,
  fixedDate: 'ein Datum …',
  fixedTime: 'ein Zeitpunkt …',
  days: 'Tage',
  weeks: 'Wochen',
  months: 'Monate',
  quarters: 'Quartale',
  years: 'Jahre',
  counted: 'Vor oder nach jetzt',
  last: 'in den letzten …',
  next: 'in den nächsten …',
  ago: 'vor …',
  ahead: 'in …',
  count: operand => `${operand}: Anzahl`,
  unit: operand => `${operand}: Einheit`,
  units: {minute: 'Minuten', hour: 'Stunden', day: 'Tagen', week: 'Wochen', month: 'Monaten', quarter: 'Quartalen', year: 'Jahren'},
  countRange: most => `Eine ganze Zahl von 1 bis ${most.toLocaleString()} eingeben`,
  moves: time => `${time} (relativ)`,
}
