import {ApolloClient, ApolloLink, gql} from '@apollo/client'
import {Subject} from 'rxjs'
import {expect, test} from 'vitest'
import {newCache} from './client'
import {currentOnly} from './current'

const page = gql`
  query Page {
    nodes {
      __typename
      id
      version
      name
    }
  }
`
const edit = gql`
  mutation Edit {
    updateIssue {
      __typename
      id
      version
      name
    }
  }
`
const issue = (version: number) => ({__typename: 'Issue', id: 'a', version, name: `Version ${version}`})

/** A client whose requests are answered by the test, in any order. */
function setup() {
  const sent: {name: string; answers: Subject<ApolloLink.Result>}[] = []
  const server = new ApolloLink(operation => {
    const answers = new Subject<ApolloLink.Result>()
    sent.push({name: operation.operationName ?? '', answers})
    return answers
  })
  const cache = newCache()
  const client = new ApolloClient({cache, link: currentOnly(cache).concat(server)})
  const answer = (n: number, data: Record<string, unknown>) => {
    sent[n]!.answers.next({data})
    sent[n]!.answers.complete()
  }
  const name = () => (cache.extract() as Record<string, {name?: string}>)['Issue:a']?.name
  return {client, sent, answer, name}
}

test('a page that was requested before an edit and arrives after it is requested again', async () => {
  const {client, sent, answer, name} = setup()
  const read = client.query({query: page, fetchPolicy: 'network-only'})
  const write = client.mutate({mutation: edit})
  answer(1, {updateIssue: issue(2)})
  await write
  answer(0, {nodes: [issue(1)]})
  await expect.poll(() => sent.length, {timeout: 5000}).toBe(3)
  expect(name()).toBe('Version 2')
  answer(2, {nodes: [issue(2)]})
  await read
  expect(name()).toBe('Version 2')
  expect(sent.map(s => s.name)).toEqual(['Page', 'Edit', 'Page'])
})

test('a page is requested at most twice more', async () => {
  const {client, sent, answer} = setup()
  const read = client.query({query: page, fetchPolicy: 'network-only'})
  for (const version of [2, 3, 4]) {
    const write = client.mutate({mutation: edit})
    answer(sent.length - 1, {updateIssue: issue(version)})
    await write
    const n = sent.findLastIndex(s => s.name === 'Page')
    answer(n, {nodes: [issue(1)]})
    if (version < 4) await expect.poll(() => sent.findLastIndex(s => s.name === 'Page'), {timeout: 5000}).toBeGreaterThan(n)
  }
  await read
  expect(sent.filter(s => s.name === 'Page')).toHaveLength(3)
})

test('a page that is requested after an edit and does not have it yet is requested again', async () => {
  const {client, sent, answer, name} = setup()
  const write = client.mutate({mutation: edit})
  answer(0, {updateIssue: issue(2)})
  await write
  const read = client.query({query: page, fetchPolicy: 'network-only'})
  answer(1, {nodes: [issue(1)]})
  await expect.poll(() => sent.length, {timeout: 5000}).toBe(3)
  answer(2, {nodes: [issue(2)]})
  await read
  expect(name()).toBe('Version 2')
})

test('a page with the edited version is requested once', async () => {
  const {client, sent, answer, name} = setup()
  const read = client.query({query: page, fetchPolicy: 'network-only'})
  const write = client.mutate({mutation: edit})
  answer(1, {updateIssue: issue(2)})
  await write
  answer(0, {nodes: [issue(3), null]})
  await read
  expect(sent).toHaveLength(2)
  expect(name()).toBe('Version 3')
})
