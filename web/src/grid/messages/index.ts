// The texts of the page, in the language of its user. Read them when they are shown: while modules load, the language is not known yet.
import {en} from './en'

/** The texts in one language. English defines which there are; the compiler compares the other languages with it. */
export type Messages = typeof en

/** The languages by their own names. */
export const languages = {en: 'English', de: 'Deutsch'} as const
export type Language = keyof typeof languages

/** The texts in the language of the page. */
export let messages: Messages = en
/** The language of the page. Numbers, dates and times have the form of the browser's locale instead. */
export let language: Language = 'en'

/** Where the browser keeps the language that the user has chosen. */
const key = 'issuegrid:language'

const isLanguage = (name: string | null | undefined): name is Language => name != null && Object.hasOwn(languages, name)

/** Returns the language that the user has chosen; null for that of the browser. */
export function chosenLanguage(): Language | null {
  const chosen = localStorage.getItem(key)
  return isLanguage(chosen) ? chosen : null
}

/** Keeps the choice of a language, or of that of the browser, and loads the page again in it. */
export function chooseLanguage(chosen: Language | null): void {
  if (chosen) localStorage.setItem(key, chosen)
  else localStorage.removeItem(key)
  location.reload()
}

/** Returns the first of the browser's languages that the page has, or English. */
export const preferred = (tags: readonly string[]): Language => tags.map(tag => tag.split('-')[0]!.toLowerCase()).find(isLanguage) ?? 'en'

/** Sets the texts and their language, before the page is rendered. */
export function setMessages(texts: Messages, name: Language): void {
  messages = texts
  language = name
}
