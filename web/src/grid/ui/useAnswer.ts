// What the server finds for the text that is typed.
import {useEffect, useRef, useState} from 'react'
import {problemOf} from '../data/client'

export interface Found<T> {
  found: T
  /** Whether there is no more, so that what there is for a longer text is among it. */
  complete: boolean
}

interface Answer<T> {
  /** What was found for the text, or for an earlier one; null before the first answer. */
  found: T | null
  /** Whether the text has its answer, or an error. */
  isCurrent: boolean
  /** Why the text has no answer; null if it has one. */
  problem: string | null
}

/** The delay in milliseconds after a key before the text is asked for. */
const calm = 120

/** Asks for the first text, and for each at which somebody pauses. `ask` is undefined while nothing is to be asked, and otherwise always the same function. */
export function useAnswer<T>(ask: ((text: string) => Promise<Found<T>>) | undefined, text: string): Answer<T> {
  const [answer, setAnswer] = useState<{turn: number; text: string; found: T | null; complete: boolean; problem: string | null} | null>(null)
  const turns = useRef(0)
  const isCurrent = answer !== null && (answer.text === text || (answer.complete && text.startsWith(answer.text)))
  useEffect(() => {
    if (!ask || isCurrent) return
    const timer = setTimeout(
      () => {
        const turn = ++turns.current
        // An answer that is overtaken by that to a later text is ignored.
        ask(text).then(
          next => setAnswer(last => (last && last.turn > turn ? last : {turn, text, ...next, problem: null})),
          (e: unknown) =>
            setAnswer(last => (last && last.turn > turn ? last : {turn, text, found: last?.found ?? null, complete: false, problem: problemOf(e).message})),
        )
      },
      turns.current === 0 ? 0 : calm,
    )
    return () => clearTimeout(timer)
  }, [ask, text, isCurrent])
  return {found: answer?.found ?? null, isCurrent, problem: answer?.problem ?? null}
}
