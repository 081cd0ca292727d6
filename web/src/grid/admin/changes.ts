// Sends changes of tenants, projects, states and fields, one after another.
import type {TypedDocumentNode} from '@apollo/client'
import {useApolloClient} from '@apollo/client/react'
import {useRef, useState} from 'react'
import {problemsOf, type Problem} from '../data/client'

export interface Sender {
  /**
   * Sends a mutation when those before it have ended, so that none is lost and they are applied in their order. It returns its data, or null
   * if the server refused it; `problems` then says why.
   */
  send: <Data, Input>(mutation: TypedDocumentNode<Data, {input: Input}>, input: Input) => Promise<Data | null>
  busy: boolean
  problems: readonly Problem[]
  forget: () => void
}

export function useSender(): Sender {
  const client = useApolloClient()
  const [sent, setSent] = useState(0)
  const [problems, setProblems] = useState<readonly Problem[]>([])
  const last = useRef<Promise<unknown>>(Promise.resolve())
  return {
    busy: sent > 0,
    problems,
    forget: () => setProblems([]),
    async send(mutation, input) {
      setSent(n => n + 1)
      setProblems([])
      const sending = last.current.then(() => client.mutate<unknown>({mutation, variables: {input}}))
      last.current = sending.catch(() => undefined)
      try {
        const {data} = await sending
        return data as never
      } catch (error) {
        setProblems(problemsOf(error))
        return null
      } finally {
        setSent(n => n - 1)
      }
    },
  }
}
