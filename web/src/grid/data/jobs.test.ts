import {ApolloClient, ApolloLink} from '@apollo/client'
import {of, throwError} from 'rxjs'
import {expect, test} from 'vitest'
import {newCache} from './client'
import {Jobs, type Job} from './jobs'

const job = (id: string, status: Job['status']): Job => ({
  __typename: 'Job',
  id,
  kind: 'CHANGE_FIELD_TYPE',
  status,
  reason: null,
  cancelable: false,
  fieldName: 'Cost',
  progress: 0.5,
  createdAt: '2026-01-01T00:00:00Z',
  endedAt: null,
  problemCount: 0,
  problems: [],
})

/** Returns a watch of responses, each a list of jobs or a failure, and what it has reported when it ended. */
async function watched(responses: readonly (readonly Job[] | 'failure')[], started?: string) {
  let asked = 0
  const link = new ApolloLink(() => {
    const response = responses[Math.min(asked++, responses.length - 1)]!
    return response === 'failure' ? throwError(() => new TypeError('failed to fetch')) : of({data: {project: {__typename: 'Project', id: 'p', jobs: response}}})
  })
  const ended: string[] = []
  const pauses: number[] = []
  const jobs = await new Promise<Jobs>(settled => {
    const jobs: Jobs = new Jobs(
      new ApolloClient({link, cache: newCache()}),
      'p',
      {ended: j => ended.push(`${j.id} ${j.status}`), settled: () => settled(jobs)},
      ms => {
        pauses.push(ms)
        return Promise.resolve()
      },
    )
    jobs.watch(started)
  })
  return {ended, asked, pauses, failed: jobs.snapshot().failed.map(j => j.id)}
}

test('jobs that run are followed to their end, and those of the past are not reported', async () => {
  const past = job('past', 'FAILED')
  const seen = await watched([
    [job('a', 'WAITING'), past],
    [job('a', 'RUNNING'), job('b', 'CHECKING'), past],
    [job('a', 'DONE'), job('b', 'FAILED'), past],
  ])
  expect(seen).toEqual({ended: ['a DONE', 'b FAILED'], asked: 3, pauses: [1000, 1000], failed: ['b']})
})

test('a job that was just started is reported, although it is not listed at first and has ended when it is', async () => {
  expect(await watched([[], [], [job('a', 'DONE')]], 'a')).toMatchObject({ended: ['a DONE'], asked: 3})
})

test('a job that is never listed is given up', async () => {
  expect(await watched([[]], 'a')).toMatchObject({ended: [], asked: 10})
})

test('a failure is not the end', async () => {
  expect(await watched([[job('a', 'RUNNING')], 'failure', [job('a', 'DONE')]])).toMatchObject({ended: ['a DONE'], pauses: [1000, 5000]})
})
