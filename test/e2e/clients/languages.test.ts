import {mkdtempSync, rmSync} from 'node:fs'
import {tmpdir} from 'node:os'
import {expect, inject, test} from 'vitest'
import {newProject} from './project.ts'
import {TenantsDocument} from './generated/gql/graphql.ts'
import {plain} from './plain.ts'
import {here, run} from './tools.ts'

// Clients in other languages, generated from the same operations. They send null for what is not given.

const url = inject('url')

// environment has the server, and a project of the client's own.
async function environment(): Promise<NodeJS.ProcessEnv> {
  const {tenants} = await plain(url, TenantsDocument, {})
  const project = await newProject(url, tenants!.edges[0]!.node.id)
  return {...process.env, ISSUEGRID_URL: url, ISSUEGRID_PROJECT: project.id}
}

test('genqlient, with optional: pointer', async () => {
  const folder = `${here}/../testdata/genqlient`
  expect((await run('go', ['tool', '-n', 'genqlient'], folder)).code).toBe(0) // which may download it, and says so
  expect(await run('go', ['tool', 'genqlient'], folder)).toEqual({code: 0, output: ''})
  const {code, output} = await run('go', ['test', '-count=1', '-v', './...'], folder, await environment())
  expect(output).toContain('--- PASS: TestOperations')
  expect(code).toBe(0)
})

test('ariadne-codegen, with None for what is not given', async () => {
  const folder = `${here}/../testdata/ariadne`
  const venv = mkdtempSync(`${tmpdir()}/issuegrid-ariadne-`)
  try {
    expect((await run('python3', ['-m', 'venv', venv], folder)).code).toBe(0)
    const install = ['install', '--quiet', '--disable-pip-version-check', '--requirement', 'requirements.txt']
    expect(await run(`${venv}/bin/pip`, install, folder)).toEqual({code: 0, output: ''})
    expect((await run(`${venv}/bin/ariadne-codegen`, [], folder)).code).toBe(0)
    expect(await run(`${venv}/bin/python`, ['operations.py'], folder, await environment())).toEqual({code: 0, output: 'all operations have run\n'})
  } finally {
    rmSync(venv, {recursive: true, force: true})
  }
}, 120_000)
