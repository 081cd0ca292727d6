import {expect, test} from 'vitest'
import {letterOf, typesSpecial} from './keys'

test.each([
  ['z', 'KeyZ', 'z'],
  ['Z', 'KeyZ', 'z'],
  ['я', 'KeyZ', 'z'], // Cyrillic
  ['ζ', 'KeyZ', 'z'], // Greek
  ['ז', 'KeyZ', 'z'], // Hebrew
  ['z', 'KeyW', 'z'], // AZERTY
  ['y', 'KeyZ', 'y'], // QWERTZ
  [';', 'KeyZ', ';'], // Dvorak
  ['ö', 'Semicolon', 'ö'],
  ['Enter', 'Enter', 'enter'],
])('%s at %s is %s', (key, code, letter) => expect(letterOf({key, code})).toBe(letter))

const plain = {code: '', altKey: false, ctrlKey: false, metaKey: false}

test.each<[string, Partial<typeof plain>, string, boolean]>([
  ['@', {altKey: true}, 'Mac', true], // Option of a German Mac
  ['ł', {altKey: true}, 'Mac', true],
  ['Dead', {altKey: true}, 'Mac', true],
  ['ń', {altKey: true, code: 'KeyN'}, 'Mac', false], // Alt+N
  ['≈', {altKey: true, metaKey: true}, 'Mac', false],
  ['@', {altKey: true, ctrlKey: true}, 'AltGraph', true], // as older browsers say it
  ['€', {}, 'AltGraph', true],
  [' ', {}, 'AltGraph', false],
  ['Enter', {}, 'AltGraph', false],
  ['т', {altKey: true, code: 'KeyN'}, '', false], // Alt+N of a Cyrillic layout
  ['д', {altKey: true}, '', false], // a command of the browser
  ['l', {altKey: true}, 'Mac', false],
  ['5', {altKey: true}, '', false],
  ['a', {ctrlKey: true}, '', false],
])('%s with %j and %j types a character: %s', (key, modifiers, has, types) =>
  expect(typesSpecial({key, ...plain, ...modifiers}, has === 'AltGraph', has === 'Mac')).toBe(types),
)
