// Imports projects of the real data set with the command `issuegrid import`.
import {mkdtempSync, readFileSync, rmSync, writeFileSync} from 'node:fs'
import {tmpdir} from 'node:os'
import {join, resolve} from 'node:path'
import {gunzipSync} from 'node:zlib'
import Papa from 'papaparse'
import type {API} from './api'
import {run, type Server} from './server'

const root = resolve(import.meta.dirname, '../..')

/** Returns the path of the data set, from $ISSUEGRID_REAL_DATA. */
function file(): string {
  const name = process.env.ISSUEGRID_REAL_DATA
  if (!name) throw new Error('ISSUEGRID_REAL_DATA does not name the real data set; `make test-browser` does')
  return name
}

/** Imports projects by their keys and returns their IDs by key. */
export async function realProjects(server: Server, api: API, keys: readonly string[]): Promise<Record<string, string>> {
  const {data} = Papa.parse<string[]>(gunzipSync(readFileSync(file())).toString('utf8'), {skipEmptyLines: true})
  const [header, ...rows] = data
  const key = header!.indexOf('project_key')
  const folder = mkdtempSync(join(tmpdir(), 'issuegrid-csv-'))
  try {
    const csv = join(folder, 'issues.csv')
    writeFileSync(csv, Papa.unparse([header!, ...rows.filter(r => keys.includes(r[key]!))]))
    await api.ask('mutation { createTenant(input: {name: "Titanium"}) { tenant { id } } }')
    const mapping = join(root, 'internal/importer/testdata/titanium.mapping.json')
    run(['import', csv, '--tenant', 'Titanium', '--mapping', mapping, '--data', server.data, '--rejects', join(folder, 'rejects.csv')])
  } finally {
    rmSync(folder, {recursive: true, force: true})
  }
  const {tenants} = await api.ask<{tenants: {nodes: {projects: {nodes: {id: string; key: string}[]}}[]}}>(
    '{ tenants { nodes { projects { nodes { id key } } } } }',
  )
  return Object.fromEntries(tenants.nodes.flatMap(t => t.projects.nodes).map(p => [p.key, p.id]))
}
