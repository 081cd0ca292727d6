// What the keys of a keyboard mean, for all layouts and input methods.
import type {KeyboardEvent as ReactKeyboardEvent} from 'react'

/**
 * Returns the Latin letter of a key, in lower case. A layout of another script has none; then it is the letter at this place of the usual keyboard, so that
 * Ctrl+Z works with a Cyrillic layout, too.
 */
export function letterOf({key, code}: Pick<KeyboardEvent, 'key' | 'code'>): string {
  const isOfAnotherScript = key.length === 1 && key > '\u007f'
  const placed = isOfAnotherScript ? /^Key([A-Z])$/.exec(code)?.[1] : undefined
  return (placed ?? key).toLowerCase()
}

/** The key code of every key that an input method handles. Safari sends the Enter that ends a composition with it, after the composition. */
const ofInputMethod = 229

/** Reports whether an input method handles a key: it is part of a composition. */
export const isComposing = ({nativeEvent}: Pick<ReactKeyboardEvent, 'nativeEvent'>): boolean => nativeEvent.isComposing || nativeEvent.keyCode === ofInputMethod

/** Reports whether a key with AltGr, or with Option on a Mac, types a character, such as @ or ł, and is no command. */
export const typesSpecial = (
  {key, code, altKey, ctrlKey, metaKey}: Pick<KeyboardEvent, 'key' | 'code' | 'altKey' | 'ctrlKey' | 'metaKey'>,
  hasAltGraph: boolean,
  onMac = /Mac|iPhone|iPad/.test(navigator.userAgent),
): boolean => {
  if (key.length !== 1 && key !== 'Dead') return false
  if (hasAltGraph) return key !== ' '
  return onMac && altKey && !ctrlKey && !metaKey && code !== 'KeyN' && !/^[a-z0-9 ]$/i.test(key) // Alt+N is a command
}
