// The playground. The shell is in the page and stands at once; the editor, which is large, and the server's projects come while one looks at it.

import {lazy, StrictMode, Suspense} from 'react'
import {createRoot} from 'react-dom/client'
import {Session} from './session'
import {secretless} from './storage'
import {Guard, Shell} from './Shell'
import './shell.css'

const storage = secretless()
const theme = storage.getItem('graphiql:theme')
if (theme) document.body.classList.add(`graphiql-${theme}`) // as GraphiQL does, only before it is there

const session = new Session()
const found = session.find({})
const Explorer = lazy(async () => {
  const [module] = await Promise.all([import('./Explorer'), found])
  return module
})

createRoot(document.getElementById('root')!).render(
  <StrictMode>
    <Guard>
      <Suspense fallback={<Shell />}>
        <Explorer session={session} storage={storage} />
      </Suspense>
    </Guard>
  </StrictMode>,
)
