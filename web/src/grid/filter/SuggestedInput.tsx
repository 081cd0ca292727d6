// The input of texts, people and tags to compare with, which suggests the values that issues have.
import {useCallback, useMemo} from 'react'
import {useSuggestions} from '../context/useSuggestions'
import {messages} from '../messages'
import type {Column} from '../model/columns'
import type {Domain, Parsed, Value} from '../model/values'
import {Combobox} from '../ui/Combobox'

interface Props {
  column: Column
  domain: Domain
  value: Value
  label: string
  describedBy: string | undefined
  invalid: boolean
  onChange: (parsed: Parsed) => void
}

export function SuggestedInput({column, ...input}: Props) {
  const {values, request} = useSuggestions(column)
  const known = useCallback(() => values.map(v => v.text), [values])
  const notes = useMemo(() => new Map(values.flatMap(v => (v.total === null ? [] : [[v.text, messages.table.groups.count(v.total, v.exact)]]))), [values])
  return <Combobox {...input} known={known} notes={notes} onTyped={request} takesTyped isInFlow />
}
