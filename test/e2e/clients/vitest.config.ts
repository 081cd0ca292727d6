import {transformSync} from '@babel/core'
import {defineConfig} from 'vitest/config'

export default defineConfig({
  plugins: [
    {
      // What every user of Relay has in the build: the graphql tags become the compiler's artifacts.
      name: 'relay',
      enforce: 'pre',
      transform(code, id) {
        if (!/\/relay\/\w+\.ts$/.test(id) || !code.includes('graphql`')) return null
        const plugins = ['@babel/plugin-syntax-typescript', ['relay', {eagerEsModules: true}]]
        return transformSync(code, {filename: id, plugins, babelrc: false, configFile: false})?.code ?? null
      },
    },
  ],
  test: {
    globalSetup: 'setup.ts',
    include: ['*.test.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // Outside of Vite it would get another copy of the module graphql than the tests, which refuse each other's types.
    server: {deps: {inline: ['@graphql-inspector/core']}},
    expect: {poll: {timeout: 20_000}},
  },
})
