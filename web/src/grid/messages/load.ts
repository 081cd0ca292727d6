// Loads the texts in the language of the user. It is a module of its own because it is the only one that imports languages on demand.
import {chosenLanguage, language, preferred, setMessages} from '.'

/** Loads the texts in the language of the user. If that fails, they stay English. */
export async function loadMessages(): Promise<void> {
  if ((chosenLanguage() ?? preferred(navigator.languages)) === 'de') {
    try {
      setMessages((await import('./de')).de, 'de')
    } catch {
      // the page works in English
    }
  }
  document.documentElement.lang = language
}
