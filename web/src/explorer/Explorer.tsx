import {GraphiQL, HISTORY_PLUGIN} from 'graphiql'
import {pick, tryParseJSONC, useGraphiQL, useGraphiQLActions} from '@graphiql/react'
import {useEffect, useRef, useState} from 'react'
import {CostPanel, Summary} from './CostPanel'
import {ExamplesPanel} from './ExamplesPanel'
import {examples, variablesText} from './examples'
import type {Headers} from './exchange'
import {readGiven, refilled, writeGiven} from './filling'
import {CostIcon, ExamplesIcon} from './icons'
import {costAndPlan, documentation, openPanel} from './panels'
import {type Session, SessionContext, useSession, useStore} from './session'
import {linked} from './link'
import {openTab, type secretless} from './storage'
import {defineThemes, themes} from './themes'
import './workers'
import '@graphiql/react/style.css'
import '@graphiql/plugin-doc-explorer/style.css'
import '@graphiql/plugin-history/style.css'
import 'graphiql/graphiql.css'
import './explorer.css'

const plugins = [HISTORY_PLUGIN, {title: 'Examples', icon: ExamplesIcon, content: ExamplesPanel}, {title: costAndPlan, icon: CostIcon, content: CostPanel}]

const defaultHeaders = `{
  "X-Show-Cost": "1",
  // "Authorization": "Bearer ..."
}`

defineThemes()

/** GraphiQL with the examples and the cost of the last response. */
export default function Explorer({session, storage}: {session: Session; storage: ReturnType<typeof secretless>}) {
  const found = session.found.get()
  const place = found.state === 'found' ? found.place : undefined
  const tabs = examples.map(e => ({query: e.query, variables: variablesText(e, place), headers: defaultHeaders}))
  const [initial] = useState(() => linked(location.hash) ?? openTab(storage) ?? tabs[0])
  return (
    <SessionContext value={session}>
      <main className="explorer">
        <GraphiQL
          fetcher={session.fetcher}
          storage={storage}
          plugins={plugins}
          defaultTabs={tabs}
          initialQuery={initial?.query}
          initialVariables={initial?.variables}
          initialHeaders={defaultHeaders}
          defaultHeaders={defaultHeaders}
          defaultQuery=""
          editorTheme={themes}
          defaultEditorToolsVisibility="variables"
          shouldPersistHeaders={false}
        >
          <GraphiQL.Logo>
            <Title />
          </GraphiQL.Logo>
          <GraphiQL.Footer>
            <Summary />
          </GraphiQL.Footer>
          <SharedHeaders />
          <Filling storage={storage} />
        </GraphiQL>
      </main>
    </SessionContext>
  )
}

function Title() {
  return (
    <>
      <h1>
        <a href="/" title="To the grid">
          issuegrid
        </a>
      </h1>
      <button type="button" className="link" onClick={() => openPanel(documentation)}>
        Docs
      </button>
    </>
  )
}

/**
 * Shares the headers between all tabs. GraphiQL has separate headers for each tab, so a token would have to be pasted into every tab. Like GraphiQL, this keeps
 * them only until the page is closed.
 */
function SharedHeaders() {
  const session = useSession()
  const actions = useGraphiQLActions()
  const {headerEditor} = useGraphiQL(pick('headerEditor'))
  const shared = useRef<string | null>(null)
  useEffect(() => {
    if (!headerEditor) return
    shared.current ??= headerEditor.getValue()
    let soon: ReturnType<typeof setTimeout> | undefined
    const look = async (headers: Headers | null) => {
      if (headers && (await session.find(headers)).state !== 'unknown') await actions.introspect()
    }
    const listening = headerEditor.onDidChangeModelContent(({isFlush}) => {
      const text = headerEditor.getValue()
      // GraphiQL sets the whole text when it changes the tab, opens a history entry, or formats. Formatting changes only spaces and commas.
      if (isFlush && meat(text) !== meat(shared.current ?? '')) {
        // Not inside the event, where the editor's workers would receive the two changes in the wrong order.
        queueMicrotask(() => headerEditor.setValue(shared.current ?? ''))
        return
      }
      shared.current = text
      clearTimeout(soon)
      // If the server's projects are unknown, the new headers may have the missing token.
      if (session.found.get().state === 'unknown') soon = setTimeout(() => void look(parsed(text)), 500)
    })
    return () => {
      clearTimeout(soon)
      listening.dispose()
    }
  }, [headerEditor, actions, session])
  return null
}

const meat = (text: string) => text.replace(/[\s,]/g, '')

function parsed(text: string): Headers | null {
  try {
    return tryParseJSONC(text) ?? {}
  } catch {
    return null
  }
}

/** Fills the variables of the example in the active tab with IDs of this server. */
function Filling({storage}: {storage: ReturnType<typeof secretless>}) {
  const found = useStore(useSession().found)
  const before = useRef(readGiven(storage))
  const {queryEditor, variableEditor, tab} = useGraphiQL(({queryEditor, variableEditor, tabs, activeTabIndex}) => ({
    queryEditor,
    variableEditor,
    tab: tabs[activeTabIndex]?.id,
  }))
  useEffect(() => {
    if (found.state === 'found') writeGiven(storage, found.place)
  }, [found, storage])
  useEffect(() => {
    if (found.state !== 'found' || !queryEditor || !variableEditor) return
    const fresh = refilled(queryEditor.getValue(), variableEditor.getValue(), before.current, found.place)
    if (fresh !== null) variableEditor.setValue(fresh)
  }, [found, queryEditor, variableEditor, tab])
  return null
}
