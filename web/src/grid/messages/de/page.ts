import {counter} from '../counted'
import type {page as en} from '../en/page'

const counted = counter('de')
const calls = (n: number) => counted(n, {one: 'Aufruf', other: 'Aufrufe'})
const issues = (n: number) => counted(n, {one: 'Vorgang', other: 'Vorgänge'})

export const page: typeof en = {
  loading: 'Wird geladen …',

  // a page that failed
  failed: 'Etwas ist schiefgelaufen',
  failures: {
    OFFLINE: 'Der Server ist nicht erreichbar',
    NOT_FOUND: 'Dieses Projekt gibt es nicht',
    FORBIDDEN: 'Keine Berechtigung',
  },
  allProjects: 'Alle Projekte',
  otherUser: 'Anderes Konto verwenden',

  // signing in
  signIn: 'Anmelden',
  signInAgain: 'Erneut anmelden',
  tokenHint:
    'Dieser Server erwartet ein signiertes Token (JWT) Ihres Identitätsanbieters. Fügen Sie Ihr Token hier ein. Es bleibt nur in diesem Tab, bis Sie ihn schließen.',
  token: 'Token',
  notToken: 'Das ist kein Token: Es enthält Zeichen, die in keinem Token vorkommen.',
  tokenRefused: problem => `Das Token wurde nicht akzeptiert: ${problem}`,

  // the toolbar
  path: 'Navigationspfad',
  projects: 'Projekte',
  tools: 'Werkzeuge',
  moreTools: 'Weitere Werkzeuge',
  undo: 'Rückgängig machen',
  undoStep: step => `${step} rückgängig machen`,
  redo: 'Wiederholen',
  redoStep: step => `${step} wiederholen`,
  refresh: 'Aktualisieren',
  putInOrder: 'Neu sortieren',
  putInOrderHint: 'Etwas, wonach sortiert oder gefiltert wird, hat sich geändert. Auswählen, um die Zeilen zu aktualisieren.',
  settings: 'Einstellungen',

  // the grid
  notSaved: problem => `Nicht gespeichert: ${problem}`,
  noIssue: issue => `Den Vorgang ${issue} gibt es nicht.`,
  notMatching: issue => `${issue} entspricht nicht dem Filter. Der Vorgang würde hier stehen.`,

  // conflicts
  conflicts: {
    title: 'Konflikte',
    heading: 'Auch von anderen geändert',
    count: n => counted(n, {one: 'Konflikt', other: 'Konflikte'}),
    told: (column, issue, by, time) =>
      `„${column}“ in ${issue} wurde auch von ${by ?? 'jemand anderem'} geändert${time && ` (${time})`}. Ihr Wert ist noch nicht gespeichert.`,
    review: 'Prüfen',
    cell: '{column} in {issue}',
    cellName: (column, issue) => `${column} in ${issue}`,
    before: 'Vorher',
    someone: 'Jemand anderes',
    mine: 'Sie',
    useMine: 'Ihren Wert verwenden',
    keepTheirs: 'Anderen Wert behalten',
    kept: (column, issue, value) => `„${column}“ in ${issue} bleibt ${value}.`,
    empty: '(leer)',
  },

  // the line below the grid
  issues,
  atLeastIssues: n => `mindestens ${issues(n)}`,
  selected: n => `${n.toLocaleString()} ausgewählt`,
  saving: n => `${counted(n, {one: 'Änderung wird', other: 'Änderungen werden'})} gespeichert …`,
  cost: 'Kosten',
  lastPage: (n, rcu, milliseconds) => `Letzte Seite: ${calls(n)} · ${rcu} RCU · ${milliseconds} ms`,
  totalCost: (n, rcu, wcu) => `DynamoDB-Nutzung seit dem Öffnen der Seite: ${calls(n)}, ${rcu} RCU, ${wcu} WCU`,
  explain: 'Diese Ansicht erklären',
}
