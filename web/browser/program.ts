// Builds the server from this module, once for a run of the browser tests. ISSUEGRID_TEST_BUILT names one that is built already.

import {execFileSync} from 'node:child_process'
import {mkdtempSync, rmSync} from 'node:fs'
import {tmpdir} from 'node:os'
import {join, resolve} from 'node:path'
import type {TestProject} from 'vitest/node'

declare module 'vitest' {
  export interface ProvidedContext {
    /** The path of the built server. */
    program: string
  }
}

export default function build(project: TestProject): (() => void) | undefined {
  const built = process.env.ISSUEGRID_TEST_BUILT
  if (built) {
    project.provide('program', built)
    return
  }
  const folder = mkdtempSync(join(tmpdir(), 'issuegrid-browser-'))
  const program = join(folder, 'issuegrid')
  execFileSync('go', ['build', '-o', program, '.'], {cwd: resolve(import.meta.dirname, '../..'), stdio: 'inherit'})
  project.provide('program', program)
  return () => rmSync(folder, {recursive: true, force: true})
}
