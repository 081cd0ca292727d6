import {afterEach, beforeEach, describe, expect, test, vi} from 'vitest'
import {ask, operationIn, send} from './exchange'

const answers = vi.fn<typeof fetch>()
beforeEach(() => {
  vi.stubGlobal('fetch', answers)
  vi.stubGlobal('navigator', {onLine: true})
})
afterEach(() => {
  vi.unstubAllGlobals()
  answers.mockReset()
})

const json = (body: unknown, init: ResponseInit = {}) => new Response(JSON.stringify(body), {headers: {'Content-Type': 'application/json'}, ...init})

describe('send', () => {
  test('tells all about an answer', async () => {
    answers.mockResolvedValue(
      json({data: {a: 1}}, {status: 200, headers: {'X-Request-Id': 'ID', 'RateLimit-Limit': '20000', 'RateLimit-Remaining': '19990', 'RateLimit-Reset': '1'}}),
    )
    const got = await send({query: 'query A { a }', variables: {v: 1}}, {'x-show-cost': 1, Authorization: 'Bearer T'})
    expect(got).toMatchObject({
      operation: 'A',
      answer: {data: {a: 1}},
      answered: true,
      status: 200,
      bytes: 16,
      askedForCost: true,
      requestId: 'ID',
      rateLimit: {limit: '20000', remaining: '19990', reset: '1'},
    })
    const [url, init] = answers.mock.calls[0]!
    expect([url, init?.headers, init?.body]).toEqual([
      '/graphql',
      {'x-show-cost': '1', Authorization: 'Bearer T', 'Content-Type': 'application/json', Accept: 'application/graphql-response+json, application/json;q=0.9'},
      '{"query":"query A { a }","variables":{"v":1},"operationName":"A"}',
    ])
  })

  test('a refusal is an answer', async () => {
    answers.mockResolvedValue(json({errors: [{message: 'no', extensions: {code: 'UNAUTHENTICATED'}}]}, {status: 401}))
    expect(await send({query: '{ a }'}, {})).toMatchObject({
      answered: true,
      status: 401,
      askedForCost: false,
      rateLimit: null,
      answer: {errors: [{message: 'no'}]},
    })
  })

  test.each([
    [
      'a proxy',
      new Response('<h1>Bad gateway</h1>', {status: 502, headers: {'Content-Type': 'text/html'}}),
      "The server's response is not GraphQL: status 502, text/html.",
    ],
    ['something else', json([1]), "The server's response is not GraphQL: status 200, application/json."],
  ])('an answer of %s is explained', async (_, response, message) => {
    answers.mockResolvedValue(response)
    expect(await send({query: '{ a }'}, {})).toMatchObject({answered: false, answer: {errors: [{message}]}})
  })

  test.each([
    [
      'no network',
      false,
      new TypeError('Failed to fetch'),
      'There is no response, because this browser is offline. Run the operation again when the network is back.',
    ],
    ['no server', true, new TypeError('Failed to fetch'), 'The server does not respond. Is it running? Try again when it is.'],
    ['a header that is none', true, new TypeError('Invalid name'), 'The server does not respond (Invalid name). Is it running? Try again when it is.'],
  ])('%s is explained', async (_, onLine, error, message) => {
    vi.stubGlobal('navigator', {onLine})
    answers.mockRejectedValue(error)
    expect(await send({query: '{ a }'}, {})).toMatchObject({answered: false, status: 0, answer: {errors: [{message}]}})
  })

  test('what was stopped is no answer', async () => {
    const controller = new AbortController()
    controller.abort()
    answers.mockRejectedValue(new DOMException('stopped', 'AbortError'))
    await expect(send({query: '{ a }'}, {}, controller.signal)).rejects.toThrow('stopped')
  })
})

test.each([
  ['{ a }', undefined, null],
  ['# query Comment\nquery A { a }', null, 'A'],
  ['query A { a }\nmutation B { b }', 'B', 'B'],
  ['query A { a }', 'OfTheTabBefore', 'A'],
])('the operation of %j with the name %j', (query, operationName, want) => {
  expect(operationIn({query, operationName})).toBe(want)
})

test('the page asks for data, and learns why there is none', async () => {
  answers.mockResolvedValueOnce(json({data: {a: 1}}))
  expect(await ask('{ a }', {}, {})).toEqual({a: 1})
  answers.mockResolvedValueOnce(json({data: {a: null}, errors: [{message: 'no such project'}]}))
  await expect(ask('{ a }', {}, {})).rejects.toThrow('no such project')
})
