// The draft of a new issue, and where the server's errors belong.
import type {IssueCreateInput} from '../../gql/graphql'
import type {Problem} from '../data/client'
import {isField, newIssueOf, type Column} from '../model/columns'
import {messages} from '../messages'
import {isEmpty, type Parsed, type Value} from '../model/values'

/** The user's input by column. */
export type Draft = ReadonlyMap<string, Parsed>

/** Returns the value of a column in a draft; null if it is missing or invalid. */
export function valueIn(draft: Draft, column: Column): Value {
  const parsed = draft.get(column.id)
  return parsed === undefined || parsed.error !== undefined ? null : parsed.value
}

/** Returns the columns of a new issue: the standard and required ones, and the others. */
export function partsOf(columns: readonly Column[]): {first: Column[]; others: Column[]} {
  const usual = ['name', 'state', 'description'].flatMap(id => columns.find(c => c.id === id && c.builtin) ?? [])
  const fields = columns.filter(isField)
  return {first: [...usual, ...fields.filter(c => c.required)], others: fields.filter(c => !c.required)}
}

/** Returns the errors of a draft by column; empty if it can be sent. */
export function objections(columns: readonly Column[], draft: Draft): Map<string, string> {
  const wrong = new Map<string, string>()
  for (const c of columns) {
    const error = draft.get(c.id)?.error
    if (error !== undefined) wrong.set(c.id, error)
    else if (c.required && isEmpty(valueIn(draft, c))) wrong.set(c.id, messages.panel.newIssue.required)
  }
  return wrong
}

/** Converts a draft to an input of the API. */
export const issueOf = (columns: readonly Column[], draft: Draft): IssueCreateInput =>
  newIssueOf(columns.map(column => ({column, value: valueIn(draft, column)})))

/** Assigns the server's errors to their columns; others are the errors without a column. */
export function placed(problems: readonly Problem[], sent: IssueCreateInput, columns: readonly Column[]): {wrong: Map<string, string>; others: string[]} {
  const wrong = new Map<string, string>()
  const others: string[] = []
  for (const problem of problems) {
    const text = words(problem)
    const id = columnOf(problem, sent, columns)
    if (id === undefined) others.push(text)
    else wrong.set(id, wrong.has(id) ? `${wrong.get(id)} ${text}` : text)
  }
  return {wrong, others}
}

function columnOf({argument, message}: Problem, sent: IssueCreateInput, columns: readonly Column[]): string | undefined {
  const [, builtin, index] = /^input\.issue\.(?:(name|stateId|description)|values(?:\[(\d+)\])?)(?=$|[.[])/.exec(argument ?? '') ?? []
  if (builtin) return builtin === 'stateId' ? 'state' : builtin
  if (index) return sent.values?.[Number(index)]?.fieldId
  // The error of a missing value has no index; its message names the field.
  return argument === 'input.issue.values' ? columns.find(c => isField(c) && message.includes(JSON.stringify(c.label)))?.id : undefined
}

/** Returns the message as a sentence. */
function words({message, code}: Problem): string {
  if (code === 'OFFLINE') return messages.panel.newIssue.offline
  return message.charAt(0).toUpperCase() + message.slice(1)
}
