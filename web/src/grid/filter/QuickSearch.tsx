// The search of the view, which rows must match in addition to the filter.
import {useEffect, useRef, useState} from 'react'
import {messages} from '../messages'
import {comparisons, mostComparisons} from '../model/conditions'
import {wordsOf} from '../model/search'
import {useGrid} from '../context/context'
import {isTyping} from '../context/signals'
import {isComposing} from '../ui/keys'

/** The delay between the last key and the request, in milliseconds. */
const pause = 300
const mostText = 500

export function QuickSearch() {
  const {view, setView, toasts} = useGrid()
  const input = useRef<HTMLInputElement>(null)
  useEffect(() => {
    const keys = (e: KeyboardEvent) => {
      if (e.key !== '/' || e.ctrlKey || e.metaKey || e.altKey || e.defaultPrevented || isTyping(e)) return
      e.preventDefault()
      input.current?.focus()
      input.current?.select()
    }
    document.addEventListener('keydown', keys)
    return () => document.removeEventListener('keydown', keys)
  }, [])
  const {search, conditions} = view
  /** The string being typed, until the input is left. */
  const [draft, setDraft] = useState<string | null>(null)
  const applied = useRef(search)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const latest = useRef(view)
  useEffect(() => {
    latest.current = view
  })
  useEffect(() => {
    if (search === applied.current) return
    applied.current = search // changed elsewhere
    clearTimeout(timer.current)
    setDraft(null)
  }, [search])
  useEffect(() => () => clearTimeout(timer.current), [])

  const apply = (text: string) => {
    clearTimeout(timer.current)
    const wanted = text.trim()
    const before = latest.current.search
    if (wanted === before) return
    const words = wordsOf(wanted).length
    const room = mostComparisons - comparisons(conditions) - 1
    if (words > room) return void toasts.error(messages.filter.searchTooLong(words, Math.max(room, 0)))
    applied.current = wanted
    // A search adds one history entry, not one for each pause in typing.
    setView({search: wanted, at: null}, before && wanted ? 'replace' : 'push')
  }
  const write = (text: string) => {
    setDraft(text)
    clearTimeout(timer.current)
    timer.current = setTimeout(() => apply(text), pause)
  }
  return (
    <search>
      <input
        ref={input}
        type="search"
        className="quick-search"
        aria-label={messages.filter.search}
        placeholder={messages.filter.search}
        title={messages.filter.searchHint}
        autoComplete="off"
        maxLength={mostText}
        value={draft ?? search}
        onChange={e => write(e.target.value)}
        onBlur={() => {
          if (draft !== null) apply(draft)
          setDraft(null)
        }}
        onKeyDown={e => {
          if (isComposing(e)) return
          if (e.key === 'Enter') apply(e.currentTarget.value)
          else if (e.key === 'Escape') {
            e.preventDefault()
            setDraft('')
            apply('')
          }
        }}
      />
    </search>
  )
}
