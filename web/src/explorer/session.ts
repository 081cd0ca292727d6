// The state that the parts of the page share: the fetcher, the last response, and the project of the examples.

import {getIntrospectionQuery} from 'graphql'
import type {GraphiQLProps} from 'graphiql'
import {createContext, useContext, useSyncExternalStore} from 'react'
import type {Place} from './examples'
import {type Answer, type Exchange, type Headers, send} from './exchange'
import {findPlace} from './place'
import {Store} from './store'

/** The result of looking for a project. */
export type Found = {state: 'looking'} | {state: 'found'; place: Place} | {state: 'none'} | {state: 'unknown'; problem: string}

type Fetcher = NonNullable<GraphiQLProps['fetcher']>

/** How long to wait for the server's projects before the editor is shown without them, in milliseconds. */
const patience = 5000

export class Session {
  /** The last response to an operation that the user has run. */
  readonly last = new Store<Exchange | null>(null)
  readonly found = new Store<Found>({state: 'looking'})

  readonly find = async (headers: Headers): Promise<Found> => {
    const found = await findPlace(headers, AbortSignal.timeout(patience)).then<Found, Found>(
      place => (place ? {state: 'found', place} : {state: 'none'}),
      (error: unknown) => ({state: 'unknown', problem: error instanceof Error ? error.message : String(error)}),
    )
    this.found.set(found)
    return found
  }

  readonly fetcher: Fetcher = (request, options) => {
    const headers = options?.headers ?? {}
    // GraphiQL's own requests, for the schema, have no documentAST.
    if (!options || !('documentAST' in options)) return send({...request, query: introspection}, headers).then(({answer}) => answer as never)
    return cancellable(async signal => {
      const exchange = await send(request, headers, signal)
      this.last.set(exchange)
      return exchange.answer
    }) as ReturnType<Fetcher>
  }
}

/** GraphiQL's introspection query lacks the specification URLs of scalars and whether an input is @oneOf. */
const introspection = getIntrospectionQuery({
  descriptions: true,
  schemaDescription: true,
  specifiedByUrl: true,
  directiveIsRepeatable: true,
  inputValueDeprecation: true,
  oneOf: true,
})

interface Observer {
  next: (answer: Answer) => void
  error: (error: unknown) => void
  complete: () => void
}

/** Returns an Observable of one response, because GraphiQL can stop only Observables. */
function cancellable(run: (signal: AbortSignal) => Promise<Answer>) {
  return {
    subscribe(observer: Observer) {
      const controller = new AbortController()
      run(controller.signal).then(
        answer => {
          observer.next(answer)
          observer.complete()
        },
        (error: unknown) => {
          if (!controller.signal.aborted) observer.error(error)
        },
      )
      return {unsubscribe: () => controller.abort()}
    },
  }
}

export const SessionContext = createContext<Session | null>(null)

export function useSession(): Session {
  const session = useContext(SessionContext)
  if (!session) throw new Error('there is no session around this component')
  return session
}

export function useStore<T>(store: Store<T>): T {
  return useSyncExternalStore(store.follow, store.get)
}
