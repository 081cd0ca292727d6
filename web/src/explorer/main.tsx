// The playground. The shell is part of the page and shows at once, while the large editor and the server's projects are loading.

import {lazy, StrictMode, Suspense} from 'react'
import {createRoot} from 'react-dom/client'
import {Session} from './session'
import {secretless} from './storage'
import {Guard, Shell} from './Shell'
import './shell.css'

const storage = secretless()
const theme = storage.getItem('graphiql:theme')
if (theme) document.body.classList.add(`graphiql-${theme}`) // like GraphiQL, but before GraphiQL is loaded

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
