import graphql from '@graphql-eslint/eslint-plugin'
import {embedded} from './embedded.js'

const {configs} = graphql
// The paths are from the root of the repository, where `npm test` runs ESLint, because it takes no files from above its directory.
const operations = 'test/e2e/clients/operations/*.graphql'
const language = {
  languageOptions: {parser: graphql.parser, parserOptions: {graphQLConfig: {schema: 'schema.graphqls', documents: operations}}},
  plugins: {'@graphql-eslint': graphql},
}

export default [
  {
    ...language,
    files: ['schema.graphqls'],
    rules: {
      ...configs['flat/schema-recommended'].rules,
      ...configs['flat/schema-relay'].rules,
      // One line where one is enough, a block where it is not; the rule knows only all of one or all of the other.
      '@graphql-eslint/description-style': 'off',
      // What has no id is embedded in something that has one. The urql client lists the same types, and one without id that is not
      // among them is an error here.
      '@graphql-eslint/strict-id-in-types': ['error', {exceptions: {types: embedded, suffixes: ['Connection', 'Edge', 'Payload']}}],
      '@graphql-eslint/relay-edge-types': [
        'error',
        {
          withEdgeSuffix: true,
          // Connections have `nodes` beside `edges`, and lists that are short and whole, such as a project's states, are no connections.
          listTypeCanWrapOnlyEdgeType: false,
          // Changes in a history, and issues in the trash, can't be asked for by an id.
          shouldImplementNode: false,
        },
      ],
    },
  },
  {...language, files: [operations], rules: configs['flat/operations-recommended'].rules},
]
