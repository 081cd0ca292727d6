// Sends changes of tenants, projects, states and fields, one after another.
import type {TypedDocumentNode} from '@apollo/client'
import {useApolloClient} from '@apollo/client/react'
import {useState} from 'react'
import {problemsOf, type Problem} from '../data/client'

/** Returns the key by which the server recognizes a mutation that is sent again. */
export const once = () => ({idempotencyKey: crypto.randomUUID()})

export interface Sender {
  /** Sends a mutation. It returns its data, or null if the server refused it; `problems` then says why. */
  send: <Data, Input>(mutation: TypedDocumentNode<Data, {input: Input}>, input: Input) => Promise<Data | null>
  busy: boolean
  problems: readonly Problem[]
  forget: () => void
}

export function useSender(): Sender {
  const client = useApolloClient()
  const [sent, setSent] = useState(0)
  const [problems, setProblems] = useState<readonly Problem[]>([])
  return {
    busy: sent > 0,
    problems,
    forget: () => setProblems([]),
    async send(mutation, input) {
      setSent(n => n + 1)
      setProblems([])
      try {
        const {data} = await client.mutate<unknown>({mutation, variables: {input}})
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
