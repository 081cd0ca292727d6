import {defineConfig} from 'vitest/config'

// The random walk that edits. It is no part of the other browser tests, so that it can run beside them.
export default defineConfig({
  root: import.meta.dirname,
  cacheDir: '../node_modules/.vite-browser',
  test: {include: ['walk.ts'], globalSetup: 'program.ts', testTimeout: 1_800_000, hookTimeout: 180_000, expect: {poll: {timeout: 20_000}}},
})
