import {counter} from '../counted'
import type {bulk as en} from '../en/bulk'

const counted = counter('de')
const issues = (n: number) => counted(n, {one: 'Vorgang', other: 'Vorgänge'})
/** After a preposition such as „in“. */
const dative = (n: number) => counted(n, {one: 'Vorgang', other: 'Vorgängen'})

export const bulk: typeof en = {
  cancel: 'Abbrechen',
  close: 'Schließen',

  // the bar
  chooseAll: 'Alle dieser Ansicht auswählen',
  chooseAllOf: n => `Alle ${n.toLocaleString()} dieser Ansicht auswählen`,
  chooseFailed: problem => `Es können nicht alle Vorgänge ausgewählt werden: ${problem}`,
  chooseFirst: n => `Die ersten ${n.toLocaleString()} dieser Ansicht auswählen`,
  choosing: 'Vorgänge werden ausgewählt',
  choosingStatus: 'Vorgänge werden ausgewählt …',
  chosen: n => `${n.toLocaleString()} ausgewählt`,
  chosenIssues: 'Ausgewählte Vorgänge',
  clear: 'Auswahl aufheben',
  delete: 'Löschen …',
  edit: 'Bearbeiten …',
  export: 'Auswahl exportieren',
  tryAgain: 'Erneut versuchen',

  // the dialog
  title: n => `${issues(n)} bearbeiten`,
  change: n => `${issues(n)} ändern`,
  changed: (column, n) => `„${column}“ wurde in ${dative(n)} geändert.`,
  changing: 'Vorgänge werden geändert',
  column: 'Spalte',
  gone: 'Ein gelöschter Vorgang',
  makeEmpty: 'Wert leeren',
  moreFailed: n => `und ${counted(n, {one: 'weiterer', other: 'weitere'})}`,
  newValue: 'Neuer Wert',
  noValue: 'Einen Wert eingeben oder „Wert leeren“ auswählen',
  progress: (done, of) => `${done.toLocaleString()} von ${dative(of)}`,
  someFailed: (changed, failed) => `${issues(changed)} geändert, ${failed.toLocaleString()} fehlgeschlagen:`,
  tryTheseAgain: 'Diese erneut versuchen',
  undo: 'Rückgängig machen',
  willBeEmpty: (n, column) => `In ${dative(n)} wird „${column}“ geleert.`,
  willBeSet: (n, column, value) => `In ${dative(n)} wird „${column}“ auf „${value}“ gesetzt.`,
}
