// The issue in the side panel. Its row comes from the cache, with all fields, so that the panel and the grid share edits. Long texts are kept here, because the
// cache has only their lengths, which cannot tell two texts apart.
//
// When the version in the cache changes, the whole issue is read again: the new version may have changed fields that the grid does not show.
import {useFragment} from '@apollo/client/react'
import {useCallback, useEffect, useMemo, useRef, useState} from 'react'
import {GridRowFragmentDoc, PanelIssueDocument} from '../../gql/graphql'
import {problemOf, type Problem} from '../data/client'
import {isField, type Column, type Row} from '../model/columns'
import {useGrid} from '../context/context'
import {useSignal} from '../context/signals'
import {readRow} from '../data/source'
import {messages} from '../messages'
import type {Person} from '../model/people'

export interface OpenIssue {
  id: string
  /** The row, including unsaved edits. */
  row: Row
  /** The long texts and the description, by column. */
  texts: ReadonlyMap<string, string | null>
  people: Readonly<Record<Part, readonly Person[]>>
}

/** What users and teams are to an issue, as far as it can be changed. */
export type Part = 'assignees' | 'watchers'

export interface IssueState {
  issue: OpenIssue | null
  /** Why the issue is missing; NOT_FOUND if it is in the trash or never existed. */
  problem: Problem | null
  /** The fields of the row's values, in order. */
  fields: readonly string[]
  reload: () => Promise<void>
  /** Saves a long text, and shows it while the request is running. It resolves to whether saving succeeded. */
  saveText: (column: Column, before: string | null, text: string | null) => Promise<boolean>
}

interface Loaded {
  num: number
  id: string
  version: number
  texts: ReadonlyMap<string, string | null>
  people: OpenIssue['people']
}

/** The delay in milliseconds before an issue is read again, which batches changes. */
const calm = 150

export function useIssue(num: number | null): IssueState {
  const {client, project, columns, edits, signals} = useGrid()
  const fields = useMemo(() => columns.filter(isField).map(c => c.id), [columns])
  const longFields = useMemo(() => columns.filter(c => isField(c) && c.type === 'LONG_TEXT').map(c => c.id), [columns])
  const [loaded, setLoaded] = useState<Loaded | null>(null)
  const [failed, setFailed] = useState<{num: number; problem: Problem} | null>(null)
  const [saving, setSaving] = useState<ReadonlyMap<string, string | null>>(new Map())
  const turn = useRef(0)

  const reload = useCallback(async () => {
    const mine = ++turn.current
    if (num === null) return
    try {
      const {data} = await client.query({query: PanelIssueDocument, variables: {project: project.id, num, fields, longFields}, fetchPolicy: 'no-cache'})
      const found = data?.project?.issueByNum
      if (mine !== turn.current || !found) return
      const {id, version} = found
      const known = readRow(client.cache, id, fields, false)
      if (!known || known.version <= version) {
        client.cache.writeFragment({fragment: GridRowFragmentDoc, fragmentName: 'GridRow', id: `Issue:${id}`, data: found, variables: {fields}})
      }
      const texts = new Map<string, string | null>([['description', found.description ?? null]])
      longFields.forEach((f, i) => {
        const value = found.longTexts?.[i]
        texts.set(f, value?.__typename === 'LongTextValue' ? value.text : null)
      })
      setLoaded({num, id, version, texts, people: {assignees: found.assignees ?? [], watchers: found.watchers ?? []}})
      setFailed(null)
    } catch (error) {
      if (mine === turn.current) setFailed({num, problem: problemOf(error)})
    }
  }, [client, project.id, num, fields, longFields])
  useEffect(() => void reload(), [reload])

  const id = loaded?.num === num ? loaded.id : null
  const {data, complete} = useFragment({
    fragment: GridRowFragmentDoc,
    fragmentName: 'GridRow',
    from: id === null ? null : {__typename: 'Issue', id},
    variables: {fields},
  })
  const row = id !== null && complete ? data : null
  const version = row?.version ?? 0
  const isOld = id !== null && version !== loaded?.version
  useEffect(() => {
    if (!isOld) return
    const timer = setTimeout(() => void reload(), calm)
    return () => clearTimeout(timer)
  }, [isOld, version, reload])

  useSignal(signals, 'removed', ids => {
    if (num !== null && id !== null && ids.has(id)) setFailed({num, problem: {code: 'NOT_FOUND', message: ''}})
  })
  useSignal(signals, 'restored', () => void reload())
  const problem = failed?.num === num ? failed.problem : null
  const isOffline = problem?.code === 'OFFLINE'
  useEffect(() => {
    if (!isOffline) return
    const online = () => void reload()
    window.addEventListener('online', online)
    return () => window.removeEventListener('online', online)
  }, [isOffline, reload])

  const saveText = useCallback(
    async (column: Column, before: string | null, text: string | null) => {
      if (id === null) return false
      setSaving(s => new Map(s).set(column.id, text))
      const failures = await edits.change([{id, cells: [{column, before, value: text}]}], messages.data.changeOf(column.label))
      await reload()
      setSaving(s => {
        const left = new Map(s)
        left.delete(column.id)
        return left
      })
      return failures.length === 0
    },
    [edits, id, reload],
  )
  const texts = useMemo(() => new Map([...(loaded?.texts ?? []), ...saving]), [loaded, saving])
  // The issue stays readable while the server is unreachable. It disappears only if it was deleted.
  const isGone = problem?.code === 'NOT_FOUND'
  const people = loaded?.people
  const issue = useMemo(() => (id !== null && row && people && !isGone ? {id, row, texts, people} : null), [id, row, isGone, texts, people])
  return {issue, problem, fields, reload, saveText}
}
