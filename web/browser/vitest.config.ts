import {defineConfig} from 'vitest/config'

// Tests of the built pages in a real browser, against the real server. They use dist: run `npm run build` first.
export default defineConfig({
  root: import.meta.dirname,
  cacheDir: '../node_modules/.vite-browser',
  test: {
    include: ['*.test.ts'],
    globalSetup: 'program.ts',
    testTimeout: 120_000, // longer than a wait of the browser's driver, 20 s, whose error names the step
    hookTimeout: 180_000,
    maxWorkers: 2,
    tags: [{name: 'smoke', description: 'what decides whether a change is taken; the others are for make verify'}],
    expect: {poll: {timeout: 20_000}}, // longer than the network delays in tests; the default is 1 s
  },
})
