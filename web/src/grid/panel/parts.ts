// Splits a long text into parts that are rendered one by one, so that none takes long.

/** The length of a part, in UTF-16 units. */
export const partLength = 16 << 10

/**
 * Splits a text into parts of at most a length. A part ends at an empty line outside of a code block; if there is none in its second half, at the end of a line,
 * and if there is none either, between two characters. The parts concatenated are the text.
 */
export function partsOf(text: string, most = partLength): string[] {
  const parts: string[] = []
  let start = 0
  while (text.length - start > most) {
    const end = endOf(text, start, most)
    parts.push(text.slice(start, end))
    start = end
  }
  return [...parts, text.slice(start)]
}

function endOf(text: string, start: number, most: number): number {
  const least = start + most / 2
  let line = 0
  let paragraph = 0
  let fence = ''
  for (let at = start; at < start + most;) {
    const next = text.indexOf('\n', at) + 1
    if (next === 0 || next > start + most) break
    const written = text.slice(at, next).trim()
    const [mark = ''] = /^(`{3,}|~{3,})/.exec(written) ?? []
    if (fence === '') fence = mark
    else if (mark.startsWith(fence) && mark === written) fence = ''
    if (next >= least) line = next
    if (next >= least && fence === '' && written === '') paragraph = next
    at = next
  }
  if (paragraph > 0 || line > 0) return paragraph || line
  const end = start + most
  return /[\uDC00-\uDFFF]/.test(text[end]!) && /[\uD800-\uDBFF]/.test(text[end - 1]!) ? end - 1 : end
}
