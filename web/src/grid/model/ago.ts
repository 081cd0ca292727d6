// How long ago something was, or how soon it will be.
import {language, messages} from '../messages'

const units: [Intl.RelativeTimeFormatUnit, number][] = [
  ['year', 365 * 86_400],
  ['month', 30 * 86_400],
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
]

/** Formats an age in the largest unit that fits at least once. It is in words, and so in the language of the page. */
export function ago(at: string, now: Date): string {
  const seconds = Math.round((Date.parse(at) - now.getTime()) / 1000)
  const found = units.find(([, size]) => Math.abs(seconds) >= size)
  if (!found) return messages.model.justNow
  const [unit, size] = found
  return new Intl.RelativeTimeFormat(language, {numeric: 'auto'}).format(Math.trunc(seconds / size), unit)
}
