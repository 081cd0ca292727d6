import {spawn} from 'node:child_process'

export const here = import.meta.dirname
export const root = `${here}/../../..`
export const schemaFile = `${root}/schema.graphqls`

export interface Outcome {
  code: number | null
  output: string
}

// run waits for a program, and gives all that it has said.
export function run(program: string, args: string[], cwd: string, env: NodeJS.ProcessEnv = process.env): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {cwd, env: {...env, NO_COLOR: '1'}, stdio: ['ignore', 'pipe', 'pipe']})
    let output = ''
    child.stdout.on('data', (data) => (output += data))
    child.stderr.on('data', (data) => (output += data))
    child.on('error', reject)
    child.on('close', (code) => resolve({code, output}))
  })
}

// quiet runs a tool of this package. A warning is a failure.
export async function quiet(tool: string, args: string[], cwd = here): Promise<string> {
  const {code, output} = await run(`${here}/node_modules/.bin/${tool}`, args, cwd)
  if (code !== 0 || /warn|deprecat/i.test(output)) throw new Error(`${tool} ${args.join(' ')} ended with ${code}:\n${output}`)
  return output
}
