// Writes the licenses of everything that is bundled to licenses.txt, beside the pages.

import {existsSync, readdirSync, readFileSync} from 'node:fs'
import {join} from 'node:path'
import type {Plugin} from 'vite'

interface Package {
  name: string
  version: string
  license: string
  text: string
}

/** Packages that are published without the text of their license, and the package of the same authors and license that has it. */
const elsewhere: Record<string, string> = {
  '@graphiql/plugin-doc-explorer': 'graphiql',
  '@graphiql/plugin-history': 'graphiql',
  '@wry/context': 'optimism',
  '@wry/trie': 'optimism',
  'react-compiler-runtime': 'react',
  'react-remove-scroll-bar': 'react-remove-scroll',
}

/** One collector for the pages and their workers, which Vite bundles one by one. The pages are the last; they write the file. */
export function licenses() {
  const files = new Set<string>()
  const collector = (write: boolean): Plugin => ({
    name: 'licenses',
    apply: 'build',
    // All modules that were looked at: what is dropped since nothing uses it does no harm here, and styles are in no list of a bundle's modules.
    generateBundle() {
      for (const id of this.getModuleIds()) files.add(id.replace(/^\0/, '').replace(/\?.*$/, ''))
      if (write) this.emitFile({type: 'asset', fileName: 'licenses.txt', source: report([...files])})
    },
  })
  return {pages: () => collector(true), workers: () => collector(false)}
}

function report(files: string[]): string {
  const packages = new Map<string, Package>()
  for (const root of new Set(files.map(rootOf).filter(root => root !== null))) {
    const p = read(root)
    packages.set(`${p.name} ${p.version}`, p)
  }
  const bare = [...packages.values()].filter(p => p.text === '').map(p => `${p.name} ${p.version}`)
  if (bare.length > 0) throw new Error(`these come without a license or its text; find out what it is: ${bare.join(', ')}`)
  const sorted = [...packages.values()].sort((a, b) => (a.name === b.name ? compare(a.version, b.version) : compare(a.name, b.name)))
  const line = '-'.repeat(80)
  return [
    'The pages are made of these packages, under their licenses:\n',
    ...sorted.map(p => `${p.name} ${p.version} (${p.license})`),
    ...sorted.map(p => `\n${line}\n${p.name} ${p.version} (${p.license})\n\n${p.text.trim()}`),
    '',
  ].join('\n')
}

/** By code points, so that it is the same on every machine. */
const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)

/** The folder of the package that a file belongs to; null for our own files. */
function rootOf(file: string): string | null {
  return /^.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+/.exec(file)?.[0] ?? null
}

function read(root: string): Package {
  const {name, version, license} = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {name: string; version: string; license?: string}
  let folder = root
  const other = elsewhere[name]
  if (other !== undefined) folder = join(modulesOf(root), other)
  const texts = existsSync(folder)
    ? readdirSync(folder)
        .filter(f => /^(licen[cs]e|copying|notice|third-?party-?notices)(\b|[-_.])/i.test(f))
        .sort(compare)
    : []
  const text = texts.map(f => readFileSync(join(folder, f), 'utf8').replaceAll('\r\n', '\n').trim()).join('\n\n')
  return {name, version, license: license ?? '', text: license ? text : ''}
}

/** The folder node_modules at the top. */
function modulesOf(root: string): string {
  return root.slice(0, root.indexOf('node_modules') + 'node_modules'.length)
}
