import {counter} from '../counted'
import type {page as en} from '../en/page'

const counted = counter('de')
const calls = (n: number) => counted(n, {one: 'Aufruf', other: 'Aufrufe'})
const issues = (n: number) => counted(n, {one: 'Vorgang', other: 'Vorgänge'})

export const page: typeof en = {
  loading: 'Wird geladen …',

  // a page that failed
  failed: 'Das hat nicht funktioniert',
  failures: {
    OFFLINE: 'Der Server ist nicht erreichbar',
    NOT_FOUND: 'Dieses Projekt gibt es nicht',
    FORBIDDEN: 'Keine Berechtigung',
  },
  allProjects: 'Alle Projekte',
  otherUser: 'Als andere Person anmelden',

  // signing in
  signIn: 'Anmelden',
  signInAgain: 'Erneut anmelden',
  tokenHint:
    'Dieser Server erwartet ein signiertes Token (JWT) Ihres Identitätsanbieters. Fügen Sie Ihr Token ein; es bleibt in diesem Tab und wird beim Schließen gelöscht.',
  token: 'Token',
  notToken: 'Das ist kein Token: Es enthält Zeichen, die in keinem Token vorkommen.',
  tokenRefused: problem => `Das Token wurde nicht akzeptiert: ${problem}`,

  // the toolbar
  path: 'Sie sind hier',
  projects: 'Projekte',
  tools: 'Werkzeuge',
  moreTools: 'Weitere Werkzeuge',
  undo: 'Rückgängig machen',
  undoStep: step => `${step} rückgängig machen`,
  redo: 'Wiederholen',
  redoStep: step => `${step} wiederholen`,
  refresh: 'Aktualisieren',
  putInOrder: 'Neu einordnen',
  putInOrderHint: 'Nach geänderten Werten wird sortiert oder gefiltert: Zeilen neu laden und einordnen',
  settings: 'Einstellungen',

  // the grid
  notSaved: problem => `Nicht gespeichert: ${problem}`,
  noIssue: issue => `Es gibt keinen Vorgang ${issue}.`,
  notMatching: issue => `${issue} passt nicht zum Filter. Der Vorgang wäre an dieser Stelle.`,

  // conflicts
  conflicts: {
    title: 'Konflikte',
    heading: 'Auch von anderen geändert',
    count: n => counted(n, {one: 'Konflikt', other: 'Konflikte'}),
    told: (column, issue, by, time) =>
      `„${column}“ von ${issue} wurde auch von ${by ?? 'jemand anderem'} geändert${time && ` (${time})`}. Ihr Wert ist noch nicht gespeichert.`,
    review: 'Prüfen',
    cell: '{column} von {issue}',
    cellName: (column, issue) => `${column} von ${issue}`,
    before: 'Bisheriger Wert',
    someone: 'Anderer Wert',
    mine: 'Ihr Wert',
    useMine: 'Ihren Wert verwenden',
    keepTheirs: 'Anderen Wert behalten',
    kept: (column, issue, value) => `„${column}“ von ${issue} bleibt ${value}.`,
    empty: '(leer)',
  },

  // the line below the grid
  issues,
  atLeastIssues: n => `mindestens ${issues(n)}`,
  selected: n => `${n.toLocaleString()} ausgewählt`,
  saving: n => `${counted(n, {one: 'Änderung wird', other: 'Änderungen werden'})} gespeichert …`,
  cost: 'Kosten',
  lastPage: (n, rcu, milliseconds) => `Letzte Seite: ${calls(n)} · ${rcu} RCU · ${milliseconds} ms`,
  totalCost: (n, rcu, wcu) => `In DynamoDB seit dem Öffnen der Seite: ${calls(n)}, ${rcu} RCU, ${wcu} WCU`,
  explain: 'Diese Ansicht erklären',
}
