// Starts the server, which program.ts has built, for the browser tests.

import {type ChildProcess, execFileSync, spawn} from 'node:child_process'
import {cpSync, mkdtempSync, readFileSync, rmSync} from 'node:fs'
import {Agent, createServer, request} from 'node:http'
import type {AddressInfo} from 'node:net'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {inject} from 'vitest'

export interface Server {
  /** The base URL, without a trailing slash. */
  url: string
  /** The data directory of the engine, which other commands can use at the same time. */
  data: string
  stop(): Promise<void>
}

/** The time limit for a start, in milliseconds. The first start loads the sample data, and may have to download the engine before. */
const patience = 120_000

/**
 * Starts a server on a free port, with the sample data in a separate directory, and waits until it is serving. To load the data takes longer than most tests take, so
 * that ISSUEGRID_TEST_SAMPLE can name a data directory that has it.
 */
export async function startServer({args = [], dataDir}: {args?: string[]; dataDir?: string} = {}): Promise<Server> {
  const data = dataDir ?? mkdtempSync(join(tmpdir(), 'issuegrid-data-'))
  const clean = () => {
    if (dataDir === undefined) rmSync(data, {recursive: true, force: true})
  }
  const sample = process.env.ISSUEGRID_TEST_SAMPLE
  try {
    if (sample && dataDir === undefined && !args.includes('--no-sample')) cpSync(sample, data, {recursive: true})
    const {url, stop} = await serve(['--data', data, ...args])
    return {url, data, stop: () => stop().finally(clean)}
  } catch (error) {
    clean()
    throw error
  }
}

/** Starts two servers that use one table, and a balancer that sends requests to them in turn. */
export async function startServers(options?: {args?: string[]}): Promise<Server> {
  const first = await startServer(options)
  const [engine] = readFileSync(join(first.data, 'engine.url'), 'utf8').split('\n')
  const second = await serve(['--endpoint', engine!, '--no-sample'])
  const balancer = await startBalancer([first.url, second.url])
  const stop = async () => {
    await balancer.stop()
    await second.stop()
    await first.stop()
  }
  return {url: balancer.url, data: first.data, stop}
}

/** Starts a server that sends requests to others in turn. */
async function startBalancer(urls: readonly string[]): Promise<{url: string; stop(): Promise<void>}> {
  const agent = new Agent({keepAlive: true})
  let requests = 0
  const balancer = createServer((incoming, response) => {
    const {method, url, headers} = incoming
    const outgoing = request(new URL(url!, urls[requests++ % urls.length]), {method, headers, agent}, answer => {
      response.writeHead(answer.statusCode!, answer.headers)
      answer.pipe(response)
    })
    outgoing.once('error', () => response.destroy())
    response.once('close', () => outgoing.destroy())
    incoming.pipe(outgoing)
  })
  await new Promise<void>(done => balancer.listen(0, '127.0.0.1', done))
  const stop = async () => {
    const closed = new Promise(done => balancer.close(done))
    balancer.closeAllConnections()
    await closed
    agent.destroy()
  }
  return {url: `http://127.0.0.1:${(balancer.address() as AddressInfo).port}`, stop}
}

/** Runs the command serve and waits until the server is serving. */
async function serve(args: readonly string[]): Promise<{url: string; stop(): Promise<void>}> {
  const child = spawn(inject('program'), ['serve', '--addr', '127.0.0.1:0', ...args], {stdio: ['ignore', 'pipe', 'pipe'], env: environment()})
  const kill = () => child.kill('SIGKILL')
  process.once('exit', kill)
  const ended = new Promise<void>(done => child.once('exit', () => done()))
  const stop = async () => {
    child.kill('SIGTERM')
    await ended
    process.off('exit', kill)
  }
  try {
    return {url: await serving(child), stop}
  } catch (error) {
    await stop()
    throw error
  }
}

/** The environment without settings of this program, which would change what is tested. By ISSUEGRID_CI_RUN, .ci/run finds processes that a run leaves behind. */
const environment = () => Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('ISSUEGRID_') || name === 'ISSUEGRID_CI_RUN'))

/** Runs a command of the program and waits for its end. */
export function run(args: readonly string[]): void {
  execFileSync(inject('program'), args, {stdio: ['ignore', 'ignore', 'pipe'], env: environment()})
}

/** The line with the address: plain on stdout, or a JSON log entry if the server requires a token. */
const address = /^GraphQL API +(\S+)\/graphql$|"msg":"serving","url":"([^"]+)"/m

/** Waits until the server logs its address, and returns it. */
async function serving(child: ChildProcess): Promise<string> {
  let said = ''
  return new Promise((done, failed) => {
    const timer = setTimeout(() => failed(new Error(`the server does not serve within ${patience / 1000} s:\n${said}`)), patience)
    const listen = (chunk: Buffer) => {
      said += chunk.toString()
      const found = address.exec(said)
      const url = found?.[1] ?? found?.[2]
      if (url === undefined) return
      clearTimeout(timer)
      done(url)
    }
    child.stdout?.on('data', listen)
    child.stderr?.on('data', listen)
    child.once('exit', code => {
      clearTimeout(timer)
      failed(new Error(`the server ended with ${code} before it served:\n${said}`))
    })
  })
}
