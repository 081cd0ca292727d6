import {readFileSync} from 'node:fs'
import {expect, test} from 'vitest'
import {messages} from '../messages'

test('docs/client.md lists the same keys', () => {
  const docs = readFileSync(new URL('../../../../docs/client.md', import.meta.url), 'utf8')
  const table = docs.split('## Keyboard\n')[1]!.split('\n\n')[0]!.trim().split('\n').slice(2)
  expect(table).toEqual(messages.table.shortcuts.list.map(({keys, action}) => `| ${keys} | ${action} |`))
})
