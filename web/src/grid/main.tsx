import {StrictMode} from 'react'
import {createRoot} from 'react-dom/client'
import {App} from './App'
import {loadMessages} from './messages/load'
import './ui/styles.css'
import {applyTheme} from './ui/theme'

applyTheme()
void loadMessages().then(() =>
  createRoot(document.getElementById('root')!).render(
    <StrictMode>
      <App />
    </StrictMode>,
  ),
)
