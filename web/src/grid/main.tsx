import {StrictMode} from 'react'
import {createRoot} from 'react-dom/client'
import {App} from './App'
import './ui/styles.css'
import {applyTheme} from './ui/theme'

applyTheme()
createRoot(document.getElementById('root')!).render(
  <StrictMode>
    <App />
  </StrictMode>,
)
