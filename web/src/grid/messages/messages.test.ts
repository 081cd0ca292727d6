// The catalogue: each language has a text of its own for every English one, and the page finds the user's language.
import {describe, expect, test} from 'vitest'
import {counter} from './counted'
import {de} from './de'
import {en} from './en'
import {preferred} from '.'

type Text = string | ((...values: string[]) => string)

/** Returns the texts of a catalogue by their paths. */
function textsOf(section: object, path = ''): Map<string, Text> {
  return new Map(
    Object.entries(section).flatMap(([key, value]): (readonly [string, Text])[] =>
      typeof value === 'object' && value !== null ? [...textsOf(value as object, `${path}${key}.`)] : [[path + key, value as Text]],
    ),
  )
}

const [english, german] = [textsOf(en), textsOf(de)]
const strings = [...english].flatMap(([path, text]) => (typeof text === 'string' ? [[path, text, german.get(path) as string] as const] : []))

/** Words that both languages have. */
const shared = new Set(
  'Name Text Status Details Person Import Export Format Token Alt Cmd Orange Filter Board Teams Min Max Median Minimum Maximum Administrator in'.split(' '),
)
const isShared = (text: string) => (text.replace(/\{\w+\}/g, '').match(/\p{L}{2,}/gu) ?? []).every(word => shared.has(word))

describe('German', () => {
  test('has the same texts', () => {
    expect([...german.keys()].sort()).toEqual([...english.keys()].sort())
    expect(english.size).toBeGreaterThan(500)
  })

  test('is not English', () => {
    expect(strings.filter(([, a, b]) => a === b && !isShared(a)).map(([path, a]) => `${path}: ${a}`)).toEqual([])
  })

  test('has the same places for elements, and quotation marks of its own', () => {
    const places = (text: string) => (text.match(/\{\w+\}/g) ?? []).sort()
    expect(strings.filter(([, a, b]) => String(places(a)) !== String(places(b)))).toEqual([])
    expect(strings.filter(([, , b]) => /“[^„]*”|"[^"]*"/.test(b))).toEqual([])
  })

  test('uses the same values in a text', () => {
    const used = (text: Text) => {
      const found = new Set<string>()
      // Stands for any value: it records what is read of it, and is a string, the number 2, or something with members.
      const value = (name: string): string =>
        new Proxy((): string => name, {
          get: (_, member) => {
            found.add(name)
            if (member === Symbol.toPrimitive) return (hint: string) => (hint === 'number' ? 2 : name)
            return member === Symbol.iterator ? function* () {} : value(`${name}.${String(member)}`)
          },
        }) as unknown as string
      if (typeof text === 'function') text(...Array.from({length: text.length}, (_, i) => value(`value ${i}`)))
      return [...found].filter(name => !name.includes('.')).sort()
    }
    const functions = [...english].filter((entry): entry is [string, Exclude<Text, string>] => typeof entry[1] === 'function')
    expect(functions.length).toBeGreaterThan(150)
    expect(functions.filter(([path, text]) => String(used(text)) !== String(used(german.get(path)!))).map(([path]) => path)).toEqual([])
    // This one only compares its value.
    expect(functions.filter(([, text]) => text.length > 0 && used(text).length === 0).map(([path]) => path)).toEqual(['panel.deletion.explanation'])
  })
})

test.each([
  [['de-AT', 'en'], 'de'],
  [['fr', 'de-DE', 'en-US'], 'de'],
  [['en-GB', 'de'], 'en'],
  [['ja-JP'], 'en'],
  [['constructor', 'DE'], 'de'],
  [[], 'en'],
] as const)('a browser in %j has the page in %s', (tags, language) => expect(preferred(tags)).toBe(language))

test.each([
  [0, '0 issues'],
  [1, '1 issue'],
  [2, '2 issues'],
  [1234, `${(1234).toLocaleString()} issues`],
] as const)('%d counted', (n, text) => expect(counter('en')(n, {one: 'issue', other: 'issues'})).toBe(text))
