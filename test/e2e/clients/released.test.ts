import {expect, test} from 'vitest'
import {readFileSync} from 'node:fs'
import {breaking, complaints, unreleased} from './released.ts'
import {root, schemaFile} from './tools.ts'

const current = readFileSync(schemaFile, 'utf8')
const released = readFileSync(`${root}/test/testdata/schema-released.graphqls`, 'utf8')

test('CHANGELOG.md lists every change of the schema that breaks clients since the last release', async () => {
  const changelog = readFileSync(`${root}/CHANGELOG.md`, 'utf8')
  expect(complaints(await breaking(released, current), changelog), 'add what is missing to CHANGELOG.md, with what a client has to do').toEqual([])
})

const old = 'type Query { issue(id: ID!, at: Int): Issue! } type Issue { id: ID! name: String } input Change { name: String }'

test.each([
  ['a field is removed', 'Issue.name', (s: string) => s.replace('name: String }', '}')],
  ['a field becomes nullable', 'Query.issue', (s: string) => s.replace('Issue!', 'Issue')],
  ['an argument is removed', 'Query.issue.at', (s: string) => s.replace(', at: Int', '')],
  ['a member of an input becomes required', 'Change.name', (s: string) => s.replace('Change { name: String', 'Change { name: String!')],
])('%s: the changelog must list it', async (_, path, change) => {
  const changes = await breaking(old, change(old))
  expect(changes).toHaveLength(1)
  expect(complaints(changes, '# Changelog\n\n## Unreleased\n\n## v1\n\n- `Issue.name`, `Query.issue`: of an earlier version.\n')).toEqual([
    `missing: - \`${path}\`: ${changes[0]!.message}`,
  ])
  expect(complaints(changes, `## Unreleased\n\n- \`${path}\`: do this.\n\n## v1\n`)).toEqual([])
  expect(complaints(changes, `## Unreleased\n\n- \`${path}\`, \`Issue.id\`: do this.\n`)).toEqual(['not a breaking change: Issue.id'])
})

test('what only adds needs no entry', async () => {
  const more = old.replace('name: String }', 'name: String number: Int }').replace('at: Int', 'at: Int, size: Int')
  expect(await breaking(old, more)).toEqual([])
})

test('a changelog without its section is refused', () => {
  expect(() => unreleased('# Changelog\n\n## v1\n')).toThrow('Unreleased')
})
