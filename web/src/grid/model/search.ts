// The search: it finds issues by their number, their key, and words in their names and texts.
import type {IssueFilter} from '../../gql/graphql'
import {isField, type Column} from './columns'
import {mostCharacters, mostNumber} from './conditions'

/** Returns the words of a search, each once. Words between quotes stay together. */
export function wordsOf(text: string): string[] {
  const words = new Map<string, string>()
  for (const [, phrase, word] of text.matchAll(/(?<=^|\s)"([^"]*)(?:"|$)|(\S+)/g)) {
    const found = [...(phrase ?? word ?? '').trim()].slice(0, mostCharacters).join('')
    if (found && !words.has(found.toLowerCase())) words.set(found.toLowerCase(), found)
  }
  return [...words.values()]
}

/**
 * Returns the filter of a search; undefined if there are no words, and null if the words are more than the filter has room for. Each word must be in the name,
 * or in a field of texts or people. The shown ones come first, if there is room only for some. A search that is a number or a key also finds that issue.
 */
export function searchFilter(text: string, key: string, all: readonly Column[], shown: readonly Column[], room: number): IssueFilter | null | undefined {
  const words = wordsOf(text)
  if (words.length === 0) return undefined
  const num = numberOf(text.trim(), key)
  const columns = Math.floor((room - (num === null ? 0 : 1)) / words.length)
  if (columns < 1) return null
  const isSearched = (c: Column) => isField(c) && (c.type === 'TEXT' || c.type === 'USER')
  const fields = [...new Set([...shown, ...all])].filter(isSearched).slice(0, columns - 1)
  const parts = words.map((contains): IssueFilter => {
    const name: IssueFilter = {name: {contains}}
    if (fields.length === 0) return name
    return {or: [name, ...fields.map((f): IssueFilter => ({fields: [{fieldId: f.id, [f.type === 'USER' ? 'user' : 'text']: {contains}}]}))]}
  })
  const found = parts.length === 1 ? parts[0]! : {and: parts}
  return num === null ? found : {or: [{num: {eq: num}}, found]}
}

/** Returns the number in a text such as 12, #12 or FLEET-12; null if it is something else. */
function numberOf(text: string, key: string): number | null {
  const [, given, digits] = /^(?:#|([a-z]\w*)-)?(\d{1,10})$/i.exec(text) ?? []
  const num = Number(digits)
  return digits === undefined || num > mostNumber || (given !== undefined && given.toLowerCase() !== key.toLowerCase()) ? null : num
}
