import react from '@vitejs/plugin-react'
import {resolve} from 'node:path'
import {defineConfig} from 'vitest/config'
import {licenses} from './licenses.ts'
import {operations} from './operations.ts'

// The server that `npm run dev` asks; `go run .` starts one there.
const api = process.env.ISSUEGRID_URL ?? 'http://127.0.0.1:8080'

const {pages, workers} = licenses()

export default defineConfig({
  plugins: [react(), pages(), operations()],
  worker: {plugins: () => [workers()]},
  build: {
    rolldownOptions: {
      input: {
        grid: resolve(import.meta.dirname, 'index.html'),
        playground: resolve(import.meta.dirname, 'playground.html'),
      },
      // The modules that the grid shares with its dialogs are one file, so that the first rows need few requests. What is only for parts that load later is not in it.
      output: {
        codeSplitting: {
          includeDependenciesRecursively: false,
          groups: [
            {
              name: 'common',
              test: /src[\\/](gql(?![\\/]later)|grid[\\/](ui|model|data|context|messages(?![\\/](?:de|load))))[\\/]|importer[\\/]|node_modules[\\/](@apollo|@wry|optimism|rxjs)[\\/]/,
            },
          ],
        },
      },
      // For React's compiler, which has been over these packages already.
      checks: {moduleLevelDirective: false},
    },
    // What is embedded must be the same wherever it is built.
    sourcemap: false,
    reportCompressedSize: false,
    assetsInlineLimit: 0, // the Content-Security-Policy takes no data: URLs
    chunkSizeWarningLimit: 5000,
    target: ['chrome111', 'firefox114', 'safari16.4'],
  },
  server: {
    fs: {allow: ['.', '../internal/importer']}, // words that the server reads as well
    proxy: Object.fromEntries(['/graphql', '/imports'].map(path => [path, {target: api, changeOrigin: true}])),
  },
  // The files of a worker share the modules that they import: loading them for each file takes three times as long as the tests.
  test: {include: ['src/**/*.test.{ts,tsx}', '*.test.ts'], isolate: false},
})
