import {pick, useGraphiQL, useGraphiQLActions} from '@graphiql/react'
import {type Example, examples, variablesText} from './examples'
import {exampleOf} from './filling'
import {type Found, useSession, useStore} from './session'

/** The side panel with the list of examples. */
export function ExamplesPanel() {
  const found = useStore(useSession().found)
  const actions = useGraphiQLActions()
  const {tabs, queryEditor, variableEditor} = useGraphiQL(pick('tabs', 'queryEditor', 'variableEditor'))
  const open = (example: Example) => {
    const index = tabs.findIndex(tab => tab.query && exampleOf(tab.query) === example)
    if (index >= 0) {
      actions.changeTab(index)
      return
    }
    actions.addTab()
    queryEditor?.setValue(example.query)
    variableEditor?.setValue(variablesText(example, found.state === 'found' ? found.place : undefined))
  }
  return (
    <section className="panel" aria-labelledby="examples-title">
      <h2 id="examples-title">Examples</h2>
      <p>{about(found)}</p>
      <ul className="examples">
        {examples.map(example => (
          <li key={example.name}>
            <button type="button" onClick={() => open(example)}>
              <strong>{example.name}</strong>
              <span>{example.about}</span>
            </button>
          </li>
        ))}
      </ul>
      <p className="small">
        <a href="/licenses.txt">Licenses</a> of what this page is made of
      </p>
    </section>
  )
}

function about(found: Found): string {
  switch (found.state) {
    case 'found':
      return `They run as they are, and are about the project ${found.place.key}, ${found.place.name}.`
    case 'none':
      return 'This server has no project yet that you may see; the variables of the examples are empty. Make one with createProject, and load the page again.'
    case 'unknown':
      return `The server does not tell which projects it has: ${found.problem}. If it asks for a token, put it into "Headers" below the query: the variables of the examples are filled in then.`
    default:
      return 'The variables of the examples are filled in when the server has told which projects it has.'
  }
}
