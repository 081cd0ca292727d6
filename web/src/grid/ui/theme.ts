// The theme, light or dark. By default it follows the system; a choice is stored in the browser.
export type Theme = 'system' | 'light' | 'dark'

const key = 'issuegrid:theme'

export function chosenTheme(): Theme {
  const theme = localStorage.getItem(key)
  return theme === 'light' || theme === 'dark' ? theme : 'system'
}

export function applyTheme(theme: Theme = chosenTheme()): void {
  if (theme === 'system') localStorage.removeItem(key)
  else localStorage.setItem(key, theme)
  document.documentElement.dataset.theme = theme
}
