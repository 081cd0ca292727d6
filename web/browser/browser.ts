// Starts the installed Chromium, and opens pages that record errors.

import {accessSync, constants, mkdirSync} from 'node:fs'
import {delimiter, join, resolve} from 'node:path'
import {type Browser, type BrowserContext, chromium, type Page} from 'playwright-core'

/** Returns the path of a program, from an environment variable or PATH, where it may have one of several names. */
export function executable(variable: string, names: readonly string[]): string {
  const given = process.env[variable]
  const folders = (process.env.PATH ?? '').split(delimiter).filter(Boolean)
  const found = (given ? [given] : names.flatMap(name => folders.map(folder => join(folder, name)))).find(file => {
    try {
      accessSync(file, constants.X_OK)
      return true
    } catch {
      return false
    }
  })
  if (found !== undefined) return found
  throw new Error(
    given ? `there is no program ${given}, which ${variable} names` : `none of ${names.join(', ')} is on PATH: install one, or let ${variable} name it`,
  )
}

/** Starts a browser that sends no requests of its own, with a temporary profile. */
export function launch(): Promise<Browser> {
  return chromium.launch({
    executablePath: executable('CHROMIUM', ['chromium', 'chromium-browser', 'google-chrome']),
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

/** A page and its troubles: errors and warnings in the console, violations of the Content-Security-Policy, and requests to other hosts. */
export interface Watched {
  context: BrowserContext
  page: Page
  troubles: string[]
}

export interface Look {
  width?: number
  height?: number
  dark?: boolean
  /** Device pixels per CSS pixel; fewer render faster. */
  scale?: number
  /** The language of the browser, by which dates and numbers are written. */
  locale?: string
  /** The time zone of the browser; by default, that of the machine. */
  timeZone?: string
  /** Whether the page is in the language of the locale; otherwise it is in English. */
  translated?: boolean
  /** Whether it is a phone or a tablet, which has touch and no mouse. */
  touch?: boolean
}

/** Opens an empty page in a new context, from which only the server can be reached. */
export async function open(
  browser: Browser,
  server: string,
  {width = 1400, height = 900, dark = false, scale = 1, locale = 'en-US', timeZone, translated = false, touch = false}: Look = {},
): Promise<Watched> {
  const context = await browser.newContext({
    baseURL: server,
    locale,
    ...(timeZone === undefined ? {} : {timezoneId: timeZone}),
    viewport: {width, height},
    deviceScaleFactor: scale,
    colorScheme: dark ? 'dark' : 'light',
    reducedMotion: 'reduce',
    hasTouch: touch,
    isMobile: touch,
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
  if (!translated) await context.addInitScript(() => localStorage.setItem('issuegrid:language', 'en'))
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

/** Saves a screenshot in the directory $ISSUEGRID_ARTIFACTS, by default artifacts next to this file. */
export async function picture(page: {screenshot: (to: {path: `${string}.png`}) => Promise<unknown>}, name: string): Promise<void> {
  mkdirSync(artifacts, {recursive: true})
  await page.screenshot({path: `${join(artifacts, name)}.png`})
}
