import {spawn} from 'node:child_process'
import {mkdtempSync, readFileSync, rmSync, writeFileSync} from 'node:fs'
import {tmpdir} from 'node:os'
import {createInterface} from 'node:readline'
import {chromium} from 'playwright-core'
import {expect, inject, onTestFinished, test} from 'vitest'
import {post} from './plain.ts'
import {root, run} from './tools.ts'

const page = readFileSync(`${root}/docs/frontend.md`, 'utf8')

interface Block {
  language: string
  // What stands in the line before it: the name of a file.
  file: string | undefined
  text: string
}

function blocks(text: string): Block[] {
  return [...text.matchAll(/(?:(?:^|\n)(?:`([^`\n]+)`|\[[^\]\n]+\]\(([^)\n]+)\)):\n\n)?```(\w+)\n([^]*?)```/g)].map(([, name, link, language, text]) => ({
    language: language!,
    file: name ?? link,
    text: text!,
  }))
}

test('the files that docs/frontend.md shows are what the tests use', () => {
  const shown = blocks(page).filter(({file}) => file?.startsWith('../'))
  expect(shown).toHaveLength(5)
  for (const {file, text} of shown) expect(readFileSync(`${root}/docs/${file}`, 'utf8'), file).toContain(text)
})

// A shell as a person has it: without what npm and Vitest tell to what they run, but with the way to the registry.
const environment = () => {
  const told = /^npm_(?!config_(registry|userconfig|globalconfig|cache|cafile|.*proxy)$)|^INIT_CWD$|^NODE_ENV$|^VITE|^(TEST|DEV|PROD|SSR|MODE|BASE_URL)$/
  const own = Object.entries(process.env).filter(([name]) => !told.test(name))
  return {...Object.fromEntries(own), npm_config_yes: 'true', npm_config_update_notifier: 'false'}
}

test('the project of docs/frontend.md shows sorted rows, page by page', {timeout: 240_000}, async () => {
  const folder = mkdtempSync(`${tmpdir()}/issuegrid-frontend-`)
  onTestFinished(() => rmSync(folder, {recursive: true, force: true}))
  const project = `${folder}/my-grid`
  const [, section] = /\n## From `npm create vite`[^\n]*\n([^]*?)\n## /.exec(page)!
  const parts = blocks(section!)
  const [make, build] = parts.filter(({language}) => language === 'sh').map(({text}) => text) as [string, string]
  const files = parts.filter(({language}) => language !== 'sh')
  expect(files.map(({file}) => file)).toEqual(['codegen.ts', 'vite.config.ts', 'src/App.tsx'])

  const shell = async (script: string, cwd: string) => {
    const {code, output} = await run('bash', ['-euc', script], cwd, environment())
    expect(code, output).toBe(0)
    return output
  }
  await shell(make, folder)
  const address = new URL(inject('url')).host
  for (const {file, text} of files) writeFileSync(`${project}/${file}`, text.replaceAll('127.0.0.1:8080', address))
  const serve = 'npm run dev\n'
  expect(build.endsWith(serve)).toBe(true)
  expect(await shell(build.slice(0, -serve.length), project)).not.toMatch(/\bwarning\b/i)

  // A group of its own, as npm does not pass signals on.
  const server = spawn('bash', ['-euc', serve], {cwd: project, env: {...environment(), NO_COLOR: '1'}, stdio: ['ignore', 'pipe', 'pipe'], detached: true})
  const ended = new Promise((resolve) => server.once('close', resolve))
  onTestFinished(async () => {
    process.kill(-server.pid!, 'SIGTERM')
    await ended
  })
  const said: string[] = []
  const url = await new Promise<string>((resolve, reject) => {
    createInterface(server.stdout).on('line', (line) => {
      said.push(line)
      const url = /Local: +(\S+)/.exec(line)?.[1]
      if (url) resolve(url)
    })
    server.stderr.on('data', (data) => said.push(String(data)))
    server.once('close', () => reject(new Error(said.join('\n'))))
  })

  const flags = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync']
  const browser = await chromium.launch({executablePath: '/usr/bin/chromium', args: flags})
  onTestFinished(() => browser.close())
  const tab = await browser.newPage()
  const complaints: string[] = []
  tab.on('console', (message) => ['warning', 'error'].includes(message.type()) && complaints.push(message.text()))
  tab.on('pageerror', (error) => complaints.push(String(error)))
  await tab.goto(url)

  // What the API gives for the same column.
  const rows = async (column: object, cell: string, pages: number) => {
    const query = `query ($column: IssueColumn!) { project(id: "UDVmMjEvYzBkZQ") { issues(first: ${20 * pages}, orderBy: [{column: $column, direction: DESC}]) {
      nodes { num name cell: ${cell} } } } }`
    const {data} = await post(inject('url'), query, {column})
    const {nodes} = (data as {project: {issues: {nodes: {num: number; name: string; cell: string | {display: string}}[]}}}).project.issues
    return nodes.slice(-20).map(({num, name, cell}) => [String(num), name, typeof cell === 'string' ? cell : cell.display])
  }
  const shown = () => tab.locator('tr').evaluateAll((rows) => rows.map((row) => [...row.querySelectorAll('td')].map((cell) => cell.textContent)))
  const {data} = await post(inject('url'), '{ project(id: "UDVmMjEvYzBkZQ") { fields { id name } } }')
  const cost = (data as {project: {fields: {id: string; name: string}[]}}).project.fields.find(({name}) => name === 'Cost')!.id

  await expect.poll(shown).toEqual(await rows({builtin: 'CREATED_AT'}, 'createdAt', 1))
  await tab.getByRole('button', {name: 'Next page'}).click()
  await expect.poll(shown).toEqual(await rows({builtin: 'CREATED_AT'}, 'createdAt', 2))
  await tab.getByRole('combobox').selectOption('Cost')
  const first = await rows({fieldId: cost}, `value(fieldId: "${cost}") { display }`, 1)
  await expect.poll(shown).toEqual(first)
  const costs = first.map(([, , cell]) => Number(cell))
  expect(costs).toEqual(costs.toSorted((a, b) => b - a))
  expect(costs[0]).toBeGreaterThan(costs[19]!)
  await tab.getByRole('button', {name: 'Next page'}).click()
  await expect.poll(shown).toEqual(await rows({fieldId: cost}, `value(fieldId: "${cost}") { display }`, 2))
  expect(complaints).toEqual([])
})
