// The machine's Chromium, and pages that note what must not happen in them.

import {accessSync, constants, mkdirSync} from 'node:fs'
import {delimiter, join, resolve} from 'node:path'
import {type Browser, type BrowserContext, chromium, type Page} from 'playwright-core'

const names = ['chromium', 'chromium-browser', 'google-chrome']

/** Chromium where $CHROMIUM says, or on PATH. */
function executable(): string {
  const given = process.env.CHROMIUM
  const candidates = given
    ? [given]
    : names.flatMap(name =>
        (process.env.PATH ?? '')
          .split(delimiter)
          .filter(Boolean)
          .map(folder => join(folder, name)),
      )
  const found = candidates.find(file => {
    try {
      accessSync(file, constants.X_OK)
      return true
    } catch {
      return false
    }
  })
  if (found === undefined) {
    throw new Error(
      given ? `there is no program ${given}, which CHROMIUM names` : `none of ${names.join(', ')} is on PATH: install Chromium, or let CHROMIUM name it`,
    )
  }
  return found
}

/** Starts a browser that asks nobody anything by itself, with a new profile that goes with it. */
export function launch(): Promise<Browser> {
  return chromium.launch({
    executablePath: executable(),
    headless: true,
    args: [
      '--headless',
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  })
}

/** A page with what went wrong in it: errors and warnings in the console, violations of the Content-Security-Policy, and requests to other hosts. */
export interface Watched {
  context: BrowserContext
  page: Page
  troubles: string[]
}

export interface Look {
  width?: number
  height?: number
  dark?: boolean
  /** Pixels of the screen for one of CSS; fewer are drawn faster. */
  scale?: number
}

/** Opens an empty page in a context of its own. Nothing but the server can be reached from it. */
export async function open(browser: Browser, server: string, {width = 1400, height = 900, dark = false, scale = 1}: Look = {}): Promise<Watched> {
  const context = await browser.newContext({
    baseURL: server,
    viewport: {width, height},
    deviceScaleFactor: scale,
    colorScheme: dark ? 'dark' : 'light',
    reducedMotion: 'reduce',
  })
  context.setDefaultTimeout(20_000)
  const troubles: string[] = []
  await context.route(
    url => url.origin !== server && url.protocol.startsWith('http'),
    async route => {
      troubles.push(`foreign request: ${route.request().url()}`)
      await route.abort()
    },
  )
  await context.addInitScript(() => {
    document.addEventListener('securitypolicyviolation', e =>
      console.error(`CSP: ${e.effectiveDirective} forbids ${e.blockedURI} ${e.sourceFile}:${e.lineNumber}`),
    )
  })
  const page = await context.newPage()
  page.on('console', message => {
    if (message.type() === 'error' || message.type() === 'warning') troubles.push(`${message.type()}: ${message.text()} (${message.location().url})`)
  })
  page.on('pageerror', error => troubles.push(`uncaught: ${error.stack ?? error.message}`))
  page.on('worker', worker =>
    worker.on('console', message => {
      if (message.type() === 'error' || message.type() === 'warning') troubles.push(`worker: ${message.text()}`)
    }),
  )
  return {context, page, troubles}
}

const artifacts = process.env.ISSUEGRID_ARTIFACTS ?? resolve(import.meta.dirname, 'artifacts')

/** Keeps a picture of the page for people, in the folder that ISSUEGRID_ARTIFACTS names, or artifacts beside this file. */
export async function picture(page: Page, name: string): Promise<void> {
  mkdirSync(artifacts, {recursive: true})
  await page.screenshot({path: join(artifacts, `${name}.png`)})
}
