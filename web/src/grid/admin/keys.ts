// The key that a project gets by its name.

/** Returns a key: the first letters of several words, or the beginning of one. It is empty if the name has no Latin letter. */
export function keyOf(name: string): string {
  const words = name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toUpperCase()
    .split(/[^A-Z0-9]+/)
    .filter(w => w !== '')
  const letters = words.length > 2 ? words.map(w => w[0]).join('') : (words[0] ?? '')
  return letters.replace(/^[0-9]+/, '').slice(0, 10)
}
