// How long ago something was, or how soon it will be.

const units: [Intl.RelativeTimeFormatUnit, number][] = [
  ['year', 365 * 86_400],
  ['month', 30 * 86_400],
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
]
const relatives = new Intl.RelativeTimeFormat(undefined, {numeric: 'auto'})

/** Formats an age in the largest unit that fits at least once. */
export function ago(at: string, now: Date): string {
  const seconds = Math.round((Date.parse(at) - now.getTime()) / 1000)
  for (const [unit, size] of units) if (Math.abs(seconds) >= size) return relatives.format(Math.trunc(seconds / size), unit)
  return 'just now'
}
