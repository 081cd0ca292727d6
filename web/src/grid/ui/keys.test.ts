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

const plain = {altKey: false, ctrlKey: false, metaKey: false}

test.each<[string, Partial<typeof plain>, boolean, boolean]>([
  ['@', {altKey: true}, false, true], // Option of a German Mac
  ['ł', {altKey: true}, false, true],
  ['ł', {altKey: true, ctrlKey: true}, false, true], // AltGr of older browsers
  ['@', {altKey: true, ctrlKey: true}, true, true],
  ['€', {}, true, true],
  ['l', {altKey: true}, false, false], // a command of the browser
  ['5', {altKey: true}, false, false],
  ['Enter', {altKey: true}, false, false],
  ['a', {ctrlKey: true}, false, false],
  ['≈', {altKey: true, metaKey: true}, false, false],
])('%s with %j types a character: %s, %s', (key, modifiers, hasAltGraph, types) => expect(typesSpecial({key, ...plain, ...modifiers}, hasAltGraph)).toBe(types))
