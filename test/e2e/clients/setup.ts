import {spawn, type ChildProcess} from 'node:child_process'
import {mkdtempSync, rmSync} from 'node:fs'
import {tmpdir} from 'node:os'
import {createInterface} from 'node:readline'
import type {TestProject} from 'vitest/node'
import {generate} from './generate.ts'
import {root, run} from './tools.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    // The server's /graphql.
    url: string
  }
}

// Before all tests: the generators, and a server with the sample data.
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = mkdtempSync(`${tmpdir()}/issuegrid-clients-`)
  const [server] = await Promise.all([serve(folder), generate()])
  project.provide('url', server.url)
  return async () => {
    const ended = new Promise((resolve) => server.child.once('exit', resolve))
    server.child.kill('SIGTERM')
    await ended
    rmSync(folder, {recursive: true, force: true})
  }
}

async function serve(folder: string): Promise<{child: ChildProcess; url: string}> {
  const built = await run('go', ['build', '-o', `${folder}/issuegrid`, '.'], root)
  if (built.code !== 0) throw new Error(`go build ended with ${built.code}:\n${built.output}`)
  const child = spawn(`${folder}/issuegrid`, ['serve', '--addr', '127.0.0.1:0', '--data', `${folder}/data`], {
    cwd: folder,
    env: Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('ISSUEGRID_') || name === 'ISSUEGRID_CI_RUN')),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  return new Promise((resolve, reject) => {
    const said: string[] = []
    const listen = (line: string) => {
      said.push(line)
      const url = /^GraphQL API +(\S+)$/.exec(line)?.[1]
      if (url) resolve({child, url})
    }
    createInterface(child.stdout).on('line', listen)
    createInterface(child.stderr).on('line', listen)
    child.once('exit', (code) => reject(new Error(`the server ended with ${code}:\n${said.join('\n')}`)))
  })
}
