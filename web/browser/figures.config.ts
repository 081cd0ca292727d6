import {defineConfig} from 'vitest/config'

// The figures of docs/benchmarks.md, which are no test: they need minutes and a machine with nothing else to do.
export default defineConfig({
  root: import.meta.dirname,
  cacheDir: '../node_modules/.vite-browser',
  test: {include: ['figures.ts'], globalSetup: 'program.ts', testTimeout: 120_000, hookTimeout: 1_200_000},
})
