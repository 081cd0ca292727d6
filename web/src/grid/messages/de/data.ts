import {counter} from '../counted'
import type {data as en} from '../en/data'

const counted = counter('de')
const issues = (n: number): string => (n === 1 ? 'einem Vorgang' : counted(n, {other: 'Vorgängen'}))

export const data: typeof en = {
  // why a request failed
  badStatus: status => `Der Server hat mit Status ${status} geantwortet.`,
  changedTooOften: 'Der Vorgang wird zu oft geändert.',
  issueGone: 'Den Vorgang gibt es nicht mehr.',
  noReason: 'Der Server hat keinen Grund genannt.',
  notFromServer: 'Die Antwort stammt nicht vom Server, oder der Server ist nicht bereit.',
  offline: 'Der Server ist nicht erreichbar.',
  projectGone: 'Das Projekt gibt es nicht mehr.',

  // edits, as in „Erstellen von Vorgang 12 rückgängig machen“
  changeOf: column => `Änderung von ${column}`,
  changeOfIssues: n => `Änderung von ${issues(n)}`,
  creationOf: num => `Erstellen von Vorgang ${num}`,
  creationOfIssues: n => `Erstellen von ${issues(n)}`,
  deletionOf: n => `Löschen von ${issues(n)}`,
  restoringOf: n => `Wiederherstellen von ${issues(n)}`,
}
