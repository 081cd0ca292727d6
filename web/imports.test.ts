import {Linter} from 'eslint'
import {mkdirSync, mkdtempSync, rmSync, writeFileSync} from 'node:fs'
import {tmpdir} from 'node:os'
import {dirname, join} from 'node:path'
import tseslint from 'typescript-eslint'
import {afterEach, beforeEach, expect, test} from 'vitest'
import imports from './imports.js'

let root: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'imports-'))
})
afterEach(() => rmSync(root, {recursive: true}))

const folders = {low: [], high: ['low'], 'high/deep': ['low']}

/** What the rules say of the first of some files. */
function lint(files: Record<string, string>, table: Record<string, string[]> = folders): string[] {
  for (const [name, text] of Object.entries(files)) {
    const file = join(root, 'src', name)
    mkdirSync(dirname(file), {recursive: true})
    writeFileSync(file, text)
  }
  const [name = '', text = ''] = Object.entries(files)[0] ?? []
  const messages = new Linter({cwd: root}).verify(
    text,
    {
      files: ['**/*.{ts,tsx}'],
      languageOptions: {parser: tseslint.parser, parserOptions: {ecmaFeatures: {jsx: true}}},
      plugins: {imports},
      rules: {'imports/no-cycle': 'error', 'imports/direction': ['error', {root: 'src', folders: table}]},
    },
    join(root, 'src', name),
  )
  return messages.map(m => `${m.line}:${m.column} ${m.ruleId}: ${m.message}`)
}

test.each([
  ['import', `import {b} from './b'`],
  ['import of a type', `import type {B} from './b'`],
  ['import of nothing', `import './b'`],
  ['re-export', `export * from './b'`],
  ['import()', `export const b = () => <p>don't {import('./b')}</p>`],
  ['type by import()', `export type B = import('./b').B`],
])('an %s is part of a cycle', (_, text) => {
  expect(lint({'low/a.tsx': `\n${text}\n`, 'low/b.ts': `import './c'`, 'low/c.ts': `import './a'`})).toEqual([
    expect.stringMatching(/^2:\d+ imports\/no-cycle: This module imports itself: b.ts imports c.ts imports a.tsx\.$/),
  ])
})

test('a module that imports itself is a cycle', () => {
  expect(lint({'low/a.ts': `import './a'`})).toEqual(['1:8 imports/no-cycle: This module imports itself: a.ts.'])
})

test('two ways to a module are no cycle, nor is a cycle that the module is not in', () => {
  expect(lint({'low/a.ts': `import './b'\nimport './c'`, 'low/b.ts': `import './d'`, 'low/c.ts': `import './d'`, 'low/d.ts': `import './b'`})).toEqual([])
})

const other = {'low/b.ts': '', 'high/b.ts': '', 'high/deep/b.ts': '', 'new/b.ts': '', 'low/b.css': '', 'high/b.css': ''}
test.each([
  ['low/a.ts', '../high/b', 'Modules of low may not import from high'],
  ['low/a.ts', '../high/b.css', 'Modules of low may not import from high'],
  ['high/a.ts', './deep/b', 'Modules of high may not import from high/deep'],
  ['high/deep/a.ts', '../b', 'Modules of high/deep may not import from high'],
  ['high/a.ts', '../new/b', 'Modules of high may not import from a folder that is not in the table'],
  ['new/a.ts', '../low/b', 'The folder of this module is not in the table'],
])('%s may not import %s', (file, name, message) => {
  expect(lint({[file]: `import '${name}'`, ...other})).toEqual([expect.stringContaining(`1:8 imports/direction: ${message}`)])
})

test.each([
  ['high/a.ts', '../low/b'],
  ['high/a.ts', '../low/b.css'],
  ['high/deep/a.ts', '../../low/b'],
  ['high/a.ts', './b'],
  ['low/a.test.ts', '../high/b'],
  ['low/a.ts', 'react'],
])('%s may import %s', (file, name) => {
  expect(lint({[file]: `import '${name}'`, ...other})).toEqual([])
})

test('a folder may name only folders above it', () => {
  expect(() => lint({'low/a.ts': ''}, {low: ['high'], high: ['low']})).toThrow('low names high, which is not above it')
})
