// A server that requires tokens, and pages of its users.
import {createHmac} from 'node:crypto'
import {mkdtempSync, rmSync, writeFileSync} from 'node:fs'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import type {Browser, Page} from 'playwright-core'
import {afterAll, beforeAll} from 'vitest'
import {API} from './api'
import {launch, open} from './browser'
import {cellTexts, GridPage} from './grid'
import {startServer, type Server} from './server'

export interface SignIn {
  /** Returns a client of the API for a user; an operator belongs to no tenant. */
  api: (user: string, role: string) => API
  /** The ID of the project with the sample data. */
  project: string
  /** Opens the project as a user. */
  as: (user: string, role: string) => Promise<{page: Page; grid: GridPage; troubles: string[]; close: () => Promise<void>}>
}

const secret = 'a secret of the tests that is long enough'

/** Returns a token; an operator belongs to no tenant. */
export function token(sub: string, role: string, tenant?: string): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const exp = Math.floor(Date.now() / 1000) + 1800
  const claims = {iss: 'https://issuer.example', aud: 'issuegrid', exp, sub, role, ...(role === 'operator' ? {} : {tenant})}
  const text = `${part({alg: 'HS256', typ: 'JWT'})}.${part(claims)}`
  return `${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`
}

/** Starts a server that requires tokens. */
export async function startClosed(): Promise<Server> {
  const folder = mkdtempSync(join(tmpdir(), 'issuegrid-secret-'))
  writeFileSync(join(folder, 'secret'), secret, {mode: 0o600})
  const server = await startServer({
    args: ['--auth-secret-file', join(folder, 'secret'), '--auth-issuer', 'https://issuer.example', '--auth-audience', 'issuegrid'],
  })
  return {...server, stop: () => server.stop().finally(() => rmSync(folder, {recursive: true}))}
}

/** Registers the hooks. The returned object is filled in when a test runs. */
export function signIn(): SignIn {
  let server: Server
  let browser: Browser
  let tenant: string | undefined
  const result: SignIn = {
    api: (user, role) => new API(server.url, token(user, role, tenant)),
    project: '',
    as: async (user, role) => {
      const {context, page, troubles} = await open(browser, server.url, {width: 1500, height: 900})
      await context.addInitScript(cellTexts)
      await context.addInitScript(t => sessionStorage.setItem('issuegrid:token', t), token(user, role, tenant))
      const grid = new GridPage(page)
      await grid.open(result.project)
      return {page, grid, troubles, close: () => context.close()}
    },
  }
  beforeAll(async () => {
    server = await startClosed()
    const {tenants} = await result
      .api('root', 'operator')
      .ask<{tenants: {nodes: {claim: string; projects: {nodes: {id: string; key: string}[]}}[]}}>(
        '{ tenants { nodes { claim projects { nodes { id key } } } } }',
      )
    const of = tenants.nodes.find(t => t.projects.nodes.some(p => p.key === 'FLEET'))!
    tenant = of.claim
    result.project = of.projects.nodes.find(p => p.key === 'FLEET')!.id
    browser = await launch()
  })
  afterAll(async () => {
    await browser?.close()
    await server?.stop()
  })
  return result
}
