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
        <a href="/licenses.txt">Licenses</a> of the parts of this page
      </p>
    </section>
  )
}

function about(found: Found): string {
  switch (found.state) {
    case 'found':
      return `They are ready to run, on the project ${found.place.key}, ${found.place.name}.`
    case 'none':
      return 'This server has no project that you can access, so the variables of the examples are empty. Create one with createProject, and reload the page.'
    case 'unknown':
      return `The server does not list its projects: ${found.problem}. If it requires a token, enter it in "Headers" below the query; then the variables of the examples are filled in.`
    default:
      return 'The variables of the examples are filled in as soon as the server has listed its projects.'
  }
}
